"""What a search over several families of models came to, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

BESIDE_MINUTES = 5
"""What a run takes besides its search: 418 s with a limit of 120 s on CRAFT-MD's labelled pairs, on two cores that were shared."""


def search_words(search: Mapping[str, Any]) -> str:
    """A line for card and terminal, of `Ensemble.search`: what won, what M is, and what lies between them."""
    won, exported = search["won"], search["exported"]
    said = f"AutoGluon tried {', '.join(search['families'])}: {won['model']} won, average precision {won['average_precision']:.4f} out of fold"
    if won["model"] == exported["model"]:
        said += ", and M is it."
    else:
        gap = won["average_precision"] - exported["average_precision"]
        said += (
            f". It is not made of LightGBM's trees alone, which are all that a model folder holds; M is {exported['model']}, the best that is: "
            f"{exported['average_precision']:.4f}, {gap:.4f} less."
        )
    if search["not_trained"]:
        said += f" Without a model: {', '.join(search['not_trained'])} (a library that is absent, or no time)."
    return said


def forecast_words(time_limit: float, refit: bool) -> str:
    """What to expect of a search, said before it begins."""
    minutes = time_limit / 60 * (1 + refit)
    return (
        f"AutoGluon searches for up to {minutes:,.0f} min ({time_limit:,.0f} s{', twice, since it fits again' if refit else ''}); loading it, the features, the engine lightgbm for "
        f"comparison and the measurement come on top: about {minutes + BESIDE_MINUTES:,.0f} min in all. In a trial of an earlier release, on CRAFT-MD's labelled pairs, a search of 2 min gave F1 0.837 and average precision "
        "0.920 on held-out references, the engine lightgbm in 2 min 0.830 and 0.921: expect little. The card says what it gained on yours."
    )
