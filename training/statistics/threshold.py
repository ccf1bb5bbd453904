"""The rules by which a threshold is chosen from out-of-fold scores.

They see the pairs that differ after normalisation: the others are matches whatever the threshold. With the true and false
positive rates t and f of a threshold, which do not depend on how many pairs match, F1 where the share q of the pairs match is

    F1(q) = 2 q t / (q t + (1 - q) f + q).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, OptionError
from ...options import Between, Options

SHARES = np.arange(0.05, 0.501, 0.05)
MIN_FOUND = 10
"""A precision that fewer found matches bear out is luck."""

RULES = {
    "minimax_f1": "minimax regret in F1 over shares of matches from 5 to 50 %",
    "max_f1": "the highest F1",
    "half": "0.5",
}
TARGETS = {
    "precision": "the highest recall with a precision of {:g} or more",
    "recall": "the highest precision with a recall of {:g} or more",
}
_ALLOWED = f"{', '.join(RULES)}, precision=P or recall=R with P and R in (0, 1)"


@dataclass(frozen=True, kw_only=True)
class Threshold(Options):
    """How the threshold is chosen from out-of-fold probabilities, and for what data.

    Parameters
    ----------
    rule : str, optional
        "minimax_f1" (the F1 that holds best where another share of pairs matches; the default), "max_f1" (the default where `prevalence`
        is given), "half", "precision=0.95" or "recall=0.9".
    prevalence : float, optional
        The share of matches, in (0, 1), among the pairs that M will see, equal ones apart. Probabilities, threshold and measurements are
        for such data; for data like the labelled pairs if not given.

    Raises
    ------
    OptionError
        For another rule, or a share that is none.
    """

    rule: str | None = None
    prevalence: Annotated[float, Between(0, 1, apart=True)] | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        _ = self.chosen

    @property
    def chosen(self) -> tuple[str, float | None]:
        """One of `RULES`, or one of `TARGETS` with its target, in (0, 1)."""
        text = self.rule or ("minimax_f1" if self.prevalence is None else "max_f1")
        name, equals, value = text.partition("=")
        if not equals and name in RULES:
            return name, None
        try:
            target = float(value)
        except ValueError:
            target = 0.0
        if name not in TARGETS or not 0 < target < 1:
            raise OptionError("threshold", _ALLOWED, text)
        return name, target

    @property
    def words(self) -> str:
        """What the card says."""
        name, target = self.chosen
        words = RULES[name] if target is None else TARGETS[name].format(target)
        if self.prevalence is not None and name not in ("minimax_f1", "half"):
            words += f", where {100 * self.prevalence:g} % of the pairs match"
        return words if name == "half" else f"{words}; out of fold, among the pairs that differ"


MAX_F1 = Threshold(rule="max_f1")


def choose_threshold(score: NDArray[np.float64], label: NDArray[np.int8], threshold: Threshold = Threshold()) -> float:
    """The threshold in (0, 1), midway between two scores; a pair at or above it is a match. Of equals the higher wins.

    minimax_f1 : min over thresholds of max over q in 0.05, 0.10, …, 0.50 of (max F1(q) - F1(q)), the regret of Savage (1951)
        for a share of matches that is not known.
    max_f1 : max F1(q). half : 0.5.
    precision=P : of the thresholds with q t / (q t + (1 - q) f) >= P, the one of highest t.
    recall=R : of the thresholds with t >= R, the one of highest precision.
    prevalence : q of all rules but minimax_f1 and half; the share of matches among these labels if not given.

    score : float64[n] in [0, 1]. Errors: `InputError` for a precision that no threshold reaches which finds ten matches.
    """
    name, target = threshold.chosen
    if name == "half":
        return 0.5
    if len(set(label.tolist())) < 2:
        raise InputError("only one label to choose a threshold from", allowed="both matches (1) and non-matches (0)")
    from sklearn.metrics import roc_curve

    # Thresholds, highest first, and the rates of true and false positives at each.
    false, true, at = (part[1:] for part in roc_curve(label == 1, score, drop_intermediate=False))
    matches = int((label == 1).sum())
    share = matches / len(label) if threshold.prevalence is None else threshold.prevalence
    if target is None:
        f1 = f1_at(true, false, (SHARES if name == "minimax_f1" else np.array([share]))[:, None])
        best = (f1.max(axis=1, keepdims=True) - f1).max(axis=0).argmin()
    else:
        with np.errstate(invalid="ignore"):
            precision = share * true / (share * true + (1 - share) * false)
        enough = true * matches >= min(MIN_FOUND, matches) - 1e-9
        asked, wanted = (true, precision) if name == "recall" else (np.where(enough, precision, 0.0), true)
        least = target - 1e-12  # 28 / 35 is 0.8, whatever the rounding
        if asked.max() < least:
            raise InputError(
                f"no threshold reaches a {name} of {target:g} out of fold, where {share:.1%} of the pairs match",
                allowed=f"at most {np.floor(1000 * asked.max()) / 1000:g}, its best",
                got=target,
            )
        best = np.where(asked >= least, wanted, -1).argmax()
    return float(np.clip((at + np.append(at[1:], 0.0)) / 2, 1e-9, 1 - 1e-9)[best])


def f1_at(
    true: NDArray[np.float64], false: NDArray[np.float64], share: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """F1 where `share` of the pairs match. true, false : the rates of true and false positives, in [0, 1]."""
    return 2 * share * true / (share * true + (1 - share) * false + share)
