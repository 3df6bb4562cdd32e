"""What was written is held against the evidence, by code."""
