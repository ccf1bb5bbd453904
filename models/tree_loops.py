"""The compiled loops of `ensemble` and `calibration`. Imports numba, so imported late.

Exponentials and logarithms are the C library's, a row at a time: numpy's differ in the last bit between the body and the tail of an array
on some processors, and a row would not get the same bits alone and in a batch.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from ..compiled import compiled

BLOCK = 256
"""Rows that go through the trees together: so many that what is known of them stays in the nearest cache."""
LEAVES = 15
"""Of a tree, in one word of 16 bits: without the lowest, whose slot is that of no bit at all."""
DE_BRUIJN, TO_SLOT = np.uint16(0x09AF), np.uint16(12)
"""The product of a single bit and the first has other four bits at the top for each of the 16: the slot of the leaf's value."""


@compiled
def score(table, words, out):
    """Fills out[row, member] with the sum of the leaves that a row reaches. words : `TreeEnsemble._words`."""
    first, first_condition, leaves, value, column, cut, if_left, if_right = words
    known = np.zeros((3 * table.shape[1], BLOCK), np.float32)
    left, total = np.zeros(BLOCK, np.uint16), np.zeros(BLOCK)
    for start in range(0, len(table), BLOCK):
        rows = min(BLOCK, len(table) - start)
        _columns(table[start : start + rows], known)
        for member in range(out.shape[1]):
            total[:] = 0.0
            for word in range(first[member], first[member + 1]):
                left[:] = leaves[word]
                for c in range(first_condition[word], first_condition[word + 1]):
                    # of the leaves that a row may still reach those on its side of a split; many rows at once
                    x, at, at_left, at_right = known[column[c]], cut[c], if_left[c], if_right[c]
                    for r in range(BLOCK):
                        left[r] &= at_right if x[r] > at else at_left
                # 0 where the leaf is in another word; an index that cannot be negative spares a check
                slots = value[word]
                for r in range(BLOCK):
                    total[r] += slots[np.uint64(numba.uint16(left[r] * DE_BRUIJN) >> TO_SLOT)]
            for r in range(rows):
                out[start + r, member] = total[r]


@compiled
def _columns(table, known):
    """known[3 * feature + way, row]. way : what NaN is, 0; minus infinity, with which a row goes left at any split; infinity."""
    for f in range(table.shape[1]):
        for r in range(len(table)):
            x, unknown = table[r, f], np.isnan(table[r, f])
            known[3 * f, r] = np.float32(0.0) if unknown else x
            known[3 * f + 1, r] = np.float32(-np.inf) if unknown else x
            known[3 * f + 2, r] = np.float32(np.inf) if unknown else x


@compiled
def shap(table, paths, nodes, weights, out):
    """Fills out[row, member, feature] with path-dependent SHAP values.

    A leaf of value v, whose path asks about some features, gives to feature i of them the integral over t from 0 to 1 of
    v (o_i - z_i) times the product over the other features j of t o_j + (1 - t) z_j. o : 1 where the row passes all that the path asks about
    the feature, else 0; z : the share of training rows that pass. It is a polynomial in t, so Gauss and Legendre's rule is exact.

    Parameters
    ----------
    paths : `TreeEnsemble._paths`.
    nodes, weights : float64[q], of the rule, for a degree one below the most features of a path.
    """
    first_leaf, first_feature, first_condition, value, feature, share, column, cut, right = paths
    known = np.zeros((3 * table.shape[1], BLOCK), np.float32)
    passes = np.zeros((table.shape[1], BLOCK), np.bool_)
    product, total = np.zeros(BLOCK), np.zeros((table.shape[1], BLOCK))
    for start in range(0, len(table), BLOCK):
        rows = min(BLOCK, len(table) - start)
        _columns(table[start : start + rows], known)
        for member in range(out.shape[1]):
            total[:] = 0.0
            for leaf in range(first_leaf[member], first_leaf[member + 1]):
                players = range(first_feature[leaf], first_feature[leaf + 1])
                for j in players:
                    own = passes[feature[j]]
                    own[:] = True
                    for c in range(first_condition[j], first_condition[j + 1]):
                        x, at, side = known[column[c]], cut[c], right[c]
                        for r in range(BLOCK):
                            own[r] &= (x[r] > at) == side
                for q in range(len(nodes)):
                    t = nodes[q]
                    product[:] = value[leaf] * weights[q]
                    for j in players:
                        failed, own = (1 - t) * share[j], passes[feature[j]]
                        for r in range(BLOCK):
                            product[r] *= failed + t if own[r] else failed
                    for j in players:  # (o - z) over the feature's own factor, which is in the product
                        z, own, gain = share[j], passes[feature[j]], total[feature[j]]
                        if_passed, if_failed = (1 - z) / ((1 - t) * z + t), -1 / (1 - t)
                        for r in range(BLOCK):
                            gain[r] += product[r] * (if_passed if own[r] else if_failed)
            for f in range(table.shape[1]):
                for r in range(rows):
                    out[start + r, member, f] = total[f, r]


@compiled
def sigmoid(raw, slope, intercept):
    """1 / (1 + exp(-(slope * raw + intercept))), float64[n]; the exponential is of a number <= 0, so it cannot overflow."""
    out = np.empty_like(raw)
    for row in range(len(raw)):
        z = slope * raw[row] + intercept
        e = math.exp(-abs(z))
        out[row] = (e if z < 0 else 1.0) / (1.0 + e)
    return out


@compiled
def log_ratio(match, other):
    """log(match / other), float64[n] of two float64[n] above 0."""
    out = np.empty_like(match)
    for row in range(len(match)):
        out[row] = math.log(match[row]) - math.log(other[row])
    return out
