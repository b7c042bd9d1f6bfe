"""Hashed trigrams of the whole text. Invariant: every n-gram counts 1 or -1, whatever it is."""

from __future__ import annotations

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

DIM = 256
N = 3


def embed(texts: Sequence[str], dim: int = DIM, n: int = N) -> NDArray[np.float64]:
    """Sums of signs, shape `(len(texts), dim)`.

    A text is lower-cased, its white space collapsed, and given a space on each side; an n-gram adds 1 if bit 31 of
    the CRC-32 of its UTF-8 is set, else -1, to the bucket `crc % dim`.
    """
    rows = np.zeros((len(texts), dim))
    for row, text in zip(rows, texts, strict=True):
        padded = f" {' '.join(text.lower().split())} "
        for start in range(len(padded) - n + 1):
            code = zlib.crc32(padded[start : start + n].encode("utf-8", "surrogatepass"))
            row[code % dim] += 1.0 if code >> 31 else -1.0
    return rows
