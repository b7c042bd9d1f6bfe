"""The exception tree: errors for the edge only, caught once per surface; bad content is a problem, never an exception.

EvidenceDeskError
├── InputError          nothing to work on: a missing path, an empty workspace, an unwritable file
├── ConfigError         the configuration cannot be used; `path` and `line` say where
├── UnknownNameError    a rule, searcher, strategy or label that does not exist
└── Cancelled           work that was given up on request
"""


class EvidenceDeskError(Exception):
    """Base of every error this package raises on purpose; its text is a plain sentence for the user."""


class InputError(EvidenceDeskError):
    """What the user named cannot be read, or holds nothing to work on."""


class ConfigError(EvidenceDeskError):
    """The configuration cannot be used."""

    def __init__(self, message: str, *, path: str = "", line: int | None = None) -> None:
        """`line` counts from 1."""
        where = f"{path}:{line}: " if path and line else f"{path}: " if path else ""
        super().__init__(where + message)
        self.path = path
        self.line = line


class UnknownNameError(EvidenceDeskError, ValueError):
    """A name that is not one of a fixed set; the text lists or suggests the known ones."""


class Cancelled(EvidenceDeskError):
    """Work was given up on request: whoever watches its progress may raise this from there.

    A workspace then keeps its last snapshot, and its next one counts all changes made meanwhile.
    """
