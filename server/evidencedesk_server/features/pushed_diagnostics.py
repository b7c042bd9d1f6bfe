"""Problems pushed to clients that cannot be told to pull again. Invariant: a client that pulls is never pushed to.

Old diagnostics stay until new ones exist: nothing is ever cleared because something is being computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lsprotocol import types

from evidencedesk_server.desk import Desk
from evidencedesk_server.messages import FileAnswer, Place
from evidencedesk_server.placing import in_present
from evidencedesk_server.ranges import Json
from evidencedesk_server.session import OpenDocument


def register(desk: Desk) -> None:
    """Push, unless the client pulls."""
    if not desk.session.profile.pulls:
        desk.on_answers.append(Pusher(desk).answers_changed)


class Pusher:
    """Publishes what changed, with the version that the client has.

    Where it has typed on since the evaluation, problems are moved along: who never pauses sees them all the same.
    """

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._published: dict[Place, tuple[str, list[Json]]] = {}
        self._shown_in: dict[Place, OpenDocument] = {}

    def answers_changed(self, files: Sequence[FileAnswer], outdated: Sequence[FileAnswer]) -> None:
        """Publish the differences to what the client has."""
        placed = dict(self._desk.session.placed())
        changed = (Place(answer["folder"], answer["path"]) for answer in (*outdated, *files))
        for place in dict.fromkeys([*placed, *self._shown_in, *changed]):
            document = placed.get(place)
            # Some clients forget what was published for a file that they had not opened yet.
            is_new = document is not None and self._shown_in.get(place) is not document
            if document is None or document.evaluated is not None:
                self._bring_up_to_date(place, document, is_new)
        self._shown_in = {place: document for place, document in placed.items() if document.evaluated is not None}

    def _bring_up_to_date(self, place: Place, document: OpenDocument | None, is_new: bool) -> None:
        version = document.version if document is not None else None
        last, latest = self._published.pop(place, None), self._desk.answers.files.get(place)
        if last is not None and (latest is None or latest["uri"] != last[0]):
            self._publish(last[0], [], version)
        if latest is not None:
            diagnostics = in_present(latest, document, self._desk.session.profile.encoding)
            self._published[place] = latest["uri"], diagnostics
            if is_new or last != self._published[place]:
                self._publish(latest["uri"], diagnostics, version)

    def _publish(self, uri: str, diagnostics: list[Json], version: int | None) -> None:
        params: dict[str, Any] = {"uri": uri, "diagnostics": diagnostics}
        if version is not None:
            params["version"] = version
        self._desk.protocol.notify_json(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)
