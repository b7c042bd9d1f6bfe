"""What labels are written with: sections, evidence, tags, keys. Invariant: offered gold is found where it is named."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from evidencedesk.documents.document import Document, Section
from evidencedesk.documents.sentences import sentences
from evidencedesk.retrieval.evidence import split_section
from evidencedesk.retrieval.facts import ChunkedDocument
from evidencedesk.retrieval.label_writing import LabelLayout, layout_of, next_id
from evidencedesk.retrieval.places import reference, section_at
from evidencedesk.text.normal import find_all, fold
from evidencedesk.text.spans import LineIndex, Span
from evidencedesk_server.readings.completions.items import (
    FIELD,
    FOLDER_LIKE,
    LIMIT,
    REFERENCE,
    SNIPPET,
    TEXT,
    VALUE,
    Item,
    rule_items,
)
from evidencedesk_server.readings.matching import NO_MATCH, quality
from evidencedesk_server.readings.state import State
from evidencedesk_server.verdicts import count, shorten

_SHOWN = 160
_LABEL_NAMES = ("label", "question", "golden", "queries")
_MAX_CONTINUED = 3
_SEARCHED, _MAX_SEARCHED = 3, 20
_BLANK_LINE = re.compile(r"(?:\r\n|\r(?!\n)|\n)[ \t]*[\r\n]")


def holds_labels(state: State, path: str) -> bool:
    """Whether a file is a label file, or looks from its name as if it were to become one."""
    name = path.rpartition("/")[2].lower()
    return path in state.snapshot.facts.label_files or any(word in name for word in _LABEL_NAMES)


# Gold


def _sections(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """Documents, and after a `#` the headings of the one before it; headings of all by their words too.

    Where no name fits, the sections whose text holds what is typed.
    """
    by_id = state.snapshot.facts.by_id
    doc_id = split_section(typed, by_id)
    if "#" in typed and doc_id in by_id:
        return list(_headings(by_id[doc_id], typed))
    wanted = typed.casefold()
    documents = sorted(_likely(state), key=lambda chunked: _document_fit(wanted, chunked.document))
    items = [_document(chunked) for chunked in documents if _document_fit(wanted, chunked.document) < NO_MATCH]
    if len(items) < LIMIT and len(wanted) > 1:
        fitting = ((chunked, wanted) for chunked in documents)
        items += (item for chunked, words in fitting for item in _headings_with(chunked, words))
    if not items and len(wanted) >= _SEARCHED:
        items = list(islice((item for chunked in documents for item in _sections_with(chunked, typed)), _MAX_SEARCHED))
    return items[:LIMIT]


def _likely(state: State) -> list[ChunkedDocument]:
    """All documents: those that are current and that many labels speak of come first."""
    about = state.mentions.about
    statuses = state.config.scope.statuses
    return sorted(
        state.snapshot.facts.by_id.values(),
        key=lambda chunked: (
            chunked.document.status not in statuses,
            -len(about.get(chunked.document.path, ())),
            chunked.document.path,
        ),
    )


def _document_fit(wanted: str, document: Document) -> int:
    return min(quality(wanted, document.doc_id.casefold()), quality(wanted, document.title.casefold()))


def _document(chunked: ChunkedDocument) -> Item:
    document = chunked.document
    return Item(
        document.doc_id,
        document.doc_id,
        FOLDER_LIKE,
        " · ".join(filter(None, (document.title, document.status))),
        explain=("document", document.doc_id),
        chosen=True,
    )


def _headings(chunked: ChunkedDocument, typed: str) -> Iterator[Item]:
    """The headings of a document that fit, the better first."""
    wanted = typed[len(chunked.document.doc_id) + 1 :].casefold()
    headed = [section for section in chunked.document.sections if section.heading]
    rated = [(quality(wanted, section.anchor.casefold()) if wanted else 0, section) for section in headed]
    rated.sort(key=lambda one: one[0])
    return (_section(chunked.document, section) for fit, section in rated if fit < NO_MATCH)


def _headings_with(chunked: ChunkedDocument, wanted: str) -> Iterator[Item]:
    for section in chunked.document.sections:
        if section.heading and wanted in section.heading.casefold():
            yield _section(chunked.document, section)


def _sections_with(chunked: ChunkedDocument, words: str) -> Iterator[Item]:
    document = chunked.document
    pattern = re.compile(re.escape(words.strip()), re.IGNORECASE)
    body = document.sections[0].span.start if document.sections else len(document.text)
    found = (section_at(document, match.start()) for match in pattern.finditer(document.text, body))
    for section in dict.fromkeys(section for section in found if section is not None and section.heading):
        yield replace(_section(document, section), detail="holds these words")


def _section(document: Document, section: Section) -> Item:
    named = reference(document, section)
    above = " › ".join(section.path[:-1])
    return Item(named, named, REFERENCE, above, explain=("section", named), chosen=True)


def _evidence(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """What goes on from the typed words in their place, then the sentences of the section that hold them."""
    (section,) = more
    chunked = state.snapshot.facts.by_id.get(split_section(section, state.snapshot.facts.by_id))
    if chunked is None:
        return []
    document = chunked.document
    heading = section[len(document.doc_id) + 1 :]
    named = document.sections_named(heading) if heading else ()
    bodies = [one.body for one in named] or [one.body for one in document.sections]
    all_sentences = [span for body in bodies for span in sentences(document, body)]
    lines = LineIndex(document.text)
    spans = [*_continued(document, bodies, all_sentences, typed), *_holding(document, all_sentences, typed)]
    return [
        Item(
            shorten(span.of(document.text), _SHOWN),
            span.of(document.text),
            TEXT,
            f"line {lines.line_of(span.start) + 1}",
            chosen=True,
        )
        for span in _distinct(document.text, spans)
    ][:LIMIT]


def _continued(document: Document, bodies: list[Span], all_sentences: list[Span], typed: str) -> Iterator[Span]:
    """From where the typed words stand to the end of their sentence, and of the ones that follow on it."""
    # A single word is mostly looked for, not begun with.
    if " " not in fold(typed):
        return
    for body in bodies:
        for match in find_all(body.of(document.text), typed.strip()):
            start, end = body.start + match.span.start, body.start + match.span.end
            for stop in islice(_ends_after(document.text, all_sentences, end), _MAX_CONTINUED):
                yield Span(start, stop)


def _ends_after(text: str, all_sentences: list[Span], offset: int) -> Iterator[int]:
    """Where the sentence ends that goes on at `offset`, and those that only white space parts from it."""
    last = None
    for span in all_sentences:
        if span.end > offset:
            between = text[offset if last is None else last : span.start]
            if between.strip() or _BLANK_LINE.search(between):
                return
            yield (last := span.end)


def _holding(document: Document, all_sentences: list[Span], typed: str) -> list[Span]:
    """The sentences with the typed words in a row, then those that have all of them."""
    wanted = fold(typed)
    words = wanted.split()
    folded = [(span, fold(span.of(document.text))) for span in all_sentences]
    whole = [span for span, text in folded if wanted in text]
    return whole + [span for span, text in folded if wanted not in text and all(word in text for word in words)]


def _distinct(text: str, spans: list[Span]) -> Iterator[Span]:
    """The first span of equal words; those that hold none are left out."""
    seen: set[str] = {""}
    for span in spans:
        words = fold(span.of(text))
        if words not in seen:
            seen.add(words)
            yield span


# Other values


def _ids(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    free = _next_id(state, path)
    return [Item(free, free, VALUE, "the next free id", chosen=not typed)]


def _next_id(state: State, path: str) -> str:
    files = state.snapshot.facts.label_files
    everywhere = [entry.label.id for file in files.values() for entry in file.entries]
    own = [entry.label.id for entry in files[path].entries] if path in files else []
    return next_id(own or everywhere, set(everywhere))


def _tags(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """Tags in use, the frequent first; not the one that is being typed, when it is the only one of its kind."""
    used = Counter(tag for source in state.snapshot.label_sources for tag in source.label.tags)
    if used[typed] == 1:
        del used[typed]
    return [Item(tag, tag, VALUE, count(number, "label")) for tag, number in used.most_common() if tag not in more]


def _grades(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    return [
        Item("2", "2", VALUE, "holds the whole answer", bare=True),
        Item("1", "1", VALUE, "holds a part of the answer", bare=True),
    ]


def _answerable(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    return [
        Item("false", "false", VALUE, "no page answers this: nothing should be found", bare=True),
        Item("true", "true", VALUE, "the gold says where (the default)", bare=True),
    ]


def _groups(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    return [Item(group, group, VALUE, "needed together with the others of this group") for group in more]


def _codes(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """Rule codes, those that are reported at this very label first."""
    label_id, *already = more
    evaluation = state.snapshot.evaluations.get(label_id)
    reported: Counter[str] = Counter()
    if evaluation is not None and evaluation.source.path == path:
        span = evaluation.source.span
        reported.update(problem.code for problem in state.problems.get(path, ()) if span.contains(problem.span))
    return rule_items(reported, already, "for this label")


def _scope_values(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    which, *already = more
    documents = state.snapshot.documents
    values = {
        "statuses": (document.status for document in documents),
        "audiences": (document.audience for document in documents),
        "langs": (document.lang for document in documents),
    }
    used = Counter(value for value in values[which] if value and value not in already)
    return [Item(value, value, VALUE, count(number, "document")) for value, number in used.most_common()]


# Keys, and whole entries

_EMPTY = '""'
_KEYS: Mapping[str, tuple[tuple[str, str, str], ...]] = {
    "label": (
        ("id", "Names the label in reports and baselines; unique in all files.", '"$1"'),
        ("question", "As a reader would ask it.", '"$1"'),
        ("gold", "Where the answer stands.", '[{"section": "$1", "evidence": "$2"}]'),
        ("answerable", "`false` for a question that no page answers.", "${1:false}"),
        ("tags", "Groups of questions that figures are told apart by.", '["$1"]'),
        ("reason", "A note on why the question is here.", '"$1"'),
        ("ignore", "Codes of rules that say nothing about this label.", '["$1"]'),
        ("scope", "Which documents this question is asked of; the configured ones unless given.", '{"$1": ["$2"]}'),
        ("alternatives", "Other gold, each entry of which stands for the whole answer, or for the group that it names.",
         '[{"section": "$1", "evidence": "$2"}]'),
    ),
    "gold": (
        ("section", "A document's id, `#`, and a heading.", '"$1"'),
        ("evidence", "The exact words that answer the question.", '"$1"'),
        ("grade", "2: the whole answer; 1: a part of it.", "${1:2}"),
        ("group", "Gold of one group is needed together.", '"$1"'),
    ),
    "scope": (
        ("statuses", "The statuses a document may have.", '["$1"]'),
        ("audiences", "The audiences a document may be for.", '["$1"]'),
        ("langs", "The languages a document may be in.", '["$1"]'),
    ),
}  # fmt: skip


def _keys(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """The keys that are missing in an object of this kind."""
    role, *present = more
    return [
        Item(key, key, FIELD, docs=docs, snippet=value.replace("$1", _next_id(state, path)) if key == "id" else value)
        for key, docs, value in _KEYS[role]
        if key not in present
    ]


def _gold_entry(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    text = '{"section": "", "evidence": ""}'
    return [
        Item(
            "gold entry",
            text,
            SNIPPET,
            "section and evidence",
            bare=True,
            snippet='{"section": "$1", "evidence": "$2"}',
            chosen=typed.startswith("{") or not typed,
        )
    ]


def _whole_label(state: State, path: str, typed: str, more: tuple[str, ...]) -> list[Item]:
    """A label, and one without an answer, with an id of their own and laid out as the file's."""
    (in_list,) = more
    file = state.snapshot.facts.label_files.get(path)
    layout = layout_of(path, file.text) if file is not None else layout_of(path, "")
    new = _next_id(state, path)
    gold = [{"section": "", "evidence": ""}]
    kinds = (
        ("new label", "a question and where its answer stands", {"id": new, "question": "", "gold": gold}),
        ("new unanswerable label", "a question that no page answers", {"id": new, "question": "", "answerable": False}),
    )
    return [_label_item(layout, name, detail, label, path, in_list) for name, detail, label in kinds]


def _label_item(
    layout: LabelLayout, name: str, detail: str, label: Mapping[str, object], path: str, in_list: str
) -> Item:
    written, from_margin = layout.written(label), replace(layout, base="").written(label)
    if not in_list and not path.lower().endswith(".jsonl"):
        written = from_margin = f"[{layout.line_end}{layout.base}{written}{layout.line_end}]"
    title = f"{name} ({label['id']})"
    return Item(title, written, SNIPPET, detail, bare=True, snippet=_tab_stops(from_margin), chosen=True)


def _tab_stops(written: str) -> str:
    """A snippet with a place to go to in each empty text."""
    pieces = written.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}").split(_EMPTY)
    return pieces[0] + "".join(f'"${number}"{piece}' for number, piece in enumerate(pieces[1:], start=1))


LABEL_KINDS: Mapping[str, Callable[[State, str, str, tuple[str, ...]], list[Item]]] = {
    "section": _sections,
    "evidence": _evidence,
    "id": _ids,
    "tags": _tags,
    "grade": _grades,
    "answerable": _answerable,
    "group": _groups,
    "label-codes": _codes,
    "scope-values": _scope_values,
    "keys": _keys,
    "gold-entry": _gold_entry,
    "label": _whole_label,
}
