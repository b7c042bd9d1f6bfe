"""Text without meaning: offsets, folding, words. Pure functions that know neither Markdown nor retrieval."""
