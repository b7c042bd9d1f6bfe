"""A folder of documents and labels, kept evaluated. Invariant: the only package of the core that touches the disk.

Its face is loaded on first use: a process that only reads documents needs nothing else of the package.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evidencedesk.workspace.engine import Change, Workspace

__all__ = ["Change", "Workspace"]


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from evidencedesk.workspace import engine

    return getattr(engine, name)
