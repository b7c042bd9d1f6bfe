"""ED306 unfindable-section. Invariant: needs no labels; the query is the page's own title and heading."""

from __future__ import annotations

from collections.abc import Iterator

from evidencedesk.retrieval.facts import Facts, UnfindablePage
from evidencedesk.retrieval.places import chunk_of, found_beside, listed, named, quoted, start_of
from evidencedesk.rule import Related, Severity, Violation, rule

_SINGLY = 3


@rule(
    code="ED306",
    stage="retrieval",
    failure="missed_evidence",
    severity=Severity.INFORMATION,
    message="a search for “{query}”, this section's own title and heading, does not find it; its words find {winner}",
    messages={
        "part": "a search for “{query}”, this section's own title and heading, finds other sections under "
        "this title instead, such as {winner}",
        "several": "{count} sections of this page are not found by its title and their headings: {headings}",
    },
)
def unfindable_section(subject: UnfindablePage, facts: Facts) -> Iterator[Violation]:
    """A search for a section's own title and heading does not bring the section into the top k.

    Neither do its words, nor vectors, nor the fusion of both, nor the configured searcher. By vectors a section
    competes with all of its page and with what the words bring: where k of these are nearer, it is not found in the
    whole folder either. It is information where the words bring nothing of the page, and a hint where they bring
    another part of it, or of a page with the same title. A page with more than three such sections gets one problem
    that lists them. Another version or translation with the same title and heading counts as the section; headings
    that many pages have ("Parameters", "See also") are not tried.

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
    path, found = subject
    document = facts.documents[path].document
    spans = {section.anchor: section.heading_span for section in document.sections}
    if len(found) > _SINGLY:
        values = {"count": len(found), "headings": listed([f"“{quoted(one.anchor, 40)}”" for one in found])}
        related = tuple(Related(path, spans[one.anchor], f"not found by “{one.query}”") for one in found[1:])
        is_beside = all(found_beside(one, facts) is not None for one in found)
        severity = Severity.HINT if is_beside else Severity.INFORMATION
        yield Violation(path, spans[found[0].anchor], values, document.doc_id, related, severity, "several")
        return
    for one in found:
        beside = found_beside(one, facts)
        shown = [chunk_of(facts, winner) for winner in ([beside] if beside is not None else one.winners[:1])]
        values = {"query": one.query, "winner": named(shown[0]) if shown else "nothing"}
        related = tuple(Related(*start_of(facts, chunk), "what its words find") for chunk in shown)
        severity, message = (Severity.HINT, "part") if beside is not None else (Severity.INFORMATION, "")
        yield Violation(path, spans[one.anchor], values, one.anchor, related, severity, message)
