"""ED306 unfindable-section. Invariant: needs no labels; the query is the page's own title and heading."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import named, start_of
from evidencedesk.rule import Related, Severity, Violation, rule


@rule(
    code="ED306",
    stage="retrieval",
    failure="missed_evidence",
    severity=Severity.INFORMATION,
    message="a search for “{query}”, this section's own title and heading, does not find it: rank 1 is {winner}",
    messages={"nothing": "a search for “{query}”, this section's own title and heading, finds nothing"},
)
def unfindable_section(subject: Facts, facts: Facts) -> Iterator[Violation]:
    """A search for a section's own title and heading does not bring the section into the top k.

    ## Why it matters

    The easiest question about a section is its heading. When even that does not lead there, its text does not say what
    it is about, or other pages say it louder; no reader's question will do better. No labels are needed to see it.

    ## Example

    ```markdown title="pump.md"
    # Pump

    ## Cleaning

    Wipe it with a dry cloth.

    ## Warranty

    Cleaning the pump with oil ends the warranty of the pump.
    ```

    ```toml title="evidencedesk.toml"
    [chunking]
    strategy = "section"

    [retrieval]
    searcher = "sparse"
    k = 1
    ```

    ## How to fix

    Name the subject in the section's first sentence instead of "it" and "this". Where another page has nearly the same
    heading, make the two headings say how they differ.

    ## Repaired

    ```markdown title="pump.md"
    # Pump

    ## Cleaning

    For cleaning the pump, wipe the pump with a dry cloth.

    ## Warranty

    Oil ends the warranty of the pump.
    ```
    """
    for unfindable in facts.unfindable:
        document = facts.documents[unfindable.path].document
        section = next(section for section in document.sections if section.anchor == unfindable.anchor)
        values = {"query": unfindable.query}
        if not unfindable.winners:
            yield Violation(document.path, section.heading_span, values, section.anchor, message="nothing")
            continue
        winner = facts.catalog.by_id[unfindable.winners[0]]
        values["winner"] = named(winner)
        related = (Related(*start_of(facts, winner), "rank 1 instead"),)
        yield Violation(document.path, section.heading_span, values, section.anchor, related)
