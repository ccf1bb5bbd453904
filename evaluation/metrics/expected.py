"""What the relative metrics come to when M's probability stands in for its verdict.

A verdict throws away how sure M was. Where its probabilities are calibrated, the expected multiplicity of two lists is
the sum of the probabilities of their places, by linearity and without any assumption. The chance that the lists meet at
all needs one: that the places match independently of each other, given M's probabilities. They rarely do (if a matches b,
then a paraphrase of b is likelier to match a as well), so E[R] tends to lie above the truth; E[P] does not depend on it.

- `p_ae` : [n, z, k, k], M of each place of the algorithm's list with each of each expert's;
- `p_ee` : [n, z(z-1)/2, k, k], of each two experts, in the order (1,2), (1,3), …, (2,3), ….

Places without a diagnosis have the probability 0. E[RPAD] and E[RRAD] are ratios of expectations, not expected ratios.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...errors import OptionError
from .declaration import HOW_TO_EVALUATE, declare
from .relative import check_hardness, relative

_PLACES = "rank, other rank"


def _places_example(generator: np.random.Generator) -> dict[str, Any]:
    n, k = generator.integers(1, 5), generator.integers(1, 4)
    return {"probabilities": generator.random((n, k, k)) * (generator.random((n, k, k)) < 0.6)}


def _panel_example(generator: np.random.Generator) -> dict[str, Any]:
    n, z, k = (int(generator.integers(low, high)) for low, high in ((1, 5), (2, 5), (1, 4)))
    ee = generator.random((n, z * (z - 1) // 2, k, k)) * (generator.random() < 0.8)
    return {"p_ae": generator.random((n, z, k, k)), "p_ee": ee, "hardness": float(generator.choice([0.0, 0.4, 1.0]))}


_SHARED: dict[str, Any] = {
    "source": f"dxmatch; extends {HOW_TO_EVALUATE}",
    "repeat_free": ("case",),
}
_OF_CASES: dict[str, Any] = _SHARED | {
    "inputs": "probabilities [n, ..., k, k]: calibrated probabilities of M, place by place; 0 where there is no diagnosis",
    "range": "[0, 1]",
    "example": _places_example,
    "axes": {"probabilities": f"case, {_PLACES}"},
    "order_free": ("case", "rank", "other rank"),
    "grows_with": ("probabilities",),
}
_OF_A_PANEL: dict[str, Any] = _SHARED | {
    "inputs": "p_ae [n, z, k, k], p_ee [n, z(z-1)/2, k, k]: calibrated probabilities of M, 0 where there is no diagnosis; "
    "hardness H in [0, 1]",
    "range": "[0, inf)",
    "degenerate": (
        (
            "the panel's part is 0: every probability between two experts is 0",
            "NaN; nothing can be measured against it",
        ),
        ("one expert", "refused: experts cannot be compared with themselves"),
    ),
    "example": _panel_example,
    "axes": {"p_ae": f"case, expert, {_PLACES}", "p_ee": f"case, pair of experts, {_PLACES}"},
    "order_free": ("case", "expert", "rank", "other rank"),
    "grows_with": ("p_ae",),
    "falls_with": ("p_ee",),
}


@declare(
    symbol="E[P]",
    description="The precision to be expected from M's probabilities.",
    meaning="P with the match function's probabilities summed up in place of its verdicts.",
    good="As P: two identical lists of k different diagnoses reach about 1/k.",
    use="many pairs lie near the threshold",
    avoid="the match function's probabilities are not calibrated",
    formula="E[P@k] = sum_i E[mu_i] / (n k^2), E[mu] = sum_p sum_q p(d_p, d_q)",
    denominator="n k^2",
    degenerate=(("no case", "refused"), ("a place without a diagnosis", "probability 0; n k^2 stays")),
    **_OF_CASES,
)
def expected_precision_at_k(probabilities: ArrayLike) -> NDArray[np.float64]:
    """One value for each of the axes between the cases and the places; equal to P@k where every p is 0 or 1.

    >>> float(expected_precision_at_k([[[0.5, 0.0], [0.25, 0.0]]]))  # (1/2 + 1/4) / 4
    0.1875
    """
    return _probabilities(probabilities, "probabilities").mean((-2, -1)).mean(0)


@declare(
    symbol="E[R]",
    description="The recall to be expected from M's probabilities, if places match independently of each other.",
    meaning="R with the match function's probabilities in place of its verdicts.",
    good="As R: near 1 with long lists.",
    use="many pairs lie near the threshold",
    avoid="the match function's probabilities are not calibrated",
    formula="E[R@k] = sum_i E[chi_i] / n, E[chi] = 1 - prod_p prod_q (1 - p(d_p, d_q))",
    denominator="n, the number of cases",
    degenerate=(("no case", "refused"), ("a place without a diagnosis", "probability 0")),
    **_OF_CASES,
)
def expected_recall_at_k(probabilities: ArrayLike) -> NDArray[np.float64]:
    """One value for each of the axes between the cases and the places; equal to R@k where every p is 0 or 1.

    Assumes that places match independently, given their probabilities. A diagnosis that stands twice in a list is
    no second chance: give its second place the probability 0.

    >>> float(expected_recall_at_k([[[0.5, 0.0], [0.25, 0.0]]]))  # 1 - 1/2 * 3/4
    0.625
    """
    return (1 - (1 - _probabilities(probabilities, "probabilities")).prod((-2, -1))).mean(0)


@declare(
    symbol="E[RPAD]",
    description="Relative precision from M's probabilities instead of its verdicts.",
    meaning="RPAD with the match function's probabilities in place of its verdicts.",
    good="1 is the experts' own level; where it is far from RPAD, the threshold decides much.",
    use="checking that a finding does not hang on the threshold",
    avoid="the match function's probabilities are not calibrated",
    formula="RPAD@k(H) of E[P]: ((1-H) max E[P_AE] + H mean E[P_AE]) / ((1-H) min E[P_EE] + H mean E[P_EE])",
    denominator="(1-H) min E[P_EE] + H mean E[P_EE]",
    **_OF_A_PANEL,
)
def expected_rpad(p_ae: ArrayLike, p_ee: ArrayLike, hardness: float = 1.0) -> float:
    """`rpad` of expected precisions."""
    ae, ee = _panel(p_ae, p_ee)
    return float(relative(expected_precision_at_k(ae), expected_precision_at_k(ee), check_hardness(hardness)))


@declare(
    symbol="E[RRAD]",
    description="Relative recall from M's probabilities instead of its verdicts, if places match independently.",
    meaning="RRAD with the match function's probabilities in place of its verdicts.",
    good="1 is the experts' own level; where it is far from RRAD, the threshold decides much.",
    use="checking that a finding does not hang on the threshold",
    avoid="the match function's probabilities are not calibrated",
    formula="RRAD@k(H) of E[R]: ((1-H) max E[R_AE] + H mean E[R_AE]) / ((1-H) min E[R_EE] + H mean E[R_EE])",
    denominator="(1-H) min E[R_EE] + H mean E[R_EE]",
    **_OF_A_PANEL,
)
def expected_rrad(p_ae: ArrayLike, p_ee: ArrayLike, hardness: float = 1.0) -> float:
    """`rrad` of expected recalls."""
    ae, ee = _panel(p_ae, p_ee)
    return float(relative(expected_recall_at_k(ae), expected_recall_at_k(ee), check_hardness(hardness)))


def _probabilities(values: ArrayLike, name: str) -> NDArray[np.float64]:
    array = np.asarray(values, float)
    if array.ndim < 3 or array.size == 0 or array.shape[-1] != array.shape[-2]:
        raise OptionError(name, "[cases, ..., k, k], with at least one case", array.shape)
    if not ((array >= 0) & (array <= 1)).all():
        raise OptionError(name, "probabilities from 0 to 1", values)
    return array


def _panel(p_ae: ArrayLike, p_ee: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    ae, ee = _probabilities(p_ae, "p_ae"), _probabilities(p_ee, "p_ee")
    if ae.ndim != 4 or ae.shape[1] < 2:
        raise OptionError("p_ae", "[cases, experts, k, k], with at least two experts", ae.shape)
    z = ae.shape[1]
    wanted = (len(ae), z * (z - 1) // 2, *ae.shape[2:])
    if ee.shape != wanted:
        raise OptionError("p_ee", f"of shape {wanted}: one for each two of {z} experts", ee.shape)
    return ae, ee
