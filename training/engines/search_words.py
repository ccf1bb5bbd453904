"""What a search over several families of models came to, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


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
