"""The columns that a score adds to the rows of a chunk."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..matcher.match_function import MatchFunction
from .plan import Options

Rows = slice | NDArray[np.bool_]


@dataclass(frozen=True)
class Columns:
    """For n rows, float64[n] probabilities and, where asked for, float32[n, f] features, float64[n, f + 1] SHAP values."""

    probability: NDArray[np.float64]
    features: NDArray[np.float32] | None
    shap: NDArray[np.float64] | None

    @classmethod
    def empty(cls, rows: int, n_features: int, options: Options) -> Columns:
        return cls(
            np.empty(rows),
            np.empty((rows, n_features), np.float32, order="F") if options.features else None,
            np.empty((rows, n_features + 1), order="F") if options.shap else None,
        )

    def of(self, rows: slice) -> Columns:
        """A view of some of the rows."""
        features, shap = self.features, self.shap
        return Columns(
            self.probability[rows],
            None if features is None else features[rows],
            None if shap is None else shap[rows],
        )

    def fill(
        self,
        rows: Rows,
        m: MatchFunction,
        table: NDArray[np.float32],
        equal: NDArray[np.bool_],
        pair_of_row: NDArray[np.int64],
    ) -> None:
        """Sets `rows`, each from its unique pair: `table` has the features of these, `equal` those of two equal names."""
        self.probability[rows] = m.decided(table, equal, threads=1)[pair_of_row]
        if self.features is not None:
            _spread(table, pair_of_row, self.features, rows)
        if self.shap is not None:
            _spread(m.contributions(table, threads=1), pair_of_row, self.shap, rows)

    def added_to(self, table: pa.Table, m: MatchFunction) -> pa.Table:
        """The table with all of them, in the order of `MatchFunction.added_columns`."""
        table = table.append_column("probability", pa.array(self.probability))
        table = table.append_column("match", pa.array(self.probability >= m.threshold))
        for names, values in ((m.features.names, self.features), (m.shap_names, self.shap)):
            if values is not None:
                for column, name in enumerate(names):
                    table = table.append_column(name, pa.array(values[:, column], from_pandas=True))
        return table


def _spread(values: NDArray[Any], pair_of_row: NDArray[np.int64], out: NDArray[Any], rows: Rows) -> None:
    for column in range(out.shape[1]):
        out[rows, column] = values[:, column][pair_of_row]
