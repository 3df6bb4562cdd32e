"""The nouns: frozen, small, without behaviour beyond turning themselves into plain data."""
