"""Loops over rows with an exponential or a logarithm in them, which the C library computes here one row at a time.

numpy's differ in the last bit between the body and the tail of an array on some processors; so a row would not get the same
bits alone and in a batch. Imports numba, so imported late.
"""

from __future__ import annotations

import math

import numpy as np

from ..compiled import compiled

_SURE = 700.0
"""Beyond it exp(-x) is nearly the least float64; so neither p nor 1 - p is ever 0."""


@compiled
def exponentials(z):
    """exp(z), float64[n] of z <= 0."""
    out = np.empty_like(z)
    for row in range(len(z)):
        out[row] = math.exp(z[row])
    return out


@compiled
def _sides(raw, weight):
    """weight * p and weight * (1 - p), for p = 1 / (1 + exp(-raw)), each from an exponential of a number from -700 to 0."""
    e = math.exp(max(-abs(raw), -_SURE))
    likelier, other = weight / (1.0 + e), weight * e / (1.0 + e)
    return (likelier, other) if raw >= 0 else (other, likelier)


@compiled
def mean_probability(raw, weights):
    """log(sum w p / sum w (1 - p)), float64[n] of raw float64[n, members]."""
    out = np.empty(len(raw))
    for row in range(len(raw)):
        match, other = 0.0, 0.0
        for member in range(len(weights)):
            of_match, of_other = _sides(raw[row, member], weights[member])
            match += of_match
            other += of_other
        out[row] = math.log(match) - math.log(other)
    return out


@compiled
def mean_probability_shares(base, raw, weights, nodes, node_weights):
    """The mean, over the straight way from `base` to `raw` (float64[n, members] both), of d(mean_probability) / d(raw of a member).

    nodes, node_weights : float64[q] each, of a quadrature over [0, 1].
    """
    out = np.zeros(raw.shape)
    match, other = np.empty(len(weights)), np.empty(len(weights))
    for row in range(len(raw)):
        for node in range(len(nodes)):
            for member in range(len(weights)):
                at = base[row, member] + nodes[node] * (raw[row, member] - base[row, member])
                match[member], other[member] = _sides(at, weights[member])
            every_match, every_other = match.sum(), other.sum()
            for member in range(len(weights)):
                # d/dr of log(sum w p) - log(sum w (1 - p)), with dp/dr = p (1 - p)
                slope = match[member] * other[member] / weights[member]
                out[row, member] += node_weights[node] * slope * (1.0 / every_match + 1.0 / every_other)
    return out
