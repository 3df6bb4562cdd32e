"""Bytes to pages, one module a format."""
