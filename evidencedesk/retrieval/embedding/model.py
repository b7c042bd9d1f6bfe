"""What an embedding model is, and the models that ship. Invariant: a vector depends on its own text alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evidencedesk.retrieval.embedding import trigrams
from evidencedesk.retrieval.embedding.fixed_point import from_units, unit_steps
from evidencedesk.retrieval.embedding.word_ngrams import DIM, WordNgrams
from evidencedesk.text.word_lists import WordLists

# So many rows lie close to the processor while they are added up.
_BATCH = 64


@dataclass(frozen=True, slots=True)
class Model:
    """An embedding function and what must be known of it. Key: `name` (another function has another name).

    `embed` gives rows of any length for texts; `word_limit` is the number of words it reads of a text, None when it
    reads them all. `embed_words` gives the same rows for the words of texts, in a model that reads nothing else.
    """

    name: str
    dim: int
    word_limit: int | None
    embed: Callable[[Sequence[str]], NDArray[np.floating]] = field(compare=False)
    embed_words: Callable[[WordLists], NDArray[np.floating]] | None = field(default=None, compare=False)

    def embed_units(self, texts: Sequence[str]) -> NDArray[np.int16]:
        """Unit vectors in units of the grid of `fixed_point`, shape `(len(texts), dim)`; zeros for nothing to embed."""
        return unit_steps(self.embed(texts).reshape(len(texts), self.dim))

    def embed_word_units(self, texts: WordLists) -> NDArray[np.int16]:
        """The same for the words of any number of texts. Raises ValueError in a model that needs the texts."""
        if self.embed_words is None:
            raise ValueError(f"the model {self.name} reads texts, not words")
        count = len(texts.lengths)
        units = np.empty((count, self.dim), dtype=np.int16)
        for start in range(0, count, _BATCH):
            part = texts.slice(start, start + _BATCH)
            units[start : start + _BATCH] = unit_steps(self.embed_words(part))
        return units

    def embed_batch(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same vectors as numbers."""
        return from_units(self.embed_units(texts))

    @staticmethod
    def hashed() -> Model:
        """The default: character n-grams of 3 to 5 and whole words, hashed into 1,024 dimensions and weighted.

        Each call gives a model that has met no word yet: keep one, it becomes faster.
        """
        ngrams = WordNgrams()
        return Model("hashed-1", DIM, None, ngrams.embed, ngrams.embed_words)

    @staticmethod
    def toy() -> Model:
        """The workbench's own: hashed trigrams of the whole text, 256 dimensions."""
        return Model("toy-1", trigrams.DIM, None, trigrams.embed)
