"""Labelled pairs as numbers, with the reference diagnosis that each belongs to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..features.coverage import covered_table
from ..features.feature_set import FeatureSet
from ..features.interning import intern_pairs
from ..features.providers import Providers
from ..files.pairs import Pairs
from .split import Groups


@dataclass(frozen=True)
class Examples:
    """n labelled pairs.

    table : float32[n, f], NaN where unknown. label : int8[n]. weight : float64[n] or None.
    identical : bool[n]; equal after normalisation, which M calls a match without the trees.
    groups : what no split divides. names : str[n, 2], the two diagnoses, normalised.
    references : object[n], the tuple of names that are a pair's reference diagnosis.
    soft : float64[n] in [0, 1], the share of votes for a match, NaN where it is unknown; or None.
    """

    table: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float64] | None
    identical: NDArray[np.bool_]
    groups: Groups
    names: NDArray[np.object_]
    references: NDArray[np.object_]
    soft: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.label)

    def take(self, rows: NDArray[np.bool_]) -> Examples:
        return Examples(
            self.table[rows],
            self.label[rows],
            None if self.weight is None else self.weight[rows],
            self.identical[rows],
            self.groups.take(rows),
            self.names[rows],
            self.references[rows],
            None if self.soft is None else self.soft[rows],
        )


def examples_of(
    read: Pairs, features: FeatureSet, providers: Providers, *, min_coverage: float
) -> tuple[Examples, dict[str, float]]:
    """The examples, and the share of rows that each feature is known for.

    Where `read` has no reference diagnosis, side `a` is it. Where that is neither of the two diagnoses, side `a` names the disease, too.
    """
    assert read.label is not None
    unique = intern_pairs(read.a, read.b, providers.naming)
    table, known = covered_table(unique, features, providers, min_coverage)
    row = unique.pair_of_row
    names = np.array(unique.names, object)
    examples = Examples(
        table[row],
        read.label,
        read.weight,
        unique.equal[row],
        Groups.of(providers.naming((read.a if read.group is None else read.group).to_pylist())),
        np.stack([names[unique.first[row]], names[unique.second[row]]], axis=1),
        np.empty(len(row), object),
        read.soft,
    )
    first = providers.naming(read.a.to_pylist())
    for i, (code, name) in enumerate(zip(examples.groups.code.tolist(), first, strict=True)):
        reference = examples.groups.names[code]
        examples.references[i] = (reference,) if reference in examples.names[i] else (reference, name)
    return examples, known
