"""Unit vectors on a grid. Invariant: any dot product of two of them has the same bits however it is computed.

Elements are multiples of 2^-11 in float32. A product of two is then a multiple of 2^-22, and by Cauchy and Schwarz no
sum of such products exceeds the product of the two lengths, each at most 1 + sqrt(dim) · 2^-12 after rounding: less
than 2 for any dim up to 65,536. A multiple of 2^-22 below 2 needs 23 bits and float32 has 24, so no addition is ever
rounded: neither the batch, nor the BLAS, nor the order of the sum can show.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

QUANTUM = 2.0**-11


def unit_steps(vectors: NDArray[np.floating]) -> NDArray[np.int16]:
    """Rows scaled to length 1 and rounded to the grid, as whole multiples of QUANTUM.

    A row without a direction (zeros, NaN, infinity) is zeros. `vectors` has shape (n, dim). Whole numbers below 2^20
    give the same bits on every machine.
    """
    exact = np.ascontiguousarray(vectors, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact))
    unusable = ~(np.isfinite(lengths) & (lengths > 0))
    if unusable.any():
        exact = np.where(unusable[:, None], 0, exact)
        lengths[unusable] = 1
    steps = exact / (lengths * QUANTUM)[:, None]
    whole: NDArray[np.int16] = np.rint(steps, out=steps).astype(np.int16)
    return whole


def from_units(units: NDArray[np.int16]) -> NDArray[np.float32]:
    """Whole multiples of QUANTUM as numbers: the same values in twice the memory."""
    rows = units.astype(np.float32)
    rows *= np.float32(QUANTUM)
    return rows


def unit_rows(vectors: NDArray[np.floating]) -> NDArray[np.float32]:
    """The numbers that `unit_steps` stand for."""
    return from_units(unit_steps(vectors))
