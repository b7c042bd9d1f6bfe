"""How a question fares, in the words of hovers, lenses and outlines. Invariant: one wording for one state."""

from __future__ import annotations

from evidencedesk.reports.figures import answer_rank
from evidencedesk.retrieval.evaluation import Evaluation
from evidencedesk.retrieval.facts import Facts


def verdict(evaluation: Evaluation, facts: Facts) -> str:
    """What became of the question, and what it was before if that differs."""
    standing = evaluation.standing
    if not evaluation.label.answerable:
        kept = len(evaluation.trace.context)
        return f"no answer exists; {kept} in the prompt" if kept else "no answer exists, and none is given"
    if standing.rank is None:
        said = "the answer is not found"
        if not standing.whole:
            # Of several gold entries some may be held whole.
            held = any(place.holders for place in evaluation.places)
            said = f"{said}, and a part of it is split" if held else "the answer is split: no chunk holds it whole"
    else:
        said = f"the answer is at rank {standing.rank}"
        if not standing.in_context:
            said += ", but is dropped before the prompt"
    before = facts.before.get(evaluation.label.id)
    if before is not None and before.rank != standing.rank:
        was = f"rank {before.rank}" if before.rank is not None else "not found"
        said += f" ({facts.before_name}: {was})"
    return said


def change_mark(evaluation: Evaluation, facts: Facts) -> str:
    """`▲ ` when the answer stands better than before, `▼ ` when it stands worse, else nothing."""
    before, now = facts.before.get(evaluation.label.id), evaluation.standing.rank
    if before is None or before.rank == now or not evaluation.label.answerable:
        return ""
    return "▲ " if before.rank is None or (now is not None and now < before.rank) else "▼ "


def answer_ranks(evaluation: Evaluation, absent: str) -> str:
    """The rank of the answer for each searcher; `absent` stands where it has none."""
    ranks = ((name, answer_rank(evaluation, name)) for name in evaluation.rankings)
    return " · ".join(f"{name} {rank if rank is not None else absent}" for name, rank in ranks)


def count(number: int, noun: str) -> str:
    """`1 chunk`, `1,200 chunks`."""
    return f"{number:,} {noun if number == 1 else noun + 's'}"


def shorten(question: str, width: int = 90) -> str:
    """A question on one line of at most so many characters."""
    question = " ".join(question.split())
    return question if len(question) <= width else question[: width - 1] + "…"
