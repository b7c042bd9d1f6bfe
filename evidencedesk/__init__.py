"""EvidenceDesk: shows, at the sentence that causes it, why retrieval will not find an answer.

The public face, loaded on first use so that importing one module costs no other. Invariant: it adds nothing of its own.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evidencedesk.documents.document import Document
    from evidencedesk.errors import EvidenceDeskError
    from evidencedesk.retrieval.chunk import Chunk
    from evidencedesk.retrieval.labels import Label
    from evidencedesk.retrieval.taxonomy import Finding
    from evidencedesk.rule import Problem, Rule, Severity
    from evidencedesk.rules import RULES
    from evidencedesk.text.spans import Span
    from evidencedesk.workspace import Change, Workspace
    from evidencedesk.workspace.snapshot import Snapshot

__all__ = [
    "RULES",
    "Change",
    "Chunk",
    "Document",
    "EvidenceDeskError",
    "Finding",
    "Label",
    "Problem",
    "Rule",
    "Severity",
    "Snapshot",
    "Span",
    "Workspace",
]

_HOMES = {
    "RULES": "evidencedesk.rules",
    "Change": "evidencedesk.workspace",
    "Chunk": "evidencedesk.retrieval.chunk",
    "Document": "evidencedesk.documents.document",
    "EvidenceDeskError": "evidencedesk.errors",
    "Finding": "evidencedesk.retrieval.taxonomy",
    "Label": "evidencedesk.retrieval.labels",
    "Problem": "evidencedesk.rule",
    "Rule": "evidencedesk.rule",
    "Severity": "evidencedesk.rule",
    "Snapshot": "evidencedesk.workspace.snapshot",
    "Span": "evidencedesk.text.spans",
    "Workspace": "evidencedesk.workspace",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOMES[name]), name)
