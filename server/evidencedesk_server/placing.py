"""Problems of an evaluated text in the text of now. Invariant: without edits since then they come out as they are."""

from __future__ import annotations

from evidencedesk.text.spans import Encoding, Span
from evidencedesk_server.messages import FileAnswer
from evidencedesk_server.ranges import Json, range_of
from evidencedesk_server.session import OpenDocument


def in_present(answer: FileAnswer, document: OpenDocument | None, encoding: Encoding) -> list[Json]:
    """The diagnostics of a file, moved along with what was typed since its evaluation; without what was typed over."""
    if document is None or not document.splices or document.evaluated_index is None:
        return answer["diagnostics"]
    return [_moved(diagnostic, answer["uri"], document, encoding) for diagnostic in answer["diagnostics"]]


def _moved(diagnostic: Json, uri: str, document: OpenDocument, encoding: Encoding) -> Json:
    moved = {**diagnostic, "range": _range(diagnostic["range"], document, encoding)}
    if "relatedInformation" in diagnostic:
        moved["relatedInformation"] = [
            {**one, "location": {"uri": uri, "range": _range(one["location"]["range"], document, encoding)}}
            if one["location"]["uri"] == uri
            else one
            for one in diagnostic["relatedInformation"]
        ]
    return moved


def _range(place: Json, document: OpenDocument, encoding: Encoding) -> Json:
    index = document.evaluated_index
    assert index is not None
    ends = (index.offset(place[edge]["line"], place[edge]["character"], encoding) for edge in ("start", "end"))
    return range_of(document.index, document.present_span(Span(*ends)), encoding)
