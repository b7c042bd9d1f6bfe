"""The other side of the engine, and what it is asked in tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from answer_making import FOLDER, PAGE, STYLE, label
from evidencedesk_server.answers import AnswerStore
from evidencedesk_server.messages import FileChange, OpenBuffer, OpenFolder, Update
from evidencedesk_server.worker import Engine

LABELS = [label("q1", "Is the parcel label free?", "The parcel label is free.")]
BROKEN = PAGE.replace("The parcel label is free.", "The parcel\n\nlabel is free.")


class Loop:
    """The other side: asks, and keeps what was said."""

    def __init__(self) -> None:
        self.said: list[Any] = []
        self.store = AnswerStore()
        self.engine = Engine(self._hear)
        self._seq = 0

    def _hear(self, reply: Any) -> None:
        """Keep a reply; of answers the files as they are then, not the differences."""
        self.said.append({**reply, "files": self.store.take(reply)[0]} if reply["say"] == "answers" else reply)

    def open(
        self,
        root: Path | None,
        folder: str = FOLDER,
        settings: dict[str, Any] | None = None,
        poll: bool = False,
        texts: Mapping[str, str] | None = None,
        first: bool = True,
    ) -> Any:
        self.engine.handle(self.opening(root, folder, settings, poll, texts, first))
        return [said for said in self.said if said["say"] == "answers"][-1]

    def opening(
        self,
        root: Path | None,
        folder: str = FOLDER,
        settings: dict[str, Any] | None = None,
        poll: bool = False,
        texts: Mapping[str, str] | None = None,
        first: bool = True,
    ) -> OpenFolder:
        self._seq += 1
        return OpenFolder(
            do="open-folder",
            seq=self._seq,
            folder=folder,
            root=str(root) if root else "",
            poll=poll,
            style=STYLE,
            settings=settings or {},
            changes=[
                FileChange(folder=folder, path=path, text=text, span=None) for path, text in (texts or {}).items()
            ],
            buffers=[OpenBuffer(folder=folder, path=path, uri=f"{folder}/{path}") for path in texts or {}],
            first=first,
        )

    def update(self, path: str, text: str | None, saved: bool = False, open_paths: tuple[str, ...] = ()) -> Any:
        return self.ask(lambda seq: updating(seq, {path: text}, saved, open_paths))

    def ask(self, request: Callable[[int], Any]) -> Any:
        """The answers to a request: exactly one message."""
        self._seq += 1
        self.engine.handle(request(self._seq))
        (answers,) = [said for said in self.said if said["say"] == "answers" and said["seq"] == self._seq]
        return answers

    def notices(self) -> list[str]:
        return [said["text"] for said in self.said if said["say"] == "notice"]


def updating(
    seq: int, texts: Mapping[str, str | None], saved: bool = False, open_paths: tuple[str, ...] = ()
) -> Update:
    buffers = [OpenBuffer(folder=FOLDER, path=name, uri=f"{FOLDER}/{name}") for name in open_paths]
    changes = [FileChange(folder=FOLDER, path=path, text=text, span=None) for path, text in texts.items()]
    return Update(do="update", seq=seq, changes=changes, saved=saved, buffers=buffers)


def codes(answers: Any, path: str) -> set[str]:
    return {found["code"] for answer in answers["files"] if answer["path"] == path for found in answer["diagnostics"]}
