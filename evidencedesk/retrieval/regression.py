"""What became worse for a question since an earlier state. Invariant: at most one regression, the worst."""

from __future__ import annotations

from typing import Literal

from evidencedesk.retrieval.evaluation import Evaluation, Standing

Regression = Literal["newly-split", "lost-answer", "rank-regression"]


def regression(evaluation: Evaluation, before: Standing | None) -> Regression | None:
    """How `evaluation` fell behind `before`; None when it did not, or when there is nothing to compare.

    A split answer explains a lost one and a lost answer its rank, so the first that holds is the one to tell.
    """
    now = evaluation.standing
    if before is None or not evaluation.label.answerable:
        return None
    if before.whole and not now.whole:
        return "newly-split"
    if (before.rank is not None and now.rank is None) or (before.in_context and not now.in_context):
        return "lost-answer"
    if before.rank is not None and now.rank is not None and now.rank > before.rank:
        return "rank-regression"
    return None
