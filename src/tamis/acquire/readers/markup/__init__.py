"""HTML trees to Markdown: one serialiser for web pages, DOCX and EPUB."""
