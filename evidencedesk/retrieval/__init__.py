"""Retrieval and its evaluation, importable name by name. Invariant: what ranks never imports what knows the answers."""
