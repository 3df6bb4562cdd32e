"""Extractive summarisers behind one protocol and one registry."""
