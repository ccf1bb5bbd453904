"""Unit vectors at four and at eight bits a dimension, with what the rounding cost: small enough to be read for each query.

A sketch is a multiple of whole levels: from -8 to 7, or from -127 to 127. By Cauchy and Schwarz the inner product with a query
differs from the sketch's by at most the length of the error times that of the query, so a search that reads sketches first
leaves out no entry that could be among the nearest: of 58,797 names of ICD-10-CM all are read at four bits, about 300 of them at
eight, and about 30 in full.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LANES = 16
"""Entries that are compared at once; they form a block."""
_PER_WORD = 4
"""Dimensions of one entry that lie in two neighbouring bytes."""
_STEPS = (0.335, 0.5)
"""Of 16 levels, in standard deviations: the least squared error for normally distributed numbers (Max 1960, table II), and what
suits rows with a few large numbers; the better one is taken."""
_SPARE = 1e-5
"""Share of the lengths that covers the rounding of all sums in float32, up to 2^13 dimensions."""
_FINEST = 127
_ROWS_AT_ONCE = 16 * LANES


class Sketch(NamedTuple):
    """The sketches of n vectors of d dimensions, in blocks of 16; w = ceil(d / 4).

    codes : uint8[blocks, w, 32]. Byte 2 i + p of word j holds, of the block's entry i, level + 8 of the dimension 4 j + p in its
    lower half and of 4 j + 2 + p in its upper half.
    steps : float32[16 blocks], what a level is worth. errors : float32[16 blocks], the length of what the sketch leaves out.
    most : float64[2], the greatest length of an entry's levels, and of an entry.
    fine : int8[n, d], levels at eight bits. fine_steps, fine_errors : float32[n], as `steps` and `errors`.
    """

    codes: NDArray[np.uint8]
    steps: NDArray[np.float32]
    errors: NDArray[np.float32]
    most: NDArray[np.float64]
    fine: NDArray[np.int8]
    fine_steps: NDArray[np.float32]
    fine_errors: NDArray[np.float32]

    @classmethod
    def of(cls, vectors: NDArray[np.float32]) -> Sketch:
        """vectors : float32[n, d], finite."""
        n, d = vectors.shape
        blocks, words = -(-n // LANES), -(-d // _PER_WORD)
        codes = np.empty((blocks, words, 2 * LANES), np.uint8)
        steps, errors = np.zeros((2, blocks * LANES), np.float32)
        most = np.zeros(2)
        fine = np.empty((n, d), np.int8)
        fine_steps, fine_errors = np.empty((2, n), np.float32)
        for start in range(0, n, _ROWS_AT_ONCE):
            exact = vectors[start : start + _ROWS_AT_ONCE].astype(np.float64)
            levels, step, error = _rounded(exact)
            end = start + len(exact)
            lengths = np.sqrt(np.square(exact).sum(1))
            steps[start:end], errors[start:end] = step, error + _SPARE * lengths
            fine[start:end], fine_steps[start:end], error = _finely_rounded(exact)
            fine_errors[start:end] = error + _SPARE * lengths
            most = np.maximum(most, [np.sqrt(np.square(levels).sum(1).max()), lengths.max()])
            codes[start // LANES : -(-end // LANES)] = _packed(levels, words)
        return cls(codes, steps, errors, most, fine, fine_steps, fine_errors)


def _rounded(exact: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Levels, the step that fits them best, and the length of the error, for each row."""
    deviation = np.sqrt(np.square(exact).mean(1))
    best = None
    for step in _STEPS:
        levels = np.clip(np.rint(exact / np.where(deviation > 0, step * deviation, 1)[:, None]), -8, 7)
        fitted, error = _fitted(exact, levels)
        if best is None:
            best = levels, fitted, error
            continue
        better = error < best[2]
        for kept, new in zip(best, (levels, fitted, error), strict=True):
            kept[better] = new[better]
    assert best is not None
    return best


def _finely_rounded(exact: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    peak = np.abs(exact).max(axis=1, initial=0)
    levels = np.rint(exact * (_FINEST / np.where(peak > 0, peak, 1))[:, None])
    return levels, *_fitted(exact, levels)


def _fitted(exact: NDArray[np.float64], levels: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The step that fits best, and the length of what is then left out."""
    squares = np.square(levels).sum(1)
    # What is stored is float32, so the error is that of the rounded step.
    step = ((exact * levels).sum(1) / np.where(squares > 0, squares, 1)).astype(np.float32).astype(np.float64)
    return step, np.sqrt(np.square(exact - levels * step[:, None]).sum(1))


def _packed(levels: NDArray[np.float64], words: int) -> NDArray[np.uint8]:
    """uint8[blocks, words, 32]; what fills up the last block and the last word is level 0."""
    n, d = levels.shape
    blocks = -(-n // LANES)
    filled = np.full((blocks * LANES, words * _PER_WORD), 8, np.uint8)
    filled[:n, :d] = levels + 8
    halves = filled.reshape(blocks, LANES, words, 2, 2)
    low, high = halves[:, :, :, 0], halves[:, :, :, 1]
    return (
        (low | high << np.uint8(4)).astype(np.uint8, copy=False).transpose(0, 2, 1, 3).reshape(blocks, words, 2 * LANES)
    )
