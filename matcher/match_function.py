"""M, the match function: two diagnoses in, a probability and a decision out."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..endpoints.prices import read_services
from ..errors import InputError
from ..features.coverage import MIN_COVERAGE, Coverage, covered_table
from ..features.interning import InternedPairs, intern_pairs
from ..features.readings import COLUMNS, empty_columns
from ..features.representations import Representations
from ..models import folder as model_folder
from ..models.shipped import SHIPPED_MODEL
from .doubtful_texts import check_text, refuse_unscored, warn_of_mixed_scripts, warn_of_unscored
from .list_function import ListFunction
from .origin import check_identity
from .policy import SPECIFICATION
from .relation import (
    RELATION_COLUMNS,
    Relation,
    Relations,
    one_relation,
    policy_probability,
    reasons_of,
    relations_of,
)
from .trained import TrainedFunction, relation_model

if TYPE_CHECKING:
    import pyarrow as pa

    from ..features.interning import Strings
    from ..files.pairs import Pairs
    from ..votes.store.store import VoteStore


def load(
    path: str | os.PathLike[str] | None = None,
    *,
    store: str | os.PathLike[str] | None = None,
    endpoints: str | os.PathLike[str] | None = None,
    min_coverage: float = MIN_COVERAGE,
    policy: str = SPECIFICATION,
    judge_all: bool = False,
    encoders: Mapping[str, str | os.PathLike[str]] | None = None,
    allow_download: bool = False,
    identity: str | None = None,
    signed_by: str | os.PathLike[str] | None = None,
) -> MatchFunction:
    """A match function from its folder, or the one that ships with dxmatch (`offline-en`): no download, no network.

    Parameters
    ----------
    store : the vote store, for a model whose features are votes or picks. It is read; nothing is asked.
    endpoints : a TOML file that says where the model's encoders are served, if they are. A model folder never does.
    policy : which relations count as a match: "specification" (one may specify the other, in either direction), "strict" (the same disease
        only), "narrower-counts" or "broader-counts" (`b`, the answer, may be narrower, or broader, than `a`, the reference).
    min_coverage : the least share of pairs that each vote and pick must be known for; fewer are refused.
    judge_all : scores pairs with a diagnosis that is not understood, too: one in another script or language, a sentence,
        several diagnoses in one string, a word for none. By default they are left unscored, and counted.
    encoders : where a model's sentence-transformers encoders lie on this machine, {"name": folder}. A model folder names no path
        that is opened.
    allow_download : the hub may be asked for an encoder that the model has by its name there. Without it no request is made, and
        only what the hub's cache on this machine holds is taken.
    identity : what the model must be: "name@" and 12 digits as in reports, or the 64 of the whole folder (`identities`). The 64
        cannot be imitated, the 12 can with some days of computing.
    signed_by : the public key (minisign's, "RW…", or its file) that must have signed the folder. Needs the extra `signing`.

    Raises
    ------
    ModelError
        For a folder that is not a model, was changed, does not fit this release, is not the model of `identity`, or not
        signed by `signed_by`.
    """
    parts = model_folder.load(Path(path) if path is not None else SHIPPED_MODEL, signed_by=signed_by)
    served = {} if endpoints is None else read_services(endpoints)[0]
    m = MatchFunction(
        parts, store=open_store(store), endpoints=served, encoders=encoders, allow_download=allow_download,
        min_coverage=min_coverage, policy=policy, judge_all=judge_all,
    )  # fmt: skip
    if identity is not None:
        check_identity(m, identity)
    return m


def open_store(path: str | os.PathLike[str] | None) -> VoteStore | None:
    """The vote store at `path`, which must be there; None for none."""
    if path is None:
        return None
    from ..votes.store.store import VoteStore

    return VoteStore(path, must_exist=True)


@dataclass(frozen=True)
class Scored:
    """table : the rows that came, with `probability` and `match`. coverage : for how many of them each feature is known."""

    table: pa.Table
    coverage: Coverage


class MatchFunction(ListFunction, TrainedFunction):
    """Decides whether two free-text diagnoses name the same disease.

    M(a, b) = M(b, a) exactly. Two strings that are equal after normalisation match with probability 1. The probability
    of a pair alone is bit-identical to the one in a batch.
    """

    def added_columns(
        self,
        *,
        features: bool = False,
        shap: bool = False,
        relation: bool = False,
        readings: bool = False,
        beside: Sequence[str] = (),
        source: str | None = None,
    ) -> dict[str, str]:
        """What a score adds to a table: probability and match, and what is asked for beside them; the type of each by name.

        readings : with not_understood and read_as, where the model has a vocabulary. A score of a table has them only where
            they say something of a row.

        Raises
        ------
        InputError
            Where one of the columns `beside`, those of the table `source`, has such a name: it is never replaced unseen.
        ModelError
            Where relations are asked for of a model without a relation model.
        """
        names = {"probability": "float64", "match": "bool"}
        said = dict.fromkeys(COLUMNS if self.providers.vocabulary is not None else (), "string")
        if readings:
            names |= said
        if relation:
            relation_model(self.parts)
            names |= {"relation": "string"} | dict.fromkeys(RELATION_COLUMNS, "float64")
        if features:
            names |= dict.fromkeys(self.features.names, "float32")
        if shap:
            names |= dict.fromkeys(self.shap_names, "float64")
        if taken := [name for name in names | said if name in beside]:
            raise InputError(
                f"a column that the score would add is there already: {', '.join(taken)}",
                source=source,
                allowed="other names for your columns",
            )
        return names

    def __repr__(self) -> str:
        return f"MatchFunction({self.name!r}, {len(self.features.names)} features, threshold {self.threshold:.3f})"

    def match(self, a: str, b: str) -> bool:
        """Whether the probability reaches the threshold.

        Raises
        ------
        NotUnderstood
            Where `a` or `b` is not understood, and the two are not the same.
        InputError
            For what is no text, or a text without a letter or digit.
        """
        pairs = self._one_pair(a, b)
        refuse_unscored(pairs, self.unscored(pairs))
        warn_of_mixed_scripts(pairs, 3)
        return bool(self._probabilities(pairs)[0] >= self.threshold)

    def probability(self, a: str, b: str) -> float:
        """The calibrated probability, in [0, 1], that `a` and `b` name the same disease; NaN where one is not understood."""
        pairs = self._one_pair(a, b)
        self._warn(pairs)
        return float(self._probabilities(pairs)[0])

    def _one_pair(self, a: str, b: str) -> InternedPairs:
        check_text(a, "a")
        check_text(b, "b")
        return intern_pairs([a], [b], self.providers.naming)

    def _warn(self, pairs: InternedPairs) -> None:
        warn_of_mixed_scripts(pairs)
        warn_of_unscored(pairs, self.unscored(pairs))

    def probabilities(
        self, a: Strings, b: Strings, *, progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float64]:
        """float64[n] for n pairs, row by row; NaN, with a `NotUnderstoodWarning`, where a diagnosis is not understood.

        Parameters
        ----------
        a, b : n texts each: lists, Arrow arrays, or columns of pandas, polars or numpy.

        Raises
        ------
        InputError
            For what is no text, with its row and side; for a text without a letter or digit, or where votes are known for
            too few of the pairs.
        """
        pairs = intern_pairs(a, b, self.providers.naming)
        self._warn(pairs)
        return self._probabilities(pairs, progress)

    def _probabilities(
        self, pairs: InternedPairs, progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float64]:
        texts = Representations(pairs.names, self.providers)
        table, _ = covered_table(pairs, self.features, self.providers, self.min_coverage, progress, texts=texts)
        probability = self.counted(pairs, table, texts)
        probability[self.unscored(pairs)] = np.nan
        return probability

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

    def relation(self, a: str, b: str) -> Relation:
        """What `a` is to `b`: the same disease, a kind of it (narrower), a class of it (broader), near kin, nothing, or excluded.

        >>> dxmatch.load().relation("DLBCL", "non-Hodgkin lymphoma").kind  # doctest: +SKIP
        'narrower'

        Raises
        ------
        NotUnderstood
            Where `a` or `b` is not understood.
        ModelError
            For a model without a relation model.
        """
        pairs = self._one_pair(a, b)
        refuse_unscored(pairs, self.unscored(pairs))
        warn_of_mixed_scripts(pairs, 3)
        return one_relation(self, pairs)

    def relations(self, a: Strings, b: Strings, *, why: bool = False) -> Relations:
        """What each `a` is to its `b`, for n pairs; see `relation`. A pair that is not understood has no relation.

        Parameters
        ----------
        why : gives the reasons too.

        Raises
        ------
        InputError
            As of `probabilities`.
        ModelError
            For a model without a relation model.
        """
        pairs = intern_pairs(a, b, self.providers.naming)
        self._warn(pairs)
        texts = Representations(pairs.names, self.providers)
        table, _ = covered_table(pairs, self.features, self.providers, self.min_coverage, texts=texts)
        found = relations_of(self, pairs, table, texts)
        return replace(found, why=reasons_of(self, pairs, texts)) if why else found

    def score(
        self,
        pairs: Any,
        *,
        a: str = "a",
        b: str = "b",
        features: bool = False,
        shap: bool = False,
        relation: bool = False,
        rejects: str | os.PathLike[str] | None = None,
        encoding: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Any:
        """The table that came, with the columns `probability` (float64) and `match` (bool) added.

        Both are null where a diagnosis is not understood; a column `not_understood` then says why ("a: another script"). Where
        words were read as others, a column `read_as` says which ("b: infraction → infarction").

        Parameters
        ----------
        pairs : a path (an Arrow table comes back), a pandas, polars or Arrow frame (the same kind comes back), a sequence of
            two-tuples, a list of dicts or a dict of columns (a pandas frame comes back, or an Arrow table where pandas is absent).
        a, b : the columns of the two diagnoses.
        features : adds one float32 column per feature, null where it could not be computed.
        shap : adds one float64 column `shap_<feature>` per feature and `shap_base`, as `contributions` gives them.
        relation : adds `relation` (a word) and the six probabilities `relation_same`, `relation_narrower`, ….
        rejects : a file for the rows that cannot be right; without it the first of them is an `InputError`.
        encoding : of a text file that is not UTF-8.
        """
        from ..files.pairs import read_pairs

        read = read_pairs(pairs, a=a, b=b, rejects=rejects, encoding=encoding)
        if read.table.note:
            warnings.warn(read.table.note, stacklevel=2)
        scored = self.score_read(read, features=features, shap=shap, relation=relation, progress=progress)
        return read.table.native(scored.table)

    def score_read(
        self,
        read: Pairs,
        *,
        features: bool = False,
        shap: bool = False,
        relation: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Scored:
        """`score` for pairs that were read and checked before, with the coverage of each feature."""
        from ..files.tables import with_columns

        self.added_columns(
            features=features, shap=shap, relation=relation, beside=read.table.names, source=read.table.source
        )
        unique = intern_pairs(read.a, read.b, self.providers.naming)
        warn_of_mixed_scripts(unique)
        texts = Representations(unique.names, self.providers)
        table, known = covered_table(unique, self.features, self.providers, self.min_coverage, progress, texts=texts)
        columns = self.score_columns(unique, table, texts, features=features, shap=shap, relation=relation)
        return Scored(with_columns(read.table.data, columns), known)

    def score_columns(
        self,
        pairs: InternedPairs,
        table: NDArray[np.float32],
        texts: Representations,
        *,
        features: bool = False,
        shap: bool = False,
        relation: bool = False,
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
        if relation:
            columns |= relations_of(self, pairs, table, texts, threads=threads).columns()
        added = [(self.features.names, table)] if features else []
        added += [(self.shap_names, self.contributions(table, threads=threads))] if shap else []
        for names, values in added:
            columns |= {
                name: pa.array(column[rows], from_pandas=True) for name, column in zip(names, values.T, strict=True)
            }
        return columns
