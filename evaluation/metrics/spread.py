"""Unbiased standard deviations: how far apart the experts are, seen from the algorithm and from each other."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from .declaration import HOW_TO_EVALUATE, declare


def experts_behind(pairs: int) -> int:
    """z, from the number of pairs z(z-1)/2.

    Raises
    ------
    OptionError
        Where no panel has that many pairs.
    """
    experts = (1 + math.isqrt(1 + 8 * pairs)) // 2
    if pairs < 1 or experts * (experts - 1) // 2 != pairs:
        raise OptionError("rates_ee", "of z(z-1)/2 values for z experts: 1, 3, 6, 10, …", pairs)
    return experts


@declare(
    symbol="sigma_A",
    description="How much the algorithm's agreement differs from expert to expert.",
    meaning="Whether the algorithm agrees with all experts alike, or sides with some of them.",
    good="No more than sigma_E: it treats the experts as they treat each other. 0 is perfectly even.",
    use="an algorithm may have been made after one expert's ways",
    avoid="there are two experts",
    formula="sigma^A = sqrt(1/(z-1) sum_i (R_AEi - mean)^2); the same for P and for kappa",
    source=HOW_TO_EVALUATE,
    inputs="rates_ae [..., z]: P, R or kappa of the algorithm with each of z experts",
    range="[0, inf)",
    denominator="z - 1",
    example=lambda generator: {"rates_ae": generator.random(generator.integers(1, 6))},
    axes={"rates_ae": "expert"},
    order_free=("expert",),
    degenerate=(("one expert", "NaN; one value has no spread"), ("a rate is undefined", "NaN")),
)
def sigma_algorithm(rates_ae: ArrayLike) -> NDArray[np.float64]:
    """Over the last axis; the other axes are kept."""
    rates = np.asarray(rates_ae, float)
    if rates.shape[-1] < 2:
        return np.full(rates.shape[:-1], np.nan)
    return rates.std(-1, ddof=1)


@declare(
    symbol="sigma_E",
    description="How much an expert's agreement differs from colleague to colleague, averaged over the experts.",
    meaning="Whether an expert agrees with all colleagues alike.",
    good="There is no good value: it is the measure for sigma_A. 0 is a panel in which all agree alike.",
    use="reading sigma_A",
    avoid="there are two experts: it is undefined",
    formula="mean sigma^E = 1/z sum_i sqrt(1/(z-2) sum_{j != i} (R_EiEj - mean_i)^2); the same for P and for kappa",
    source=HOW_TO_EVALUATE,
    inputs="rates_ee [..., z(z-1)/2]: P, R or kappa of each two experts, in the order (1,2), (1,3), …, (2,3), …",
    range="[0, inf)",
    denominator="z - 2 within an expert, z over the experts",
    example=lambda generator: {"rates_ee": generator.random(generator.choice([1, 3, 6, 10]))},
    axes={"rates_ee": "pair of experts"},
    order_free=("expert",),
    degenerate=(
        ("two experts", "NaN: z - 2 is 0, since each expert has a single colleague"),
        ("a rate is undefined", "NaN"),
    ),
)
def sigma_experts(rates_ee: ArrayLike) -> NDArray[np.float64]:
    """Over the last axis; the other axes are kept."""
    rates = np.asarray(rates_ee, float)
    z = experts_behind(rates.shape[-1])
    if z < 3:
        return np.full(rates.shape[:-1], np.nan)
    first, second = np.triu_indices(z, 1)
    pair_of = np.empty((z, z), np.intp)
    pair_of[first, second] = pair_of[second, first] = np.arange(len(first))
    colleagues = pair_of[~np.eye(z, dtype=bool)].reshape(z, z - 1)
    return rates[..., colleagues].std(-1, ddof=1).mean(-1)
