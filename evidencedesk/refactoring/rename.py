"""New names for headings, documents and labels. Invariant: what named the old one names the new one, or it is refused.

A rename that would leave a label with two sections to choose from, or an id taken, is refused with the reason.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from evidencedesk.documents.document import Document, Section
from evidencedesk.documents.frontmatter import FieldMap
from evidencedesk.documents.links import anchors, find_links, resolve, slug
from evidencedesk.documents.markdown import parse_document
from evidencedesk.refactoring.edits import Edits, Refused, front_matter_text, gathered, json_string
from evidencedesk.refactoring.follow import NewNames, follow, superseded
from evidencedesk.retrieval.evaluation import GoldPlace
from evidencedesk.retrieval.evidence import split_section
from evidencedesk.retrieval.label_file import LabelSource
from evidencedesk.retrieval.labels import Gold
from evidencedesk.retrieval.places import listed
from evidencedesk.text.json_strings import part_of_string
from evidencedesk.text.spans import Span, TextEdit, apply_edits
from evidencedesk.workspace.snapshot import Snapshot

_ATX = re.compile(r"[ \t]{0,3}#{1,6}[ \t]*")
_ATX_END = re.compile(r"(?:[ \t]+#+)?[ \t]*\Z")
_EXPLICIT_ID = re.compile(r"[ \t]*\{(?:[#.:][^{}]*|/\*[^{}]*\*/)\}[ \t]*\Z")
_UNDERLINE = re.compile(r"(?:\r\n|\r|\n)[ \t]{0,3}(?:=+|-+)[ \t]*\Z")
_LINE_BREAK = re.compile(r"[\r\n]")

NOTHING_HERE = Refused(
    "Only headings, the id of a document in its front matter, and the id of a label can be renamed here."
)


@dataclass(frozen=True, slots=True)
class HeadingName:
    """A heading: `span` is where the cursor is, `written` the heading's text in its document, without marks and id."""

    span: Span
    text: str
    document: Document
    section: Section


@dataclass(frozen=True, slots=True)
class DocumentName:
    """A document's id, written in its front matter."""

    span: Span
    text: str
    document: Document


@dataclass(frozen=True, slots=True)
class LabelName:
    """A label's id."""

    span: Span
    text: str
    source: LabelSource


Name = HeadingName | DocumentName | LabelName


def name_at(snapshot: Snapshot, path: str, offset: int) -> Name | Refused:
    """What can be renamed at an offset of a file: `span` is the name there, `text` what it is now."""
    chunked = snapshot.facts.documents.get(path)
    if chunked is not None:
        return _in_document(snapshot, chunked.document, offset)
    file = snapshot.facts.label_files.get(path)
    for source in file.entries if file else ():
        if not (source.span.start <= offset <= source.span.end):
            continue
        written = source.spans.get("id")
        if written is not None and _touches(written, offset):
            own = part_of_string(file.text, written, Span(0, len(source.label.id))) if file else written
            return LabelName(own, source.label.id, source)
        for number, gold in enumerate(source.label.gold):
            span = source.spans.get(f"gold[{number}].section")
            if file is not None and span is not None and _touches(span, offset):
                return _in_section_value(snapshot, file.text, span, offset, source, number, gold)
    return NOTHING_HERE


def rename(snapshot: Snapshot, name: Name, new: str) -> Edits | Refused:
    """The edits that give something a new name everywhere, or why it cannot have that name."""
    if _LINE_BREAK.search(new) or not new.strip():
        return Refused("A name is one line of text.")
    new = new.strip()
    if isinstance(name, HeadingName):
        return _rename_heading(snapshot, name, new)
    if new == name.text:
        return {}
    if isinstance(name, DocumentName):
        return _rename_document(snapshot, name.document, new)
    return _rename_label(snapshot, name.source, new)


def heading_text(document: Document, section: Section) -> Span:
    """The Markdown of a heading, without its marks, underline and explicit id."""
    text, (start, end) = document.text, section.heading_span
    mark = _ATX.match(text, start, end)
    if mark and mark.end() > start and text[start:end].lstrip().startswith("#"):
        start = mark.end()
        end = start + len(_ATX_END.sub("", text[start:end]))
    elif underline := _UNDERLINE.search(text[start:end]):
        end = start + underline.start()
    inner = _EXPLICIT_ID.sub("", text[start:end])
    start += len(inner) - len(inner.lstrip())
    return Span(start, start + len(inner.strip()))


