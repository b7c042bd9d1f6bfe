"""Markdown text → Document. Invariant: parsing never fails; what is odd becomes a Defect at its place."""
