"""From the world to documents: guard, fetch, crawl, readers."""
