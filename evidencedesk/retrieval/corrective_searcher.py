"""Corrective retrieval as a searcher. Invariant: the same question over the same chunks gets the same rounds.

Nothing here asks a language model: the grader compares words, and the rewrite knows synonyms and rare words only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evidencedesk.retrieval.candidates import Candidate, RankedList
from evidencedesk.retrieval.corrective import (
    CorrectionResult,
    CorrectionRound,
    CorrectiveRetrieval,
    FusionPolicy,
    Verdict,
)
from evidencedesk.retrieval.fusion import K
from evidencedesk.retrieval.grading import Grader, GradeResult
from evidencedesk.retrieval.searchers import Allowed, LexicalSearcher, Searcher
from evidencedesk.text.words import words


@dataclass(frozen=True, slots=True)
class WordRewrite:
    """Another wording of a query: with its synonyms, else without the rarest word that nothing found so far holds.

    A word is held by a chunk that covers any of it, as `lexical` sees it; of equally rare words the first is dropped.
    The order of the words is kept. `phrases` gives what means the same as something in a query.
    """

    lexical: LexicalSearcher
    phrases: Callable[[str], Sequence[str]] = lambda query: ()

    def __call__(self, query: str, rounds: Sequence[CorrectionRound]) -> str | None:
        """The next wording after these rounds; None when there is none."""
        asked = rounds[-1].query
        said = set(words(asked))
        new = [phrase for phrase in self.phrases(query) if not said.issuperset(words(phrase))]
        if new and len(rounds) == 1:
            return " ".join([query, *new])
        found = [hit.chunk for one in rounds for hit in one.hits if isinstance(hit, Candidate)]
        kept = words(asked)
        missing = [
            word
            for word in dict.fromkeys(kept)
            if self.lexical.rarity(word) and not any(self.lexical.coverage(word, chunk) for chunk in found)
        ]
        if not missing:
            return None
        dropped = max(missing, key=self.lexical.rarity)
        return " ".join(word for word in kept if word != dropped) or None


class CorrectiveSearcher:
    """A searcher that lets `policy` judge, and correct, what `first` finds: nothing is better than a wrong answer.

    The policy's grader sees the first `k` hits of a round, those that would enter the prompt, however many are asked
    for.
    """

    name = "corrective"

    def __init__(
        self,
        first: Searcher,
        grader: Grader,
        rewrite: WordRewrite,
        *,
        k: int,
        max_rounds: int = 2,
        rrf_k: int = K,
    ) -> None:
        self.first = first
        self.policy = CorrectiveRetrieval(
            grader=_OfTop(grader, k), rewrite=rewrite, max_rounds=max_rounds, fusion=FusionPolicy(rrf_k)
        )

    def search(self, query: str, k: int = 5, allowed: Allowed = None) -> RankedList:
        """See Searcher. Nothing when the policy abstains."""
        return list(self._corrected(self.first, query, k, allowed).hits[: max(k, 0)])

    def search_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[RankedList]:
        """See Searcher."""
        return [list(result.hits[: max(k, 0)]) for result in self.correct_many(queries, k, allowed)]

    def correct_many(self, queries: Sequence[str], k: int = 5, allowed: Allowed = None) -> list[CorrectionResult]:
        """What became of each query, with its rounds."""
        usable = [query for query in queries if query.strip()]
        known = dict(zip(usable, self.first.search_many(usable, k, allowed), strict=True))
        index = _Known(self.first, known)
        return [self._corrected(index, query, k, allowed) for query in queries]

    def _corrected(self, index: Searcher | _Known, query: str, k: int, allowed: Allowed) -> CorrectionResult:
        if not query.strip():
            return CorrectionResult(query, Verdict.ABSTAINED, (), ())
        return self.policy.run(index, query, k=k, allowed=allowed)


@dataclass(frozen=True, slots=True)
class _OfTop:
    """A grader that looks at the first `k` hits only."""

    grader: Grader
    k: int

    def grade(self, query: str, hits: Sequence[Any]) -> GradeResult:
        return self.grader.grade(query, hits[: self.k])


@dataclass(frozen=True, slots=True)
class _Known:
    """A searcher some of whose answers are known."""

    searcher: Searcher
    known: Mapping[str, RankedList]

    def search(self, query: str, k: int, allowed: Allowed) -> RankedList:
        found = self.known.get(query)
        return self.searcher.search_many([query], k, allowed)[0] if found is None else found
