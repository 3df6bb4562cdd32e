"""The second job of tamis: a collection becomes shelves, themes and cards (L)."""