# What stands at a place


def _in_document(snapshot: Snapshot, document: Document, offset: int) -> Name | Refused:
    for section in document.sections:
        if section.level and _touches(section.heading_span, offset):
            span = heading_text(document, section)
            return HeadingName(span, span.of(document.text), document, section)
    written = document.fields.get("id")
    if written is not None and _touches(written.value_span, offset):
        return _document_name(document, _unquoted(document.text, written.value_span))
    for older, span in superseded(document):
        if _touches(span, offset) and (chunked := snapshot.facts.by_id.get(older)):
            return _document_name(chunked.document, span)
    return NOTHING_HERE


def _in_section_value(
    snapshot: Snapshot, text: str, span: Span, offset: int, source: LabelSource, number: int, gold: Gold
) -> Name | Refused:
    doc_id = split_section(gold.section, snapshot.facts.by_id)
    chunked = snapshot.facts.by_id.get(doc_id)
    if chunked is None:
        return Refused(f"No document has the id “{doc_id}”, so there is nothing to rename.")
    own = part_of_string(text, span, Span(0, len(doc_id)))
    if offset <= own.end:
        return _document_name(chunked.document, own)
    heading = gold.section[len(doc_id) + 1 :]
    sections = chunked.document.sections_named(heading)
    evaluation = snapshot.evaluations.get(source.label.id)
    if len(sections) > 1 and evaluation is not None and evaluation.source == source:
        place = evaluation.places[number]
        sections = tuple(section for section in sections if _holds(place, section))
    if len(sections) != 1 or not sections[0].level:
        return Refused(f"“{heading}” does not tell one heading of {doc_id}; rename it where it stands.")
    part = part_of_string(text, span, Span(len(doc_id) + 1, len(gold.section)))
    written = heading_text(chunked.document, sections[0]).of(chunked.document.text)
    return HeadingName(part, written, chunked.document, sections[0])


def _document_name(document: Document, span: Span) -> DocumentName | Refused:
    written = document.fields.get("id")
    if written is None:
        return Refused(f"The id of {document.path} is its path. Rename the file, and what names it follows.")
    if str(written.value) != document.doc_id:
        return Refused(f"The id “{document.doc_id}” is written otherwise in {document.path}; change it there by hand.")
    return DocumentName(span, document.doc_id, document)


# Headings


def _rename_heading(snapshot: Snapshot, name: HeadingName, new: str) -> Edits | Refused:
    before, at = name.document, name.document.sections.index(name.section)
    edit = TextEdit(heading_text(before, name.section), new)
    text = apply_edits(before.text, [edit])
    if text == before.text:
        return {}
    after = parse_document(before.path, text)
    if not _same_but(before, after, at):
        return Refused(f"“{new}” would not read as the text of a heading there.")
    moved = _new_headings(snapshot, before, after)
    if isinstance(moved, Refused):
        return moved

    def heading(doc_id: str, gold: Gold) -> str:
        own = gold.section[len(doc_id) + 1 :]
        return moved.get((own, gold.evidence), own) if doc_id == before.doc_id else own

    names = NewNames(heading=heading)
    edits = [(before.path, edit), *follow(snapshot, names), *_fragments(snapshot, before, after)]
    return gathered(edits)


def _same_but(before: Document, after: Document, at: int) -> bool:
    """Whether a renamed page has the same sections and blocks; only heading `at` may have another text, but some."""
    outline = [[(section.heading, section.level) for section in page.sections] for page in (before, after)]
    for headings in outline:
        if at < len(headings):
            headings[at] = ("", headings[at][1])
    same = outline[0] == outline[1] and len(before.blocks) == len(after.blocks)
    return same and bool(after.sections[at].heading)


