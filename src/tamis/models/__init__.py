"""Local and remote models behind small protocols."""
