"""ED206 near-duplicate-chunk. Invariant: the message shows what differs; equal texts belong to duplicate-chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import NamedTuple

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import quoted, start_of
from evidencedesk.retrieval.repeats import repeats
from evidencedesk.retrieval.twins import NearTwin
from evidencedesk.rule import Related, Severity, Tag, Violation, rule
from evidencedesk.text.words import words

_MAX_RELATED = 5


@rule(
    code="ED206",
    stage="context",
    failure="duplicate_chunks",
    severity=Severity.INFORMATION,
    message="this text is nearly the same as in {other}: {difference}",
    messages={"passages": "this text and {more} more on this page are nearly the same as in {other}: {difference}"},
    tags=(Tag.UNNECESSARY,),
)
def near_duplicate_chunk(subject: Facts, facts: Facts) -> Iterator[Violation]:
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
    copies = {repeat.paths for repeat in repeats(subject.twins.equal, subject)}
    for repeat in repeats(_clusters(subject.twins.near), subject):
        compared = [_compare(passage) for passage in repeat.passages]
        # Pages that share whole chunks are told as copies; there, texts that only begin or end elsewhere are no news.
        told = [pair for pair in compared if pair.reworded or repeat.paths not in copies]
        if not told:
            continue
        shown, *rest = sorted(told, key=lambda pair: not pair.reworded)
        first, other = shown.first, shown.others[0]
        values = {
            "other": "another place of this page" if other.path == first.path else other.path,
            "difference": shown.difference,
            "more": len(rest),
        }
        related = [Related(*start_of(subject, chunk), "nearly the same text") for chunk in shown.others[:_MAX_RELATED]]
        related += [Related(*start_of(subject, pair.first), "nearly repeated as well") for pair in rest[:_MAX_RELATED]]
        message = "passages" if rest else ""
        severity = Severity.HINT if other.path == first.path else None
        yield Violation(*start_of(subject, first), values, "\n".join(repeat.paths), tuple(related), severity, message)


def _clusters(pairs: Iterable[NearTwin]) -> list[list[str]]:
    """Chunk ids that hang together by near twins, in the order in which the pairs name them."""
    cluster: dict[str, list[str]] = {}
    for pair in pairs:
        one, other = cluster.setdefault(pair.first, [pair.first]), cluster.setdefault(pair.second, [pair.second])
        if one is not other:
            one += other
            cluster.update(dict.fromkeys(other, one))
    return list({id(members): members for members in cluster.values()}.values())


@dataclass(frozen=True, slots=True)
class _Likeness:
    """A passage: its first chunk, the others, the first difference in words, and whether more than the ends differ."""

    first: Chunk
    others: tuple[Chunk, ...]
    difference: str
    reworded: bool


def _compare(passage: Sequence[Chunk]) -> _Likeness:
    """The first chunk of a passage beside the next one that has other words, which then leads the others."""
    first, *others = passage
    here = _words(first.text)
    other = next((chunk for chunk in others if _words(chunk.text).keys != here.keys), others[0])
    there = _words(other.text)
    changes = [
        change
        for change in SequenceMatcher(None, here.keys, there.keys, autojunk=False).get_opcodes()
        if change[0] != "equal"
    ]
    ends = {(0, 0), (len(here.keys), len(there.keys))}
    reworded = [(tag, a, b, c, d) for tag, a, b, c, d in changes if tag == "replace" or not {(a, c), (b, d)} & ends]
    others.sort(key=lambda chunk: chunk is not other)
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


def _words(text: str) -> _Words:
    pairs = [(word, key) for word in text.split() if (key := " ".join(words(word)))]
    return _Words([word for word, _ in pairs], [key for _, key in pairs])
