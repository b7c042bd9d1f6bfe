"""A folder of documents and labels, kept evaluated. Invariant: the only package of the core that touches the disk."""

from evidencedesk.workspace.engine import Change, Workspace

__all__ = ["Change", "Workspace"]
