"""From a question to what it asks for: intent, topics, answer shape, subqueries, sources (A1-A3, S1)."""
