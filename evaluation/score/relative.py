"""Relative precision and recall: an algorithm's agreement with a panel over the panel's agreement with itself.

Inputs of the metrics are the multiplicities of k-long lists, one row per case:

- `mu_ae` : [n, z], the algorithm against each of z experts;
- `mu_ee` : [n, z(z-1)/2], each two experts, in the order (1,2), (1,3), …, (2,3), ….

Source of all: "How to Evaluate Medical AI".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from ...stats.agreement import divided
from .declare import check_k, declare

_OF_CASES: dict[str, Any] = {"axes": {"mu": "case"}, "repeat_free": ("case",), "grows_with": ("mu",)}
_OF_A_PANEL: dict[str, Any] = {
    "axes": {"mu_ae": "case, expert", "mu_ee": "case, pair of experts"},
    "repeat_free": ("case",),
    "grows_with": ("mu_ae",),
    "falls_with": ("mu_ee",),
}


def check_hardness(hardness: Any) -> float:
    """Errors: `OptionError` unless `hardness` is a number in [0, 1]."""
    if isinstance(hardness, bool) or not isinstance(hardness, int | float | np.number) or not 0 <= hardness <= 1:
        raise OptionError("hardness", "a number from 0 (optimistic) to 1 (average)", hardness)
    return float(hardness)


def _multiplicities(mu: ArrayLike, name: str, k: int | None = None) -> NDArray[Any]:
    """Checks that there is a case and, where k is known, what its values are. Errors: `OptionError`."""
    array = np.asarray(mu)
    if array.ndim == 0 or array.shape[0] == 0:
        raise OptionError(name, "an array with at least one case", mu)
    if k is not None and (array.dtype.kind not in "iuf" or not ((array >= 0) & (array <= k * k)).all()):
        raise OptionError(name, f"numbers from 0 to k^2 = {k * k}", mu)
    return array


def _panel(mu_ae: ArrayLike, mu_ee: ArrayLike, k: int) -> tuple[NDArray[Any], NDArray[Any]]:
    ae, ee = _multiplicities(mu_ae, "mu_ae", k), _multiplicities(mu_ee, "mu_ee", k)
    if ae.ndim != 2 or ae.shape[1] < 2:
        raise OptionError("mu_ae", "[cases, experts], with at least two experts", ae.shape)
    experts = ae.shape[1]
    wanted = (ae.shape[0], experts * (experts - 1) // 2)
    if ee.shape != wanted:
        raise OptionError(
            "mu_ee", f"of shape {wanted}: one row per case, one column per two of {experts} experts", ee.shape
        )
    return ae, ee


@declare("P", **_OF_CASES)
def precision_at_k(mu: ArrayLike, k: int, sizes: ArrayLike | None = None) -> NDArray[np.float64]:
    """Gives, of all pairs that can be made of two raters' first k diagnoses, the share that name one disease.

    Parameters
    ----------
    mu : [n, ...], multiplicity of two raters' k-long lists in each case.
    k : the length of the lists.
    sizes : [n, ...], the product of the two lists' lengths, each cut to k; replaces k^2.

    Returns
    -------
    float64, in [0, 1], of one pair of raters (mu [n]) or of several (mu [n, pairs], one value each).

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    P@k, mu, multiplicity

    Formula
    -------
    P@k = sum_i mu_i / (n k^2)

    Denominator
    -----------
    n k^2; with sizes, the sum of the products of the two lists' own lengths

    Good values
    -----------
    Two identical lists of k different diagnoses reach 1/k, not 1: P@3 cannot pass 1/3. Read it beside that of the
    experts.

    When to use
    -----------
    two raters' whole lists are compared, whatever the order in them

    When not
    --------
    there is one right answer: then top-k accuracy

    Edge cases
    ----------
    no case : refused
    a list shorter than k : n k^2 stays, unless sizes are given

    References
    ----------
    How to Evaluate Medical AI
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>
    """
    array = _multiplicities(mu, "mu", check_k(k))
    if sizes is None:
        return array.sum(0, dtype=np.float64) / (array.shape[0] * k * k)
    size = np.asarray(sizes)
    if size.shape != array.shape or not ((size >= 1) & (size <= k * k)).all() or (array > size).any():
        raise OptionError("sizes", f"of the shape of mu, from 1 to k^2 = {k * k}, and no smaller than mu", sizes)
    return array.sum(0, dtype=np.float64) / size.sum(0, dtype=np.float64)


@declare("R", **_OF_CASES)
def recall_at_k(mu: ArrayLike) -> NDArray[np.float64]:
    """Tells how often two raters' lists have at least one disease in common.

    Parameters
    ----------
    mu : [n, ...], multiplicity of two raters' k-long lists in each case; chi is as good.

    Returns
    -------
    float64, in [0, 1], of one pair of raters (mu [n]) or of several (mu [n, pairs], one value each).

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    R@k, chi, characteristic function

    Formula
    -------
    R@k = sum_i chi_i / n, chi_i = [mu_i > 0]

    Denominator
    -----------
    n, the number of cases

    Good values
    -----------
    1 is every case; with long lists it comes near 1 by itself, so read it at one k, beside that of the experts.

    When to use
    -----------
    it matters whether lists meet at all

    When not
    --------
    lists differ much in length

    Edge cases
    ----------
    no case : refused

    References
    ----------
    How to Evaluate Medical AI
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>
    """
    return (_multiplicities(mu, "mu") > 0).mean(0, dtype=np.float64)


def relative(ae: NDArray[np.float64], ee: NDArray[np.float64], hardness: float) -> NDArray[np.float64]:
    """`((1-H) max ae + H mean ae) / ((1-H) min ee + H mean ee)` over the last axis; NaN where that divides by 0.

    ae : [..., z] rates of the algorithm with each expert. ee : [..., z(z-1)/2] rates of each two experts.
    """
    above = (1 - hardness) * ae.max(-1) + hardness * ae.mean(-1)
    below = (1 - hardness) * ee.min(-1) + hardness * ee.mean(-1)
    return divided(above, below)


def _relative_rate(rate: Any, mu_ae: ArrayLike, mu_ee: ArrayLike, k: int, hardness: float) -> float:
    """`relative` of a rate, a function of mu; the arguments are checked."""
    ae, ee = _panel(mu_ae, mu_ee, check_k(k))
    return float(relative(rate(ae), rate(ee), check_hardness(hardness)))


@declare("P_opt", **_OF_A_PANEL)
def p_opt(mu_ae: ArrayLike, mu_ee: ArrayLike, k: int) -> float:
    """Tells how the algorithm agrees with the expert nearest to it, beside the two experts who agree least.

    It is `rpad` at hardness 0.

    Parameters
    ----------
    mu_ae : [n, z], multiplicity of the algorithm with each expert.
    mu_ee : [n, z(z-1)/2], of each two experts, in the order (1,2), (1,3), …, (2,3), ….
    k : the length of the lists.

    Returns
    -------
    float, in [0, inf).

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    P_opt = max P_AE / min P_EE

    Denominator
    -----------
    min P_EE, the smallest precision between two experts

    Good values
    -----------
    1: as much as the two experts furthest apart; above 1 is easy to reach, so it is the mildest question.

    When to use
    -----------
    asking whether the algorithm would pass as one of this panel

    When not
    --------
    ranking models: it rests on two pairs of raters

    Edge cases
    ----------
    the panel's part is 0: two experts match in no case : NaN; nothing can be measured against experts who never
        agree
    one expert : refused

    References
    ----------
    How to Evaluate Medical AI
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>
    """
    return rpad(mu_ae, mu_ee, k, 0.0)


@declare("P_avg", **_OF_A_PANEL)
def p_avg(mu_ae: ArrayLike, mu_ee: ArrayLike, k: int) -> float:
    """Tells how much the algorithm agrees with the experts, beside how much they agree with each other.

    It is `rpad` at hardness 1.

    Parameters
    ----------
    mu_ae : [n, z], multiplicity of the algorithm with each expert.
    mu_ee : [n, z(z-1)/2], of each two experts, in the order (1,2), (1,3), …, (2,3), ….
    k : the length of the lists.

    Returns
    -------
    float, in [0, inf).

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    P_avg = mean P_AE / mean P_EE

    Denominator
    -----------
    mean P_EE, the mean precision between two experts

    Good values
    -----------
    1: as much as they agree among themselves; below 1 less. There is no ceiling.

    When to use
    -----------
    an average over the whole panel is wanted

    When not
    --------
    the panel has fewer than three experts

    Edge cases
    ----------
    the panel's part is 0: no two experts match in any case : NaN; nothing can be measured against experts who never
        agree
    one expert : refused

    References
    ----------
    How to Evaluate Medical AI
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>
    """
    return rpad(mu_ae, mu_ee, k, 1.0)


@declare("R_opt", **_OF_A_PANEL)
def r_opt(mu_ae: ArrayLike, mu_ee: ArrayLike, k: int) -> float:
    """Tells how often the algorithm meets the expert nearest to it, beside the two experts who meet least.

    It is `rrad` at hardness 0.

    Parameters
    ----------
    mu_ae : [n, z], multiplicity of the algorithm with each expert.
    mu_ee : [n, z(z-1)/2], of each two experts, in the order (1,2), (1,3), …, (2,3), ….
    k : the length of the lists.

    Returns
    -------
    float, in [0, inf).

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    R_opt = max R_AE / min R_EE

    Denominator
    -----------
    min R_EE, the smallest recall between two experts

    Good values
    -----------
    1: as often as the two experts furthest apart; above 1 is easy to reach.

    When to use
    -----------
    asking whether the algorithm would pass as one of this panel

    When not
    --------
    ranking models: it rests on two pairs of raters

    Edge cases
    ----------
    the panel's part is 0: two experts match in no case : NaN; nothing can be measured against experts who never
        agree
    one expert : refused

    References
    ----------
    How to Evaluate Medical AI
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>
    """
    return rrad(mu_ae, mu_ee, k, 0.0)


@declare("R_avg", **_OF_A_PANEL)
def r_avg(mu_ae: ArrayLike, mu_ee: ArrayLike, k: int) -> float:
    """Tells how often the algorithm's list meets an expert's, beside how often experts' lists meet.

    It is `rrad` at hardness 1.

    Parameters
    ----------
    mu_ae : [n, z], multiplicity of the algorithm with each expert.
    mu_ee : [n, z(z-1)/2], of each two experts, in the order (1,2), (1,3), …, (2,3), ….
    k : the length of the lists.

    Returns
    -------
    float, in [0, inf).

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Formula
    -------
    R_avg = mean R_AE / mean R_EE

    Denominator
    -----------
    mean R_EE, the mean recall between two experts

    Good values
    -----------
    1: as often as they meet each other; below 1 less often. There is no ceiling.

    When to use
    -----------
    an average over the whole panel is wanted

    When not
    --------
    the panel has fewer than three experts

    Edge cases
    ----------
    the panel's part is 0: no two experts match in any case : NaN; nothing can be measured against experts who never
        agree
    one expert : refused

    References
    ----------
    How to Evaluate Medical AI
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>
    """
    return rrad(mu_ae, mu_ee, k, 1.0)


@declare("RPAD", **_OF_A_PANEL)
def rpad(mu_ae: ArrayLike, mu_ee: ArrayLike, k: int, hardness: float = 1.0) -> float:
    """Tells how much the algorithm's list agrees with the experts' lists, beside how much they agree among themselves.

    Relative precision of algorithmic diagnostics.

    Parameters
    ----------
    mu_ae : [n, z], multiplicity of the algorithm with each expert.
    mu_ee : [n, z(z-1)/2], of each two experts, in the order (1,2), (1,3), …, (2,3), ….
    k : the length of the lists.
    hardness : H in [0, 1]: 0 optimistic, 1 average.

    Returns
    -------
    float, in [0, inf).

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    relative precision of algorithmic diagnostics

    Formula
    -------
    RPAD@k(H) = ((1-H) max P_AE + H mean P_AE) / ((1-H) min P_EE + H mean P_EE)

    Denominator
    -----------
    (1-H) min P_EE + H mean P_EE

    Good values
    -----------
    1 is the experts' own level; an interval wholly below 1 says that it agrees less than they do. There is no
    ceiling.

    When to use
    -----------
    experts' opinions are the standard, and they differ

    When not
    --------
    there is one right answer that is known for sure

    Edge cases
    ----------
    the panel's part is 0: H = 0 and two experts match in no case, or no two experts match in any : NaN; nothing can
        be measured against experts who never agree
    one expert : refused: experts cannot be compared with themselves

    References
    ----------
    How to Evaluate Medical AI
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>

    Examples
    --------
    >>> rpad([[2, 1, 2], [0, 2, 2]], [[2, 1, 1], [2, 0, 1]], k=2)  # (9/24) / (7/24)
    1.2857142857142856
    """
    return _relative_rate(lambda mu: precision_at_k(mu, k), mu_ae, mu_ee, k, hardness)


@declare("RRAD", **_OF_A_PANEL)
def rrad(mu_ae: ArrayLike, mu_ee: ArrayLike, k: int, hardness: float = 1.0) -> float:
    """Tells how often the algorithm's list meets an expert's list, beside how often two experts' lists meet.

    Relative recall of algorithmic diagnostics.

    Parameters
    ----------
    mu_ae : [n, z], multiplicity of the algorithm with each expert.
    mu_ee : [n, z(z-1)/2], of each two experts, in the order (1,2), (1,3), …, (2,3), ….
    k : the length of the lists.
    hardness : H in [0, 1]: 0 optimistic, 1 average.

    Returns
    -------
    float, in [0, inf).

    Raises
    ------
    OptionError
        For arguments of another shape, or with other values.

    Also called
    -----------
    relative recall of algorithmic diagnostics

    Formula
    -------
    RRAD@k(H) = ((1-H) max R_AE + H mean R_AE) / ((1-H) min R_EE + H mean R_EE)

    Denominator
    -----------
    (1-H) min R_EE + H mean R_EE

    Good values
    -----------
    1 is the experts' own level; near 1 is common, since long lists meet easily. Look at it at k = 1 too.

    When to use
    -----------
    experts' opinions are the standard, and they differ

    When not
    --------
    k is large: everyone meets everyone

    Edge cases
    ----------
    the panel's part is 0: H = 0 and two experts match in no case, or no two experts match in any : NaN; nothing can
        be measured against experts who never agree
    one expert : refused: experts cannot be compared with themselves

    References
    ----------
    How to Evaluate Medical AI
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>
    """
    return _relative_rate(recall_at_k, mu_ae, mu_ee, k, hardness)


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


@declare("sigma_A", axes={"rates_ae": "expert"})
def sigma_algorithm(rates_ae: ArrayLike) -> NDArray[np.float64]:
    """Tells whether the algorithm agrees with all experts alike, or sides with some of them.

    Parameters
    ----------
    rates_ae : [..., z], P, R or kappa of the algorithm with each of z experts.

    Returns
    -------
    float64, in [0, inf), over the last axis; the other axes are kept.

    Formula
    -------
    sigma^A = sqrt(1/(z-1) sum_i (R_AEi - mean)^2); the same for P and for kappa

    Denominator
    -----------
    z - 1

    Good values
    -----------
    No more than sigma_E: it treats the experts as they treat each other. 0 is perfectly even.

    When to use
    -----------
    an algorithm may have been made after one expert's ways

    When not
    --------
    there are two experts

    Edge cases
    ----------
    one expert : NaN; one value has no spread
    a rate is undefined : NaN

    References
    ----------
    How to Evaluate Medical AI
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>
    """
    rates = np.asarray(rates_ae, float)
    if rates.shape[-1] < 2:
        return np.full(rates.shape[:-1], np.nan)
    return rates.std(-1, ddof=1)


@declare("sigma_E", axes={"rates_ee": "pair of experts"})
def sigma_experts(rates_ee: ArrayLike) -> NDArray[np.float64]:
    """Tells whether an expert agrees with all colleagues alike.

    Parameters
    ----------
    rates_ee : [..., z(z-1)/2], P, R or kappa of each two experts, in the order (1,2), (1,3), …, (2,3), ….

    Returns
    -------
    float64, in [0, inf), over the last axis; the other axes are kept.

    Raises
    ------
    OptionError
        Where no panel has that many pairs.

    Formula
    -------
    mean sigma^E = 1/z sum_i sqrt(1/(z-2) sum_{j != i} (R_EiEj - mean_i)^2); the same for P and for kappa

    Denominator
    -----------
    z - 2 within an expert, z over the experts

    Good values
    -----------
    There is no good value: it is the measure for sigma_A. 0 is a panel in which all agree alike.

    When to use
    -----------
    reading sigma_A

    When not
    --------
    there are two experts: it is undefined

    Edge cases
    ----------
    two experts : NaN: z - 2 is 0, since each expert has a single colleague
    a rate is undefined : NaN

    References
    ----------
    How to Evaluate Medical AI
    Kopanichuk I, Anokhin P, Shaposhnikov V, Makharev V, Tsapieva E, Bespalov I, Dylov DV, Oseledets I. How to
        Evaluate Medical AI. 2025. arXiv:2509.11941. <https://doi.org/10.48550/arXiv.2509.11941>
    """
    rates = np.asarray(rates_ee, float)
    z = experts_behind(rates.shape[-1])
    if z < 3:
        return np.full(rates.shape[:-1], np.nan)
    from scipy.spatial.distance import squareform

    colleagues = squareform(np.arange(rates.shape[-1]))[~np.eye(z, dtype=bool)].reshape(z, z - 1)
    return rates[..., colleagues].std(-1, ddof=1).mean(-1)
