"""ED206 near-duplicate-chunk. Invariant: the message shows what differs; equal texts belong to duplicate-chunk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import SequenceMatcher

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import quoted, start_of
from evidencedesk.retrieval.repeats import repeats
from evidencedesk.retrieval.twins import NearTwin
from evidencedesk.rule import Related, Severity, Violation, rule

_MAX_RELATED = 5


@rule(
    code="ED206",
    stage="context",
    failure="duplicate_chunks",
    severity=Severity.INFORMATION,
    message="this text is nearly the same as in {other}: {difference}",
    messages={"passages": "this text and {more} more on this page are nearly the same as in {other}: {difference}"},
)
def near_duplicate_chunk(subject: Facts, facts: Facts) -> Iterator[Violation]:
    """Two chunks that one search can return say nearly the same.

    Compared are overlapping runs of words; texts with different numbers are never twins, nor are texts under eight
    words or pages outside the scope.

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
    for repeat in repeats(_clusters(subject.twins.near), subject):
        first, *others = repeat.passages[0]
        other = next((chunk for chunk in others if chunk.text.split() != first.text.split()), None)
        if other is None:
            continue
        here = [passage[0] for passage in repeat.passages[1:]]
        values = {
            "other": "the same page" if other.path == first.path else other.path,
            "difference": _difference(first, other),
            "more": len(here),
        }
        related = [Related(*start_of(subject, chunk), "nearly the same text") for chunk in others[:_MAX_RELATED]]
        related += [Related(*start_of(subject, chunk), "nearly repeated as well") for chunk in here[:_MAX_RELATED]]
        path, span = start_of(subject, first)
        message = "passages" if here else ""
        yield Violation(path, span, values, "\n".join(repeat.paths), tuple(related), message=message)


def _clusters(pairs: Iterable[NearTwin]) -> list[list[str]]:
    """Chunk ids that hang together by near twins, in the order in which the pairs name them."""
    cluster: dict[str, list[str]] = {}
    for pair in pairs:
        one, other = cluster.setdefault(pair.first, [pair.first]), cluster.setdefault(pair.second, [pair.second])
        if one is not other:
            one += other
            cluster.update(dict.fromkeys(other, one))
    return list({id(members): members for members in cluster.values()}.values())


def _difference(one: Chunk, other: Chunk) -> str:
    """The first run of words that differs, on both sides."""
    here, there = one.text.split(), other.text.split()
    for tag, a, b, c, d in SequenceMatcher(None, here, there, autojunk=False).get_opcodes():
        if tag != "equal":
            mine, theirs = quoted(" ".join(here[a:b]), 40), quoted(" ".join(there[c:d]), 40)
            return (
                f"“{mine}” here, {f'“{theirs}”' if theirs else 'nothing'} there"
                if mine
                else f"“{theirs}” is added there"
            )
    return "only white space differs"
