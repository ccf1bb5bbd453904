"""M on a table: the columns that a score adds to it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from .. import progress
from ..errors import InputError
from ..features.coverage import Coverage, covered_table
from ..features.interning import InternedPairs, intern_pairs
from ..features.readings import COLUMNS, empty_columns
from ..features.representations import Representations
from ..files.reading import OF_TABLES, Reading
from ..options import Serves, Table, checked
from .doubtful_texts import warn_of_mixed_scripts, warn_of_none_twice
from .policy import SPECIFICATION
from .relation import RELATION_COLUMNS, policy_probability, reasons_of, relations_of
from .trained import TrainedFunction, relation_model

if TYPE_CHECKING:
    import pyarrow as pa

    from ..files.pairs import Pairs

Added = Literal["features", "shap", "relation", "reasons"]
"""What a score can add beside probability and match."""
WHY = "why"


@dataclass(frozen=True)
class Scored:
    """table : the rows that came, with `probability` and `match`. coverage : for how many of them each feature is known."""

    table: pa.Table
    coverage: Coverage


class TableScores(TrainedFunction):
    """The part of a `MatchFunction` that scores tables."""

    def added_columns(
        self, add: Sequence[str] = (), *, readings: bool = False, beside: Sequence[str] = (), source: str | None = None
    ) -> dict[str, str]:
        """What a score adds to a table: probability and match, and what is asked for beside them; the type of each by name.

        readings : with not_understood and read_as, where the model has a vocabulary. A score of a table has them only where
            they say something of a row.

        Raises
        ------
        InputError
            Where one of the columns `beside`, those of the table `source`, has such a name and is not of a score
            before, which has both probability and match and gives way to the new one.
        ModelError
            Where relations are asked for of a model without a relation model.
        """
        names = {"probability": "float64", "match": "bool"}
        said = dict.fromkeys(COLUMNS if self.providers.vocabulary is not None else (), "string")
        if readings:
            names |= said
        if "relation" in add:
            relation_model(self.parts)
            names |= {"relation": "string"} | dict.fromkeys(RELATION_COLUMNS, "float64")
        if "reasons" in add:
            names[WHY] = "string"
        if "features" in add:
            names |= dict.fromkeys(self.features.names, "float32")
        if "shap" in add:
            names |= dict.fromkeys(self.shap_names, "float64")
        taken = [name for name in names | said if name in beside]
        if taken and not {"probability", "match"} <= {*beside}:
            raise InputError(
                f"a column that the score would add is there already: {', '.join(taken)}",
                source=source,
                allowed="other names for your columns",
            )
        return names

    def counted(
        self, pairs: InternedPairs, table: NDArray[np.float32], texts: Representations, *, threads: int | None = None
    ) -> NDArray[np.float64]:
        """The probabilities float64[n] of the rows of `pairs` under the policy.

        Parameters
        ----------
        table, texts : the features of the unique pairs, float32[m, f], and what they were computed from.
        """
        if self.policy == SPECIFICATION:
            return self.decided(table, pairs.equal, threads=threads)[pairs.pair_of_row]
        return policy_probability(self, self._policy, pairs, table, texts, threads=threads)

    @checked
    def score(
        self,
        pairs: Table,
        *,
        a: str = "a",
        b: str = "b",
        add: Sequence[Added] = (),
        reading: Annotated[Reading, Serves(*OF_TABLES)] = Reading(),
    ) -> Any:
        """The table that came, with the columns `probability` (float64) and `match` (bool, by `m.threshold`) added.

        Both are null where a diagnosis is not understood; a column `not_understood` then says why ("a: another script"). Where
        words were read as others, a column `read_as` says which ("b: infraction → infarction").

        Parameters
        ----------
        pairs
            A path (an Arrow table comes back), a pandas, polars or Arrow frame (the same kind comes back; a lazy one is
            collected), two-tuples in a list, an iterator or an array of two columns, a list of dicts or a dict of columns (a pandas frame
            comes back, or an Arrow table where pandas is absent).
        a, b
            The columns of the two diagnoses.
        add
            Further columns: "features", one float32 column per feature, null where it could not be computed; "shap", one float64 column
            `shap_<feature>` per feature and `shap_base`, as `contributions` gives them; "relation", `relation` (a word) and the six
            probabilities `relation_same`, `relation_narrower`, …; "reasons", `why`, a sentence, null where nothing says it.
        reading : Reading
            The encoding of a text file, and a file for rejects.
        """
        from ..files.pairs import read_pairs

        read = read_pairs(pairs, a=a, b=b, rejects=reading.rejects, encoding=reading.encoding)
        if read.table.note:
            warnings.warn(read.table.note, stacklevel=3)
        with progress.shown("Scoring pairs") as report:
            return read.table.native(self.score_read(read, add, report).table)

    def score_read(
        self, read: Pairs, add: Sequence[Added] = (), report: Callable[[int, int], None] | None = None
    ) -> Scored:
        """`score` for pairs that were read and checked before, with the coverage of each feature."""
        from ..files.tables import with_columns

        names = read.table.names
        added = self.added_columns(add, readings=True, beside=names, source=read.table.source)
        data = read.table.data.select([name for name in names if name not in added])
        unique = intern_pairs(read.a, read.b, self.providers.naming)
        warn_of_mixed_scripts(unique, 5)
        warn_of_none_twice(unique, 5)
        texts = Representations(unique.names, self.providers)
        table, known = covered_table(unique, self.features, self.providers, self.min_coverage, report, texts=texts)
        return Scored(with_columns(data, self.score_columns(unique, table, texts, add)), known)

    def score_columns(
        self,
        pairs: InternedPairs,
        table: NDArray[np.float32],
        texts: Representations,
        add: Sequence[str] = (),
        *,
        all_readings: bool = False,
        threads: int | None = None,
    ) -> dict[str, pa.Array]:
        """The `added_columns` of the n rows of `pairs`, by name; probability and match null where a row is unscored.

        Parameters
        ----------
        table, texts : float32[m, f], the features of its unique pairs, and what they were computed from.
        all_readings : adds not_understood and read_as whether they say something or not, where the model has a vocabulary.
        """
        import pyarrow as pa

        rows = pairs.pair_of_row
        probability = self.counted(pairs, table, texts, threads=threads)
        unscored = self.unscored(pairs)
        blank = unscored if unscored.any() else None
        columns = {
            "probability": pa.array(probability, mask=blank),
            "match": pa.array(probability >= self.threshold, mask=blank),
        }
        all_readings &= self.providers.vocabulary is not None
        if pairs.said is not None:
            columns |= pairs.said.columns(unscored, all_columns=all_readings)
        elif all_readings:
            columns |= empty_columns(len(rows))
        if "relation" in add:
            columns |= relations_of(self, pairs, table, texts, threads=threads).columns()
        if "reasons" in add:
            columns[WHY] = pa.array([why or None for why in reasons_of(self, pairs, texts)], pa.string())
        added = [(self.features.names, table)] if "features" in add else []
        added += [(self.shap_names, self.contributions(table, threads=threads))] if "shap" in add else []
        for names, values in added:
            columns |= {
                name: pa.array(column[rows], from_pandas=True) for name, column in zip(names, values.T, strict=True)
            }
        return columns
