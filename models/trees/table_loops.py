"""The compiled loops of `tables`. Imports numba, so imported late."""

from __future__ import annotations

import numpy as np

from ...compiled import compiled
from .codes import ZERO

BLOCK = 256
"""Rows that go through the parts together: so many that what is known of them stays in the nearest cache."""


@compiled
def look_up(
    table, cuts, cut_start, column_start, zero, nan, member_part, part_condition, full, column, cut, left, right,
    part_gain, output, place, values, out,
):  # fmt: skip
    """Fills out[row, member, output]; the arrays are those of `Codes` and `TreeTables`."""
    codes = np.zeros((len(zero) + 1, BLOCK), np.int16)
    pattern = np.zeros(BLOCK, np.uint16)
    total = np.zeros((out.shape[2], BLOCK))
    for start in range(0, len(table), BLOCK):
        rows = min(BLOCK, len(table) - start)
        _encode(table[start : start + rows], cuts, cut_start, column_start, zero, nan, codes)
        for member in range(len(member_part) - 1):
            total[:] = 0.0
            for part in range(member_part[member], member_part[member + 1]):
                pattern[:] = full[part]
                for c in range(part_condition[part], part_condition[part + 1]):
                    _narrow(pattern, codes[column[c]], cut[c], left[c], right[c])
                for gain in range(part_gain[part], part_gain[part + 1]):
                    own = total[output[gain]]
                    base = np.uint64(place[gain])  # an index that cannot be negative spares a check
                    for r in range(rows):
                        own[r] += values[base + np.uint64(pattern[r])]
            for o in range(out.shape[2]):
                for r in range(rows):
                    out[start + r, member, o] = total[o, r]


@compiled
def _encode(table, cuts, cut_start, column_start, zero, nan, codes):
    """codes[column, r] of each row. All rows take a step of the search together: alone, half the steps would be guessed wrongly."""
    below = np.empty(len(table), np.int64)
    for f in range(table.shape[1]):
        own = cuts[cut_start[f] : cut_start[f + 1]]
        if len(own) == 0:
            continue
        below[:] = 0
        size = len(own)
        while size > 1:
            half = size // 2
            for r in range(len(table)):
                below[r] += half if own[below[r] + half - 1] < table[r, f] else 0
            size -= half
        for r in range(len(table)):
            below[r] += own[below[r]] < table[r, f]
        for c in range(column_start[f], column_start[f + 1]):
            for r in range(len(table)):
                x = table[r, f]
                codes[c, r] = nan[c] if np.isnan(x) else zero[c] if abs(x) <= ZERO else below[r]


@compiled
def _narrow(pattern, codes, cut, left, right):
    """Leaves of each row's pattern what a condition leaves; all of the block, that the processor does many rows at once."""
    for r in range(BLOCK):
        pattern[r] &= right if codes[r] > cut else left


@compiled
def add_score(table, value, all_set, none_set):
    """Adds to table[pattern] the value of a leaf that patterns with all of `all_set` and none of `none_set` reach."""
    for pattern in range(len(table)):
        if pattern & all_set == all_set and pattern & none_set == 0:
            table[pattern] += value


@compiled
def add_shap(table, value, rows, share, all_set, none_set):
    """Adds to table[rows[i], pattern] the SHAP value that a leaf of this value gives to the i-th branch on its path."""
    count = len(rows)
    passes = np.zeros(count, np.bool_)
    sums = np.zeros(count + 1)
    for pattern in range(table.shape[1]):
        failed = value
        for i in range(count):
            passes[i] = pattern & all_set[i] == all_set[i] and pattern & none_set[i] == 0
            if not passes[i]:
                failed *= share[i]
        of_failed = _weight(share, passes, -1, sums)
        for i in range(count):
            if passes[i]:
                table[rows[i], pattern] += (1.0 - share[i]) * failed * _weight(share, passes, i, sums)
            else:
                table[rows[i], pattern] -= failed * of_failed


@compiled
def _weight(share, passes, without, sums):
    """Sum over the sets S of passed branches but `without`: |S|! (count - 1 - |S|)! / count! x the shares of the passed ones not in S.

    sums[s] : of the products of shares over all sets of s branches that are in S, the polynomial's coefficients.
    """
    count = len(share)
    sums[0] = 1.0
    degree = 0
    for i in range(count):
        if passes[i] and i != without:
            sums[degree + 1] = sums[degree]
            for s in range(degree, 0, -1):
                sums[s] = sums[s] * share[i] + sums[s - 1]
            sums[0] *= share[i]
            degree += 1
    weight = 1.0 / count
    total = 0.0
    for s in range(degree + 1):
        total += sums[s] * weight
        weight *= (s + 1) / max(count - 1 - s, 1)
    return total
