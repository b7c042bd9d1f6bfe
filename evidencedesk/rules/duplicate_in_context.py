"""ED402 duplicate-in-context. Invariant: two chunks are duplicates when their folded text is the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evidencedesk.retrieval.chunk import Chunk
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import answers, named, question_of, rank_of, start_of
from evidencedesk.rule import Related, Severity, Share, Violation, asked_by, rule
from evidencedesk.text.normal import fold


def _harmless(key: object, members: Sequence[tuple[Evaluation, None]], facts: Facts) -> Iterator[Violation]:
    """Questions whose prompts hold the same two texts, told once at the first of them."""
    evaluations = [evaluation for evaluation, _ in members]
    if twins := _first_twins(evaluations[0]):
        yield _violation(twins, evaluations, facts, Severity.HINT, "several" if len(evaluations) > 1 else "")


@rule(
    code="ED402",
    stage="context",
    failure="duplicate_chunks",
    severity=Severity.HINT,
    message="the prompt holds the same text twice: {first} at rank {rank} and {second} at rank {second_rank}",
    messages={
        "cost": "the prompt holds the same text twice: {first} at rank {rank} and {second} at rank {second_rank}; "
        "without such copies the answer would be in the prompt",
        "several": "the prompts of this question and {more} more hold the same text twice: {first} and {second}",
    },
    join=_harmless,
)
def duplicate_in_context(subject: Evaluation, facts: Facts) -> Iterator[Violation | Share]:
    """Two chunks with the same text reach the prompt together.

    It is a hint, once for all questions that get the same two, and a warning at each question whose answer would reach
    the prompt if each text came only once. It stands at the question: the rule duplicate-chunk reports the copies in
    their pages.

    ## Why it matters

    The copy tells the model nothing new and costs one of k places, tokens, and the weight that repetition carries.

    ## Example

    ```markdown title="returns.md"
    # Returns

    You can return a bike within 30 days.
    ```

    ```markdown title="faq.md"
    # Questions

    You can return a bike within 30 days.
    ```

    ```json title="labels.json"
    [{"id": "q1", "question": "How long can I return a bike?",
      "gold": [{"section": "returns#Returns", "evidence": "within 30 days", "grade": 2}]}]
    ```

    ## How to fix

    Keep the text in one page and link to it from the other, or remove duplicates between search and prompt.

    ## Repaired

    ```markdown title="faq.md"
    # Questions

    See the page about returns.
    ```
    """
    twins = _first_twins(subject)
    if twins is None:
        return
    if _cost_answer(subject):
        yield _violation(twins, [subject], facts, Severity.WARNING, "cost")
    elif "ED402" in subject.label.ignore:
        yield _violation(twins, [subject], facts, Severity.HINT, "")
    else:
        yield Share(tuple(sorted(chunk.id for _, chunk in twins)))


_Ranked = tuple[int, Chunk]


def _violation(
    twins: tuple[_Ranked, _Ranked], asked: Sequence[Evaluation], facts: Facts, severity: Severity, message: str
) -> Violation:
    (rank, first), (second_rank, second) = twins
    values = {
        "first": named(first),
        "rank": rank,
        "second": named(second),
        "second_rank": second_rank,
        "more": len(asked) - 1,
    }
    related = tuple(Related(*start_of(facts, chunk), f"rank {rank}") for rank, chunk in twins)
    return Violation(
        *question_of(asked[0]), values, asked[0].label.id, (*related, *asked_by(asked[1:])), severity, message
    )


def _first_twins(evaluation: Evaluation) -> tuple[_Ranked, _Ranked] | None:
    """The first two chunks of the prompt that say the same, with their ranks."""
    if not any(finding.label == "duplicate_chunks" for finding in evaluation.findings):
        return None
    ranks = {chunk.id: rank for rank, chunk in enumerate(evaluation.top, start=1)}
    seen: dict[str, Chunk] = {}
    for chunk in evaluation.found.context:
        earlier = seen.setdefault(fold(chunk.text), chunk)
        if earlier is not chunk:
            return (ranks[earlier.id], earlier), (ranks[chunk.id], chunk)
    return None


def _cost_answer(subject: Evaluation) -> bool:
    """Whether the answer comes below the top k, and into it when each text counts once."""
    ranking, k = subject.found.rankings[subject.contract.searcher], subject.contract.k
    rank = rank_of(ranking, answers(subject))
    if rank is None or rank <= k or subject.contract.floor is not None:
        return False
    return len({fold(chunk.text) for chunk in ranking[:rank]}) <= k
