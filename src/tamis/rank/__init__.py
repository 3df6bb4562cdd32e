"""Signals, fusion and three-layer retrieval: pure functions over arrays."""
