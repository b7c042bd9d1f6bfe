"""ED206 near-duplicate-chunk. Invariant: the message shows what differs; equal texts belong to duplicate-chunk."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from evidencedesk.retrieval.facts import Facts, SimilarChunks
from evidencedesk.retrieval.places import chunk_of, quoted, start_of
from evidencedesk.rule import Related, Severity, Share, Tag, Violation, rule
from evidencedesk.text.words import words

_MAX_RELATED = 5


def _on_pages(
    paths: tuple[str, ...],
    members: Sequence[tuple[SimilarChunks, _Likeness]],
    facts: Facts,
) -> Iterator[Violation]:
    """All passages that the same pages nearly share, at the first of them."""
    # Pages that share whole chunks are told as copies; there, texts that only begin or end elsewhere are no news.
    told = [likeness for passage, likeness in members if likeness.reworded or not passage.copied]
    if not told:
        return
    shown, *rest = sorted(told, key=lambda likeness: not likeness.reworded)
    first, other = chunk_of(facts, shown.first), chunk_of(facts, shown.others[0])
    values = {
        "other": "another place of this page" if other.path == first.path else other.path,
        "difference": shown.difference,
        "more": len(rest),
    }
    places = [(name, "nearly the same text") for name in shown.others[:_MAX_RELATED]]
    places += [(likeness.first, "nearly repeated as well") for likeness in rest[:_MAX_RELATED]]
    related = tuple(Related(*start_of(facts, chunk_of(facts, name)), said) for name, said in places)
    message = "passages" if rest else ""
    severity = Severity.HINT if other.path == first.path else None
    yield Violation(*start_of(facts, first), values, "\n".join(paths), related, severity, message)


@rule(
    code="ED206",
    stage="context",
    failure="duplicate_chunks",
    severity=Severity.INFORMATION,
    message="this text is nearly the same as in {other}: {difference}",
    messages={"passages": "this text and {more} more on this page are nearly the same as in {other}: {difference}"},
    tags=(Tag.UNNECESSARY,),
    join=_on_pages,
)
def near_duplicate_chunk(subject: SimilarChunks, facts: Facts) -> Iterator[Share]:
    """Two chunks that one search can return say nearly the same.

    Compared are overlapping runs of words; texts with different numbers are never twins, nor are texts under eight
    words or pages outside the scope. Within one page, where steps and examples resemble each other with reason, it is a
    hint only.

    ## Why it matters

    Near copies take two places in the results for one answer, and mostly one of them is the older wording: which one a
    reader gets is chance.

    ## Example

    ```markdown title="road.md"
    # Road bicycles

    Before it leaves our workshop, every single bicycle is checked, adjusted and ridden for a few minutes by one of our
    mechanics, so that you can ride it straight away when it arrives at your door.
    ```

    ```markdown title="mountain.md"
    # Mountain bicycles

    Before it leaves our workshop, every single bicycle is checked, adjusted and ridden for a few minutes by one of our
    mechanics, so that you can ride it straight away when it arrives at your house.
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "paragraph"
    ```

    ## How to fix

    Decide which wording holds, keep it in one place and link to it.

    ## Repaired

    ```markdown title="mountain.md"
    # Mountain bicycles

    Mountain bicycles have wide tyres and a fork with a spring.
    ```
    """
    yield Share(subject.paths, _compare(subject.ids, facts))


@dataclass(frozen=True, slots=True)
class _Likeness:
    """A passage: its first chunk, the others, the first difference in words, and whether more than the ends differ."""

    first: str
    others: tuple[str, ...]
    difference: str
    reworded: bool


def _compare(ids: Sequence[str], facts: Facts) -> _Likeness:
    """The first chunk of a passage beside the next one that has other words, which then leads the others."""
    first, *others = ids
    keys: dict[str, str] = {}
    here = _words(chunk_of(facts, first).text, keys)
    texts = ((name, _words(chunk_of(facts, name).text, keys)) for name in others)
    other, there = next(((name, text) for name, text in texts if text.keys != here.keys), (others[0], here))
    changes = [
        change
        for change in SequenceMatcher(None, here.keys, there.keys, autojunk=False).get_opcodes()
        if change[0] != "equal"
    ]
    ends = {(0, 0), (len(here.keys), len(there.keys))}
    reworded = [(tag, a, b, c, d) for tag, a, b, c, d in changes if tag == "replace" or not {(a, c), (b, d)} & ends]
    others.sort(key=lambda name: name != other)
    for _, a, b, c, d in (reworded or changes)[:1]:
        mine, theirs = (quoted(" ".join(part), 40) for part in (here.written[a:b], there.written[c:d]))
        difference = (
            f"“{mine}” here, “{theirs}” there"
            if mine and theirs
            else f"only {'here' if mine else 'there'} “{mine or theirs}”"
        )
        return _Likeness(first, tuple(others), difference, bool(reworded))
    return _Likeness(first, tuple(others), "only punctuation differs", False)


class _Words(NamedTuple):
    """The words of a text as written, and as they are compared: without punctuation and case."""

    written: list[str]
    keys: list[str]


def _words(text: str, keys: dict[str, str]) -> _Words:
    """The words of a text; `keys` remembers how each is compared."""
    written = text.split()
    for word in set(written) - keys.keys():
        keys[word] = " ".join(words(word))
    pairs = [(word, key) for word in written if (key := keys[word])]
    return _Words([word for word, _ in pairs], [key for _, key in pairs])
