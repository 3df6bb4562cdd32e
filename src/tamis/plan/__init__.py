"""A question becomes intent, subqueries and an answer shape."""
