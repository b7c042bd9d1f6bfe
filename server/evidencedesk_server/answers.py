"""The last ready-made answers. Invariant: holds what the engine last said, never anything computed here."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from evidencedesk_server.messages import Answers, FileAnswer, Place


class AnswerStore:
    """Answers by place. `files` holds only files that have problems; `indexed` folders have been read once."""

    def __init__(self) -> None:
        self.files: dict[Place, FileAnswer] = {}
        self.indexed: set[str] = set()
        self._news = asyncio.Event()

    def take(self, answers: Answers) -> list[FileAnswer]:
        """Take over an evaluation's answers; returns the files whose URI is no longer used or has no problems left."""
        outdated = [] if answers["whole"] is None else self._drop_unlisted(answers["whole"], answers["files"])
        for answer in answers["files"]:
            place = Place(answer["folder"], answer["path"])
            old = self.files.pop(place, None)
            if answer["diagnostics"]:
                self.files[place] = answer
            if old is not None and (not answer["diagnostics"] or old["uri"] != answer["uri"]):
                outdated.append(old)
        return outdated

    def forget_folder(self, folder: str) -> list[FileAnswer]:
        """Drop a folder; returns its files that had problems."""
        gone = [answer for place, answer in self.files.items() if place.folder == folder]
        self.files = {place: answer for place, answer in self.files.items() if place.folder != folder}
        self.indexed.discard(folder)
        return gone

    def _drop_unlisted(self, folder: str, listed: list[FileAnswer]) -> list[FileAnswer]:
        paths = {answer["path"] for answer in listed}
        gone = [place for place in self.files if place.folder == folder and place.path not in paths]
        return [self.files.pop(place) for place in gone]

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
