"""What else labels are written with: ids, tags, keys, whole labels. Invariant: offered values pass the schema."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace

from evidencedesk.retrieval.label_writing import LabelLayout, layout_of, next_id
from evidencedesk_server.readings.completions.gold import evidence_items, section_items
from evidencedesk_server.readings.completions.items import FIELD, SNIPPET, VALUE, Item, rule_items
from evidencedesk_server.readings.state import State
from evidencedesk_server.verdicts import count

_LABEL_NAMES = ("label", "question", "golden", "queries")


def holds_labels(state: State, path: str) -> bool:
    """Whether a file is a label file, or looks from its name as if it were to become one."""
    name = path.rpartition("/")[2].lower()
    return path in state.snapshot.facts.label_files or any(word in name for word in _LABEL_NAMES)


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
    "section": section_items,
    "evidence": evidence_items,
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
