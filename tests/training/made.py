"""Labelled pairs as numbers, made up."""

from __future__ import annotations

from typing import Any

import numpy as np

from dxmatch.training.examples import Examples
from dxmatch.training.statistics.split import Groups


def examples(table: Any, label: Any, names: list[tuple[str, str]] | None = None, **known: Any) -> Examples:
    """Each pair's first name is its reference; of none what they say excludes a match."""
    pairs = names or [(f"x{i}", f"y{i}") for i in range(len(label))]
    first = [one for one, _ in pairs]
    return Examples(
        np.asarray(table, np.float32),
        np.asarray(label, np.int8),
        known.get("weight", np.ones(len(pairs))),
        np.array([a == b for a, b in pairs], bool),
        np.zeros(len(pairs), bool),
        Groups.of(first),
        np.array(pairs, object),
        np.array([first, first], object).T,
        known.get("soft"),
    )
