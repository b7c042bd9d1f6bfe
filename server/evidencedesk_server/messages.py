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

INDEX = "evidencedesk.index"
"""A command without arguments: index every open folder again, for instance after that was stopped."""

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


class FileChange(TypedDict):
    """A buffer's text; or, with `text` None, that the disk is to be read again (a closed buffer, a change outside).

    With a `span`, the text stands in place of these characters of the text sent last for this buffer.
    """

    folder: str
    path: str
    text: str | None
    span: list[int] | None


class OpenBuffer(TypedDict):
    """A document that is open in the editor, with the client's spelling of its URI."""

    folder: str
    path: str
    uri: str


class OpenFolder(TypedDict):
    """Index a folder. With `poll`, the engine looks for changes on disk by itself and answers with `seq` 0.

    `settings` are the editor's, nested as in a configuration file; they count where no file configures the folder.
    `changes` are the texts of its open documents. With `first`, the client knows nothing of the folder yet, and is told
    at once what these documents have by themselves. Without a `root` there is no folder, only such documents.
    """

    do: Literal["open-folder"]
    seq: int
    folder: str
    root: str
    poll: bool
    style: Style
    settings: dict[str, Any]
    changes: list[FileChange]
    buffers: list[OpenBuffer]
    first: bool


class Stop(TypedDict):
    """Give up what is being done; a folder that was being indexed stays unindexed until it is opened again."""

    do: Literal["stop"]


class CloseFolder(TypedDict):
    """Forget a folder; its problems are gone."""

    do: Literal["close-folder"]
    folder: str


class Update(TypedDict):
    """Evaluate these changes, `buffers` being all documents that are open.

    `saved`: the client has just written its buffers to disk. A newer update takes the place of one that is not answered
    yet, unless that one was `saved` or has waited for long; the answers to the newer one are then those to both.
    """

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


Request = OpenFolder | CloseFolder | Update | AcceptBaseline | Look | Stop


class FileAnswer(TypedDict):
    """The problems of one file as LSP diagnostics; `id` is a hash of the rest."""

    folder: str
    path: str
    uri: str
    id: str
    diagnostics: list[dict[str, Any]]


class FilePatch(TypedDict):
    """A FileAnswer, its diagnostics told as a difference to those said last for the file (see `patches`)."""

    folder: str
    path: str
    uri: str
    id: str
    pieces: list[Any]


class Answers(TypedDict):
    """What request `seq` changed: the files whose problems differ from what was said before.

    They are about the texts of this request and of all before it, but for folders in `silent`, about which there is
    nothing to say yet. `state` numbers the states that questions are answered from. `whole` names folders all of whose
    files with problems are listed: whatever was said of them before is void.
    """

    say: Literal["answers"]
    seq: int
    state: int
    whole: list[str]
    silent: list[str]
    files: list[FilePatch]


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
    """How far work that takes long is; `total` 0 when there is nothing to count. It ends with the next `Idle`."""

    say: Literal["progress"]
    folder: str
    step: str
    done: int
    total: int


class Idle(TypedDict):
    """Nothing is being done any more."""

    say: Literal["idle"]


class Opened(TypedDict):
    """A folder is indexed, or cannot be: then `error` says why in plain words; or its indexing was `stopped`."""

    say: Literal["opened"]
    folder: str
    error: NotRequired[str]
    stopped: NotRequired[bool]


class Notice(TypedDict):
    """A sentence for the user."""

    say: Literal["notice"]
    level: Literal["info", "warning", "error"]
    text: str


Reply = Answers | Looked | Progress | Idle | Opened | Notice


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
