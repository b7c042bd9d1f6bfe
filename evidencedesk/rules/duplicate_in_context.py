"""ED402 duplicate-in-context. Invariant: two chunks are duplicates when their folded text is the same."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from evidencedesk.retrieval.candidates import Candidate
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts
from evidencedesk.retrieval.places import answers, named, question_of, rank_of, start_of
from evidencedesk.rule import Related, Severity, Violation, asked_by, rule
from evidencedesk.text.normal import fold


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
)
def duplicate_in_context(subject: Facts, facts: Facts) -> Iterator[Violation]:
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
    harmless: dict[tuple[str, str], list[Evaluation]] = defaultdict(list)
    for evaluation in facts.evaluations.values():
        twins = _first_twins(evaluation)
        if twins is None:
            continue
        if _cost_answer(evaluation):
            yield _violation(twins, [evaluation], facts, Severity.WARNING, "cost")
        elif "ED402" in evaluation.label.ignore:
            yield _violation(twins, [evaluation], facts, Severity.HINT, "")
        else:
            first, second = sorted(found.chunk.id for found in twins)
            harmless[first, second].append(evaluation)
    for evaluations in harmless.values():
        if twins := _first_twins(evaluations[0]):
            yield _violation(twins, evaluations, facts, Severity.HINT, "several" if len(evaluations) > 1 else "")


def _violation(
    twins: tuple[Candidate, Candidate], asked: Sequence[Evaluation], facts: Facts, severity: Severity, message: str
) -> Violation:
    first, second = twins
    values = {
        "first": named(first.chunk),
        "rank": first.rank,
        "second": named(second.chunk),
        "second_rank": second.rank,
        "more": len(asked) - 1,
    }
    related = tuple(Related(*start_of(facts, one.chunk), f"rank {one.rank}") for one in twins)
    return Violation(
        *question_of(asked[0]), values, asked[0].label.id, (*related, *asked_by(asked[1:])), severity, message
    )


def _first_twins(evaluation: Evaluation) -> tuple[Candidate, Candidate] | None:
    if not any(finding.label == "duplicate_chunks" for finding in evaluation.findings):
        return None
    seen: dict[str, Candidate] = {}
    for found in evaluation.trace.context:
        earlier = seen.setdefault(fold(found.chunk.text), found)
        if earlier is not found:
            return earlier, found
    return None


def _cost_answer(subject: Evaluation) -> bool:
    """Whether the answer comes below the top k, and into it when each text counts once."""
    ranking, k = subject.found.rankings[subject.contract.searcher], subject.contract.k
    rank = rank_of(ranking, answers(subject))
    if rank is None or rank <= k or subject.contract.floor is not None:
        return False
    return len({fold(chunk.text) for chunk in ranking[:rank]}) <= k
