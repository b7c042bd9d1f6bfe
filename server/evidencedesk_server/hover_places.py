"""What hovers say of names: rule codes, gold, front matter. Invariant: pure; text from files is always escaped.

These texts hold no rank and no score, so that an edit elsewhere leaves them, and what was sent of them, as they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial

from evidencedesk.documents.document import Document, Section
from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import GoldPlace
from evidencedesk.retrieval.facts import ChunkedDocument, Facts
from evidencedesk.retrieval.places import section_at
from evidencedesk.rule import Rule
from evidencedesk.rules import RULES
from evidencedesk.text.normal import Match
from evidencedesk.text.spans import LineIndex, Span
from evidencedesk.workspace.snapshot import Snapshot
from evidencedesk_server.mentions import Mentions, chunks_by_heading
from evidencedesk_server.verdicts import count, shorten

Escape = Callable[[str], str]

_RULES: Mapping[str, Rule] = {rule.code: rule for rule in RULES}
_EXAMPLE = "\n## Example"
_SECTION_WIDTH = 400
_MAX_CHUNKS = 5
_MAX_OCCURRENCES = 3


class PlaceTexts:
    """Hovers on names in the files of one snapshot; `link` makes a chunk's id lead to its text.

    `mentions` are asked for where a text needs them.
    """

    def __init__(
        self, snapshot: Snapshot, mentions: Callable[[], Mentions], escape: Escape, link: Escape | None = None
    ) -> None:
        self._facts = snapshot.facts
        self._mentions = mentions
        self._escape = escape
        self._link = link or escape
        self._sections: dict[tuple[str, Span], str] = {}
        self._lines: dict[str, LineIndex] = {}

    def of_file(self, path: str) -> Iterator[tuple[Span, Callable[[], str]]]:
        """Spans of a file and what to say there, said when called."""
        if (chunked := self._facts.documents.get(path)) is not None:
            for suppression in chunked.document.suppressions:
                for code, span in suppression.codes:
                    yield span, partial(self.rule, code)
            yield from self._fields(chunked)
        elif (file := self._facts.label_files.get(path)) is not None:
            for entry in file.entries:
                for number, code in enumerate(entry.label.ignore):
                    yield entry.place(f"ignore[{number}]"), partial(self.rule, code)
            for mention in self._mentions().made_in.get(path, ()):
                if mention.section is not None:
                    yield mention.section, partial(self._named_section, mention.place)
                if mention.evidence is not None:
                    yield mention.evidence, partial(self._evidence, mention.place)

    # Rules

    def rule(self, code: str) -> str:
        """A rule's page up to its example."""
        rule = _RULES.get(code)
        if rule is None:
            return f"There is no rule {self._escape(code)}; this suppresses nothing."
        docs = rule.docs.split(_EXAMPLE, 1)[0].rstrip()
        return f"**{rule.code}** {rule.name} · {rule.severity.value}\n\n{docs}"

    # Gold

    def _named_section(self, place: GoldPlace) -> str:
        """What a label's section names."""
        document, name = place.document, self._escape(place.gold.heading)
        if document is None:
            return f"No document has the id “{self._escape(place.gold.doc_id)}”."
        chunked = self._facts.by_id[document.doc_id]
        if not name:
            return self.document(chunked)
        if not place.sections:
            return f"{self._escape(document.doc_id)} has no heading “{name}”."
        return "\n\n".join(self.section(chunked, section) for section in place.sections)

    def section(self, chunked: ChunkedDocument, section: Section) -> str:
        """A section's beginning, and its chunks."""
        key = chunked.document.path, section.heading_span
        if key not in self._sections:
            document = chunked.document
            body = shorten(section.body.of(document.text), _SECTION_WIDTH)
            heading = " › ".join(map(self._escape, section.path))
            chunks = chunks_by_heading(chunked).get(section.heading_span, [])
            lines = [f"**{self._escape(document.doc_id)}** › {heading} · line {self._line(document, section.span)}"]
            lines += [self._escape(body)] if body else ["No text of its own."]
            lines += [f"{count(len(chunks), 'chunk')}: {self._chunks(chunks)}"] if chunks else []
            self._sections[key] = "\n\n".join(lines)
        return self._sections[key]

    def document(self, chunked: ChunkedDocument) -> str:
        """A document in one line."""
        document = chunked.document
        title = f" · {self._escape(document.title)}" if document.title else ""
        return (
            f"**{self._escape(document.doc_id)}**{title} · {self._escape(document.status)}, "
            f"{self._escape(document.audience)} · {count(len(chunked.chunks), 'chunk')}"
        )

    def _evidence(self, place: GoldPlace) -> str:
        """Where the evidence stands, in which chunks, and whether one of them holds it whole."""
        document = place.document
        if document is None:
            return f"No document has the id “{self._escape(place.gold.doc_id)}”, so the evidence is nowhere."
        shown = place.in_section or place.matches
        if not shown:
            return f"{self._escape(document.doc_id)} does not hold these words."
        chunked = self._facts.by_id[document.doc_id]
        lines = [self._stands(document, match, chunked) for match in shown[:_MAX_OCCURRENCES]]
        if len(shown) > _MAX_OCCURRENCES:
            lines.append(f"and {count(len(shown) - _MAX_OCCURRENCES, 'more place')}")
        if not place.in_section and place.gold.heading:
            lines.append(f"Not under “{self._escape(place.gold.heading)}”, which the label names.")
        holders = set(place.holders)
        whole = [chunk for chunk in chunked.chunks if chunk.id in holders]
        lines.append(f"Whole in {self._chunks(whole)}." if whole else "Split: no chunk holds it whole.")
        return "\n\n".join(lines)

    def _stands(self, document: Document, match: Match, chunked: ChunkedDocument) -> str:
        section = section_at(document, match.span.start)
        under = f" under “{self._escape(section.heading)}”" if section and section.heading else ""
        exact = "" if match.verbatim else ", but for spelling of white space, typography or markup"
        touched = [chunk for chunk in chunked.chunks if chunk.location.span.overlaps(match.span)]
        return (
            f"In **{self._escape(document.doc_id)}**, line {self._line(document, match.span)}{under}{exact}; "
            f"chunks there: {self._chunks(touched) or 'none'}"
        )

    def _line(self, document: Document, span: Span) -> int:
        index = self._lines.get(document.path)
        if index is None:
            index = self._lines[document.path] = LineIndex(document.text)
        return index.line_of(span.start) + 1

    def _chunks(self, chunks: list[Chunk]) -> str:
        shown = [f"{self._link(chunk.id)} ({chunk.kind}, {len(chunk.text):,} chars)" for chunk in chunks[:_MAX_CHUNKS]]
        return ", ".join(shown) + (f" and {len(chunks) - _MAX_CHUNKS} more" if len(chunks) > _MAX_CHUNKS else "")

    # Front matter

    def _fields(self, chunked: ChunkedDocument) -> Iterator[tuple[Span, Callable[[], str]]]:
        for name, field in chunked.document.fields.items():
            span = Span(field.key_span.start, max(field.key_span.end, field.value_span.end))
            said = _FIELDS.get(name)
            if said is not None:
                yield span, partial(said, self, chunked.document, self._facts)

    def _id(self, document: Document, facts: Facts) -> str:
        labels = {mention.evaluation.label.id for mention in self._mentions().about.get(document.path, ())}
        named = f"{count(len(labels), 'label')} do" if len(labels) != 1 else "1 label does"
        return f"Labels name this page “{self._escape(document.doc_id)}#heading”; {named}."

    def _title(self, document: Document, facts: Facts) -> str:
        return "The title is read above each chunk's text when passages are embedded."

    def _version(self, document: Document, facts: Facts) -> str:
        return "The version is for people; which page is current is decided by `status` and `supersedes`."

    def _status(self, document: Document, facts: Facts) -> str:
        return self._in_scope("Status", document.status, facts.contract.scope.statuses)

    def _audience(self, document: Document, facts: Facts) -> str:
        return self._in_scope("Audience", document.audience, facts.contract.scope.audiences)

    def _lang(self, document: Document, facts: Facts) -> str:
        langs = facts.contract.scope.langs
        if langs is None:
            return f"Language “{self._escape(document.lang)}”: questions are asked of pages in all languages."
        return self._in_scope("Language", document.lang, langs)

    def _in_scope(self, what: str, value: str, scope: Iterable[str]) -> str:
        wanted = sorted(scope)
        listed = ", ".join(map(self._escape, wanted)) or "none"
        outcome = "is searched" if value in wanted else "is not searched"
        return f"{what} “{self._escape(value)}”: this page {outcome}. The scope is {listed}; a label may set its own."

    def _supersedes(self, document: Document, facts: Facts) -> str:
        lines = ["This page replaces:"]
        for older in document.supersedes:
            found = facts.by_id.get(older)
            state = "no document has that id" if found is None else f"status {self._escape(found.document.status)}"
            lines.append(f"- {self._escape(older)}: {state}")
        return "\n".join(lines) if document.supersedes else "This page replaces none."


_FIELDS: Mapping[str, Callable[[PlaceTexts, Document, Facts], str]] = {
    "id": PlaceTexts._id,
    "title": PlaceTexts._title,
    "version": PlaceTexts._version,
    "status": PlaceTexts._status,
    "audience": PlaceTexts._audience,
    "lang": PlaceTexts._lang,
    "supersedes": PlaceTexts._supersedes,
}
