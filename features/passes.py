"""The passes over the pairs that fill the feature table: one for each feature, or for several that are computed together."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .feature_set import FeatureSet
from .registry import KINDS, FeatureKind, Index
from .representations import Representations


@dataclass(frozen=True)
class Pass:
    """columns : where the values go, by the value of the option that `kind.together` names; one under None without it."""

    kind: FeatureKind
    options: Mapping[str, Any]
    columns: dict[Any, int]

    def fill(self, texts: Representations, first: Index, second: Index, table: NDArray[np.float32]) -> None:
        """Fills the pass's columns of `table`, float32[m, f] in column order, for the m pairs (first[p], second[p])."""
        if self.kind.together is None:
            self.kind.compute(texts, self.options, first, second, table[:, self.columns[None]])
        else:
            out = {value: table[:, column] for value, column in self.columns.items()}
            self.kind.together.compute(texts, self.options, first, second, out)

    @property
    def key(self) -> str:
        """Equal for passes that need the same of the names."""
        return f"{self.kind.name} {sorted(self.options.items())!r} {sorted(self.columns, key=str)!r}"


def passes(features: FeatureSet) -> list[Pass]:
    """The passes that fill the columns of `features`, in the order of their first columns."""
    found: dict[Hashable, Pass] = {}
    for column, feature in enumerate(features.features):
        kind, options, value, key = KINDS[feature.kind], dict(feature.options), None, str(column)
        if kind.together is not None:
            value = options.pop(kind.together.option)
            shared = f"{kind.name} {sorted(options.items())!r}"
            if shared not in found or value not in found[shared].columns:
                key = shared
        found.setdefault(key, Pass(kind, options, {})).columns[value] = column
    return list(found.values())
