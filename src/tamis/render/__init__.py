"""Answers become Markdown, HTML, JSON or text."""
