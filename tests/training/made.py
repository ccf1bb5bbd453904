"""Labelled pairs as numbers, made up."""

from __future__ import annotations

from typing import Any

import numpy as np

from dxmatch.training.examples import Examples
from dxmatch.training.statistics.split import Groups


def examples(
    table: Any, label: Any, names: list[tuple[str, str]] | None = None, identical: Any = None, **known: Any
) -> Examples:
    """Each pair's first name is its reference. identical : where it is not whether the names are equal."""
    pairs = names or [(f"x{i}", f"y{i}") for i in range(len(label))]
    return Examples(
        np.asarray(table, np.float32),
        np.asarray(label, np.int8),
        known.get("weight", np.ones(len(pairs))),
        np.array([a == b for a, b in pairs], bool) if identical is None else identical,
        np.zeros(len(pairs), bool) if known.get("excluded") is None else known["excluded"],
        Groups.of([first for first, _ in pairs]),
        np.array(pairs, object),
        np.array([(first, first) for first, _ in pairs], object),
        known.get("soft"),
    )
