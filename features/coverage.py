"""For how many pairs each feature is known. What is unscored is not "no": it is NaN, and too much of it is refused."""

from __future__ import annotations

from collections.abc import Mapping

from ..errors import InputError, Open, Remedy
from ..votes.store.store import VoteStore
from ..votes.voters import IMPORTED, asked_by
from .feature_set import FeatureSet, FeatureSpec

MIN_COVERAGE = 0.9
"""The least share of pairs that each vote and each pick must be known for, unless another is asked for."""

Coverage = Mapping[str, float]


def check_coverage(known: Coverage, features: FeatureSet, least: float, store: VoteStore | None) -> None:
    """Raises `InputError` where a vote or a pick is known for too small a share, with the one that is known least."""
    short = sorted(
        (feature for feature in features.asked if known[feature.name] < least), key=lambda one: known[one.name]
    )
    if short:
        worst = short[0].name
        others = f", and {len(short) - 1} more for too few" if len(short) > 1 else ""
        raise InputError(
            f"{worst} is known for {_percent(known[worst])} of the pairs{others}; {_how_to_know(short[0], store)}",
            allowed=f"at least {least:.0%}",
            remedy=Remedy("sets another limit", min_coverage=Open("SHARE")),
        )


def _how_to_know(feature: FeatureSpec, store: VoteStore | None) -> str:
    """What to do about the pairs without a value: those never asked about, and those whose answers hold no verdict."""
    if feature.options.get("prompt") == IMPORTED:
        return "take in the rest with 'dxmatch votes import'"
    config = asked_by(feature.kind, feature.options).config
    of_model = [row for row in store.status() if row.config == config] if store else []
    if not of_model or not (unscored := sum(of_model[0].unscored.values())):
        return "ask for the rest with 'dxmatch votes ask'"
    reasons = ", ".join(f"{count:,} {reason}" for reason, count in sorted(of_model[0].unscored.items()))
    return (
        f"{unscored:,} of the {of_model[0].answers:,} answers in the store hold no verdict ({reasons}): 'dxmatch votes check' "
        f"shows such an answer and what to mend, 'dxmatch votes ask --again' asks these anew, and whatever was not asked yet"
    )


def coverage_words(known: Coverage) -> str:
    """One line: the features that are not known for every pair, least known first."""
    part = sorted((share, name) for name, share in known.items() if share < 1)
    if not part:
        return "Every feature is known for every pair."
    return "Known for a part of the pairs: " + ", ".join(f"{name} {_percent(share)}" for share, name in part) + "."


def _percent(share: float) -> str:
    """Never "100.0 %" for less than all, nor "0.0 %" for some."""
    if 0 < share < 0.0005:
        return "under 0.1 %"
    return f"{min(share, 0.999):.1%}".replace("%", " %")
