"""A document's signals at index time."""
