"""Pure functions on strings."""
