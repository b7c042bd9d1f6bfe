"""ED205 duplicate-chunk. Invariant: one problem for all that a set of pages shares; a copied page is told as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evidencedesk.retrieval.facts import EqualChunks, EqualPages, Facts
from evidencedesk.retrieval.places import chunk_of, listed, start_of
from evidencedesk.retrieval.repeats import copies_of
from evidencedesk.rule import Related, Severity, Share, Tag, Violation, rule

_MAX_RELATED = 5


def _on_pages(paths: tuple[str, ...], members: Sequence[tuple[EqualChunks, None]], facts: Facts) -> Iterator[Violation]:
    """All passages that the same pages share, at the first of them."""
    (first, *copies), *rest = (group.ids for group, _ in members)
    everywhere = len(paths) > max(4, len(facts.documents) // 2)
    message = "same-page" if len(paths) == 1 else "boilerplate" if everywhere else "passages" if rest else ""
    values = {
        "others": listed(paths[1:], 2),
        "more": len(rest),
        "count": len(paths) if everywhere else len(copies) + 1,
        "all": len(facts.documents),
        "passages": tuple(group.ids for group, _ in members) if len(paths) < 3 else (),
    }
    places = [(name, "the same text") for name in copies[:_MAX_RELATED]]
    places += [(ids[0], "repeated as well") for ids in rest[:_MAX_RELATED]]
    related = tuple(Related(*start_of(facts, chunk_of(facts, name)), said) for name, said in places)
    # Tabs and repeated steps have their reason within one page.
    severity = Severity.HINT if len(paths) == 1 else Severity.WARNING if len(copies) >= facts.contract.k - 1 else None
    yield Violation(*start_of(facts, chunk_of(facts, first)), values, "\n".join(paths), related, severity, message)


@rule(
    code="ED205",
    stage="context",
    failure="duplicate_chunks",
    severity=Severity.INFORMATION,
    message="this text stands in {others} as well; a search returns every copy",
    messages={
        "passages": "this text and {more} more on this page stand in {others} as well; a search returns every copy",
        "same-page": "this text stands on this page {count} times; a search returns every copy",
        "boilerplate": "this text stands on {count} of {all} pages; a search returns copy after copy of it",
        "page": "this page has the same text as {others}; a search returns every copy",
    },
    tags=(Tag.UNNECESSARY,),
    join=_on_pages,
)
def duplicate_chunk(subject: EqualChunks | EqualPages, facts: Facts) -> Iterator[Violation | Share]:
    """The same text stands in several chunks that one search can return.

    It is a warning where a whole page is a copy, or where the copies can fill all k places of a result; copies on one
    page are a hint only. Texts under eight words and documents outside the scope (superseded pages, for example) do not
    count. What the same pages share is one problem; each page whose whole text stands in another gets one at its top.

    ## Why it matters

    Copies rank next to each other and push other answers out of the results. With five places, three copies leave room
    for two more.

    ## Example

    ```markdown title="road.md"
    # Road bicycles

    Every bicycle is checked and adjusted in our workshop before it leaves.

    Road bicycles weigh between seven and nine kilograms.
    ```

    ```markdown title="mountain.md"
    # Mountain bicycles

    Every bicycle is checked and adjusted in our workshop before it leaves.

    Mountain bicycles have wide tyres and a fork with a spring.
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "paragraph"
    ```

    ## How to fix

    Keep the text in one place and link to it. Mark older copies with `status: superseded`.

    ## Repaired

    ```markdown title="mountain.md"
    # Mountain bicycles

    Mountain bicycles have wide tyres and a fork with a spring.
    ```
    """
    if isinstance(subject, EqualChunks):
        yield Share(subject.paths)
        return
    copies = copies_of(subject, facts)
    others = [page for page in copies if page.path != subject.path]
    for copy in copies:
        if copy.path == subject.path:
            related = tuple(Related(page.path, page.top(), "the same text") for page in others[:_MAX_RELATED])
            values = {"others": listed([page.path for page in others], 2)}
            yield Violation(copy.path, copy.top(), values, copy.path, related, Severity.WARNING, "page")
