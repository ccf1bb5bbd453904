"""The rules by which a threshold is chosen from out-of-fold scores.

They see the pairs that differ after normalisation: the others are matches whatever the threshold. With the true and false
positive rates t and f of a threshold, which do not depend on how many pairs match, F1 where the share q of the pairs match is

    F1(q) = 2 q t / (q t + (1 - q) f + q).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, OptionError

SHARES = np.arange(0.05, 0.501, 0.05)
MIN_FOUND = 10
"""A precision that fewer found matches bear out is luck."""

RULES = {
    "minimax_f1": "minimax regret in F1 over shares of matches from 5 to 50 %",
    "max_f1": "the highest F1",
    "half": "0.5",
}
TARGETS = ("precision", "recall")
_ALLOWED = f"{', '.join(RULES)}, precision=P or recall=R with P and R in (0, 1)"


@dataclass(frozen=True)
class Rule:
    """name : one of `RULES` or of `TARGETS`; target : in (0, 1), of the latter."""

    name: str
    target: float | None = None

    @classmethod
    def parse(cls, text: str) -> Rule:
        """From "max_f1" or "precision=0.95". Errors: `OptionError`."""
        name, equals, value = text.partition("=")
        if not equals and name in RULES:
            return cls(name)
        try:
            target = float(value)
        except ValueError:
            target = 0.0
        if name not in TARGETS or not 0 < target < 1:
            raise OptionError("threshold_rule", _ALLOWED, text)
        return cls(name, target)

    def words(self, prevalence: float | None = None) -> str:
        """What the card says."""
        if self.target is None:
            words = RULES[self.name]
        else:
            best = "recall" if self.name == "precision" else "precision"
            words = f"the highest {best} with a {self.name} of {self.target:g} or more"
        if prevalence is not None and self.name in ("max_f1", "precision", "recall"):
            words += f", where {100 * prevalence:g} % of the pairs match"
        return words if self.name == "half" else f"{words}; out of fold, among the pairs that differ"


def choose_threshold(
    score: NDArray[np.float64],
    label: NDArray[np.int8],
    rule: Rule | str = "minimax_f1",
    *,
    prevalence: float | None = None,
) -> float:
    """The threshold in (0, 1), midway between two scores; a pair at or above it is a match. Of equals the higher wins.

    minimax_f1 : min over thresholds of max over q in 0.05, 0.10, …, 0.50 of (max F1(q) - F1(q)), the regret of Savage (1951)
        for a share of matches that is not known.
    max_f1 : max F1(q). half : 0.5.
    precision=P : of the thresholds with q t / (q t + (1 - q) f) >= P, the one of highest t.
    recall=R : of the thresholds with t >= R, the one of highest precision.
    prevalence : q of all rules but minimax_f1 and half, in (0, 1); the share of matches among these labels if not given.

    score : float64[n] in [0, 1]. Errors: `OptionError` for another rule; `InputError` for a precision that no threshold
    reaches which finds ten matches.
    """
    chosen = Rule.parse(rule) if isinstance(rule, str) else rule
    check_prevalence(prevalence)
    if chosen.name == "half":
        return 0.5
    thresholds, true, false = _operating_points(score, label)
    share = float((label == 1).mean()) if prevalence is None else prevalence
    if chosen.name == "minimax_f1":
        f1 = f1_at(true, false, SHARES[:, None])
        best = int((f1.max(axis=1, keepdims=True) - f1).max(axis=0).argmin())
    elif chosen.name == "max_f1":
        best = int(f1_at(true, false, share).argmax())
    else:
        best = _reaching(chosen, true, false, share, int((label == 1).sum()))
    return float(thresholds[best])


def f1_at(
    true: NDArray[np.float64], false: NDArray[np.float64], share: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """F1 where `share` of the pairs match. true, false : the rates of true and false positives, in [0, 1]."""
    return 2 * share * true / (share * true + (1 - share) * false + share)


def check_prevalence(prevalence: float | None) -> None:
    if prevalence is not None and not 0 < prevalence < 1:
        raise OptionError("prevalence", "a share of matches above 0 and below 1", prevalence)


def _operating_points(
    score: NDArray[np.float64], label: NDArray[np.int8]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Thresholds, highest first, and the rates of true and false positives at each. Both labels occur."""
    from sklearn.metrics import roc_curve

    if len(set(label.tolist())) < 2:
        raise InputError("only one label to choose a threshold from", allowed="both matches (1) and non-matches (0)")
    false, true, at = (part[1:] for part in roc_curve(label == 1, score, drop_intermediate=False))
    return np.clip((at + np.append(at[1:], 0.0)) / 2, 1e-9, 1 - 1e-9), true, false


def _reaching(rule: Rule, true: NDArray[np.float64], false: NDArray[np.float64], share: float, matches: int) -> int:
    with np.errstate(invalid="ignore"):
        precision = share * true / (share * true + (1 - share) * false)
    assert rule.target is not None
    target = rule.target - 1e-12  # 28 / 35 is 0.8, whatever the rounding
    if rule.name == "recall":
        return int(np.where(true >= target, precision, -1).argmax())
    counted = np.where(true * matches >= min(MIN_FOUND, matches) - 1e-9, precision, 0.0)
    if counted.max() < target:
        raise InputError(
            f"no threshold reaches a precision of {rule.target:g} out of fold, where {share:.1%} of the pairs match",
            allowed=f"at most {np.floor(1000 * counted.max()) / 1000:g}, its best",
            got=rule.target,
        )
    return int(np.where(counted >= target, true, -1).argmax())