def _new_headings(snapshot: Snapshot, before: Document, after: Document) -> dict[tuple[str, str], str] | Refused:
    """(heading, evidence) of gold in the page → what the heading is called now; refused where that would be unclear."""
    moved: dict[tuple[str, str], str] = {}
    unclear: list[str] = []
    for evaluation in snapshot.evaluations.values():
        for place in evaluation.places:
            if (
                place.document is None
                or place.document.path != before.path
                or not place.gold.heading
                or not place.sections
            ):
                continue
            known = place.sections
            if len(known) > 1:
                known = tuple(section for section in known if _holds(place, section))
            if len(known) != 1:
                continue
            number = before.sections.index(known[0])
            now = after.sections[number].anchor
            # An unchanged name, in whatever spelling, stays as it is written.
            if after.sections_named(place.gold.heading) != (after.sections[number],):
                moved[place.gold.heading, place.gold.evidence] = now
            if len(place.sections) == 1 and len(after.sections_named(now)) > 1:
                unclear.append(evaluation.label.id)
    if unclear:
        labels = listed(list(dict.fromkeys(unclear)))
        return Refused(f"Another heading of {before.path} has that name; labels ({labels}) could not tell them apart.")
    return moved


def _holds(place: GoldPlace, section: Section) -> bool:
    return any(section.span.contains(match.span) for match in place.in_section)


def _fragments(snapshot: Snapshot, before: Document, after: Document) -> Iterator[tuple[str, TextEdit]]:
    """Links to headings of the page, in all pages, by which their fragments follow."""
    now = {number: anchor for anchor, number in anchors(after).items()}
    changed = {old: now[number] for old, number in anchors(before).items() if now.get(number, old) != old}
    for document in snapshot.documents if changed else ():
        if not any(old in document.text.lower() or quote(old) in document.text for old in changed):
            continue
        for link in find_links(document):
            new = changed.get(link.fragment) or changed.get(slug(link.fragment))
            if new is None or link.fragment_span is None:
                continue
            if resolve(link.path, document.path, snapshot.facts.documents.get) == before.path:
                escaped = "%" in link.fragment_span.of(document.text)
                yield document.path, TextEdit(link.fragment_span, quote(new) if escaped else new)


# Documents and labels


def _rename_document(snapshot: Snapshot, document: Document, new: str) -> Edits | Refused:
    if "#" in new:
        return Refused("An id with a “#” could not be told from a heading in labels.")
    taken = snapshot.facts.by_id.get(new)
    if taken is not None:
        return Refused(f"The id “{new}” is taken: {taken.document.path} has it.")
    written = document.fields["id"]
    for other in snapshot.documents:
        if document.doc_id in other.supersedes and document.doc_id not in dict(superseded(other)):
            return Refused(f"{other.path} supersedes this page in a way that cannot be followed; change it by hand.")
    own = document.path, front_matter_text(document.text, written.value_span, new)
    key = written.key_span.of(document.text).strip("\"'")
    after = parse_document(document.path, apply_edits(document.text, [own[1]]), FieldMap({"id": key}))
    if after.doc_id != new:
        return Refused(f"“{new}” would not read as an id in the front matter of {document.path}.")
    first = snapshot.facts.by_id.get(document.doc_id)
    # Where files share an id, everything that names it means the first of them.
    names = NewNames({document.doc_id: new} if first is not None and first.document.path == document.path else {})
    return gathered([own, *follow(snapshot, names)])


def _rename_label(snapshot: Snapshot, source: LabelSource, new: str) -> Edits | Refused:
    for other in snapshot.label_sources:
        if other.label.id == new:
            return Refused(f"The id “{new}” is taken: {other.path} has a label of that name.")
    evaluation = snapshot.evaluations.get(source.label.id)
    own = source.path, TextEdit(source.spans["id"], json_string(new))
    evaluated = evaluation is not None and evaluation.source == source
    names = NewNames(labels={source.label.id: new} if evaluated else {})
    return gathered([own, *follow(snapshot, names)])


def _unquoted(text: str, span: Span) -> Span:
    inner = span.of(text)
    quoted = len(inner) > 1 and inner[0] == inner[-1] and inner[0] in "\"'"
    return Span(span.start + 1, span.end - 1) if quoted else span


def _touches(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end
