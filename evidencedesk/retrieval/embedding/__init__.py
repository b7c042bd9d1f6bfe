"""Embedding models. Invariant: a text's vector depends on that text and the model alone, not on its batch."""

from evidencedesk.retrieval.embedding.model import Model

__all__ = ["Model"]
