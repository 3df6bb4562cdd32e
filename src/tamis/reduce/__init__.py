"""Everything that makes the reading shorter, without a model call."""
