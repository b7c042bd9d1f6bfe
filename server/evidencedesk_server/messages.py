"""What the loop and the engine process tell each other. Invariant: plain JSON, framed by a four-byte length.

Places in files are keyed by `(folder, path)`: the folder's URI as the client spelled it, and the path below it with
`/`.
"""

from __future__ import annotations

import hashlib
import json
import struct
from typing import Any, Literal, NamedTuple, NotRequired, TypedDict

ACCEPT_BASELINE = "evidencedesk.acceptBaseline"
"""A command. Arguments: the URI of a folder or of any file in it; without one, every open folder."""

SHOW_RANKING = "evidencedesk.showRanking"
"""A command. Arguments: the URI of any file in a folder, and a list of ids of its labels."""

NEW_LABEL = "evidencedesk.newLabel"
"""A command. Arguments: the URI of an open page, and the range of the words that are to be a label's evidence."""

SEARCH = "evidencedesk.search"
"""A command. Arguments: a question, and optionally the URI of a folder or of any file in it; without, of every folder.
Shows what each searcher finds, and answers with the same as Markdown."""

_LENGTH = struct.Struct(">I")
LENGTH_BYTES = _LENGTH.size


class Place(NamedTuple):
    """A file: its folder's URI and its path below the folder."""

    folder: str
    path: str


class Style(TypedDict):
    """How answers are to be written for this client."""

    encoding: Literal["utf-8", "utf-16", "utf-32"]
    markdown: bool
    related: bool
    document_changes: bool
    tags: bool
    rule_links: bool


class OpenFolder(TypedDict):
    """Index a folder. With `poll`, the engine looks for changes on disk by itself and answers with `seq` 0.

    `settings` are the editor's, nested as in a configuration file; they count where no file configures the folder.
    """

    do: Literal["open-folder"]
    seq: int
    folder: str
    root: str
    poll: bool
    style: Style
    settings: dict[str, Any]


class CloseFolder(TypedDict):
    """Forget a folder; its problems are gone."""

    do: Literal["close-folder"]
    folder: str


class FileChange(TypedDict):
    """A buffer's text; or, with `text` None, that the disk is to be read again (a closed buffer, a change outside)."""

    folder: str
    path: str
    text: str | None


class OpenBuffer(TypedDict):
    """A document that is open in the editor, with the client's spelling of its URI."""

    folder: str
    path: str
    uri: str


class Update(TypedDict):
    """Evaluate these changes. `saved`: the client has just written its buffers to disk."""

    do: Literal["update"]
    seq: int
    changes: list[FileChange]
    saved: bool
    buffers: list[OpenBuffer]


class AcceptBaseline(TypedDict):
    """Make the folder's present state what later states are compared with."""

    do: Literal["accept-baseline"]
    seq: int
    folder: str


class Question(NamedTuple):
    """Something to look up in the state that was evaluated last; `what` is a name in READINGS.

    `path` is "" where the whole folder is meant; `offset` is a character of the file's evaluated text, and `end` the
    one after the last of a selection that begins there.
    """

    what: str
    folder: str
    path: str
    offset: int = 0
    words: tuple[str, ...] = ()
    end: int = 0


class Look(TypedDict):
    """Answer a question from the state of the last answers, at once, whatever is being evaluated meanwhile.

    The list holds the fields of a `Question`.
    """

    do: Literal["look"]
    seq: int
    question: list[Any]


Request = OpenFolder | CloseFolder | Update | AcceptBaseline | Look


class FileAnswer(TypedDict):
    """The problems of one file as LSP diagnostics; `id` is a hash of the rest."""

    folder: str
    path: str
    uri: str
    id: str
    diagnostics: list[dict[str, Any]]


class Answers(TypedDict):
    """What request `seq` changed: the files whose problems differ from what was said before.

    `state` numbers the states that questions are answered from. `whole` names a folder all of whose files with
    problems are listed: whatever was said of it before is void.
    """

    say: Literal["answers"]
    seq: int
    state: int
    whole: str | None
    files: list[FileAnswer]


class ActionEntry(TypedDict):
    """A code action; `needs` are hashes that the texts of these files (by URI) must still have."""

    needs: dict[str, str]
    action: dict[str, Any]


class Chars(TypedDict):
    """A span of the very file that was asked about, as the state has it; the loop writes a range in its place."""

    chars: list[int]


class Looked(TypedDict):
    """What question `seq` found in which state; `Chars` stand where the client gets ranges."""

    say: Literal["looked"]
    seq: int
    state: int
    found: list[Any]


class Progress(TypedDict):
    """How far the indexing of a folder is; `total` 0 when there is nothing to count."""

    say: Literal["progress"]
    folder: str
    step: str
    done: int
    total: int


class Opened(TypedDict):
    """A folder is indexed, or cannot be: then `error` says why in plain words."""

    say: Literal["opened"]
    folder: str
    error: NotRequired[str]


class Notice(TypedDict):
    """A sentence for the user."""

    say: Literal["notice"]
    level: Literal["info", "warning", "error"]
    text: str


Reply = Answers | Looked | Progress | Opened | Notice


def pack(message: Request | Reply) -> bytes:
    """The bytes of a message, length first."""
    body = json.dumps(message, separators=(",", ":")).encode("ascii")
    return _LENGTH.pack(len(body)) + body


def length_of(head: bytes) -> int:
    """How many bytes follow the first `LENGTH_BYTES`."""
    (length,) = _LENGTH.unpack(head)
    return int(length)


def unpack(body: bytes) -> Any:
    """The message in the bytes after the length."""
    return json.loads(body)


def text_hash(text: str) -> str:
    """A short name for a text, equal for equal texts in every process."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
