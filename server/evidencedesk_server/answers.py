"""What the engine last said of every file. Invariant: holds what was said, never anything computed here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from evidencedesk_server.messages import Answers, FileAnswer, FilePatch, Place
from evidencedesk_server.patches import patched


class AnswerStore:
    """Answers by place. `files` holds only files that have problems.

    `indexed` folders have been read once, or were tried to; `readable` ones by the engine that is running now.
    """

    def __init__(self) -> None:
        self.files: dict[Place, FileAnswer] = {}
        self.indexed: set[str] = set()
        self.readable: set[str] = set()
        self._news = asyncio.Event()

    def take(self, answers: Answers) -> tuple[list[FileAnswer], list[FileAnswer]]:
        """Take over an evaluation's answers.

        Returns the files that changed, and earlier answers whose URI is no longer used or has no problems left.
        """
        listed = {Place(patch["folder"], patch["path"]) for patch in answers["files"]}
        outdated = [
            self.files.pop(place)
            for place in list(self.files)
            if place.folder in answers["whole"] and place not in listed
        ]
        changed = [self._patched(patch, patch["folder"] in answers["whole"]) for patch in answers["files"]]
        for answer in changed:
            place = Place(answer["folder"], answer["path"])
            old = self.files.pop(place, None)
            if answer["diagnostics"]:
                self.files[place] = answer
            if old is not None and (not answer["diagnostics"] or old["uri"] != answer["uri"]):
                outdated.append(old)
        return changed, outdated

    def forget_folder(self, folder: str) -> list[FileAnswer]:
        """Drop a folder; returns its files that had problems."""
        gone = [answer for place, answer in self.files.items() if place.folder == folder]
        self.files = {place: answer for place, answer in self.files.items() if place.folder != folder}
        self.indexed.discard(folder)
        self.readable.discard(folder)
        return gone

    def announce(self) -> None:
        """Wake everybody who waits for news."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def until(self, happened: Callable[[], bool], seconds: float) -> bool:
        """Wait until `happened` is true after some news, at most so long; returns whether it is."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + seconds
        while not happened():
            left = deadline - loop.time()
            if left <= 0:
                return False
            try:
                await asyncio.wait_for(self._news.wait(), left)
            except TimeoutError:
                return happened()
        return True

    def _patched(self, patch: FilePatch, is_first: bool) -> FileAnswer:
        known = None if is_first else self.files.get(Place(patch["folder"], patch["path"]))
        diagnostics = patched(known["diagnostics"] if known is not None else [], patch["pieces"])
        return FileAnswer(
            folder=patch["folder"], path=patch["path"], uri=patch["uri"], id=patch["id"], diagnostics=diagnostics
        )
