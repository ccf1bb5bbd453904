"""M, the match function: two diagnoses in, a probability and a decision out."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..endpoints.endpoint import Endpoint
from ..endpoints.prices import read_services
from ..errors import InputError, ModelError
from ..features.coverage import MIN_COVERAGE, Coverage, covered_table
from ..features.feature_set import FeatureSet
from ..features.interning import InternedPairs, intern_pairs
from ..models import folder as model_folder
from ..models.folder import ModelFolder, feature_diff
from ..models.releases import warn_of_other_releases
from ..models.scorer import Scorer
from ..models.shipped import SHIPPED_MODEL
from ..terms.encoders.static import StaticEncoder
from ..terms.text.normalizer import Normalizer

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
) -> MatchFunction:
    """A match function from its folder, or the one that ships with dxmatch (`offline-en`): no download, no network.

    Parameters
    ----------
    store : the vote store, for a model whose features are votes or picks. It is read; nothing is asked.
    endpoints : a TOML file that says where the model's encoders are served, if they are. A model folder never does.
    min_coverage : the least share of pairs that each vote and pick must be known for; fewer are refused.

    Raises
    ------
    ModelError
        For a folder that is not a model, was changed, or does not fit this release.
    """
    parts = model_folder.load(Path(path) if path is not None else SHIPPED_MODEL)
    served = {} if endpoints is None else read_services(endpoints)[0]
    return MatchFunction(parts, store=open_store(store), endpoints=served, min_coverage=min_coverage)


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


class MatchFunction:
    """Decides whether two free-text diagnoses name the same disease.

    M(a, b) = M(b, a) exactly. Two strings that are equal after normalisation match with probability 1. The probability
    of a pair alone is bit-identical to the one in a batch.
    """

    def __init__(
        self,
        parts: ModelFolder,
        *,
        store: VoteStore | None = None,
        endpoints: Mapping[str, Endpoint] | None = None,
        min_coverage: float = MIN_COVERAGE,
    ) -> None:
        self.parts = parts
        self.min_coverage = min_coverage
        manifest = parts.manifest
        self.name = manifest.name
        self.threshold = manifest.threshold
        self.features = FeatureSet.from_dict(_with_todays_views(manifest.feature_set), f"model {self.name}")
        if self.features.names != manifest.feature_names:
            raise ModelError(
                f"Model {self.name}: the feature set and the columns of the trees differ.\n"
                + feature_diff(manifest.feature_names, self.features.names)
            )
        self.providers = self.features.open(
            Normalizer.from_spec(manifest.normalizer),
            StaticEncoder.from_bytes(parts.encoder) if parts.encoder else None,
            endpoints=endpoints,
            store=store,
            identities=manifest.encoders,
        )
        warn_of_other_releases(self.name, manifest.libraries)

    @property
    def metrics(self) -> dict[str, Any]:
        """What was measured when it was trained, as in its card."""
        return self.parts.manifest.metrics

    @property
    def data(self) -> dict[str, Any]:
        """What it was trained on: counts, how far the experts agree, "warnings", …."""
        return self.parts.manifest.data

    @property
    def rests_on_votes(self) -> bool:
        """Whether a feature is a language model's vote or pick, so that a pair costs a call before it can be scored."""
        return bool(self.features.asked)

    @property
    def identity(self) -> str:
        """Name and the first twelve digits of the hash of everything that shapes a score."""
        manifest = self.parts.manifest
        decision = [manifest.ensemble.to_json(), manifest.calibration.to_json(), manifest.threshold]
        shape = [manifest.feature_set, manifest.normalizer, manifest.encoders, decision]
        digest = hashlib.sha256(json.dumps(shape, sort_keys=True).encode())
        for text in self.parts.trees:
            digest.update(text.encode())
        return f"{self.name}@{digest.hexdigest()[:12]}"

    @property
    def shap_names(self) -> list[str]:
        """The columns of `contributions`."""
        return [f"shap_{name}" for name in (*self.features.names, "base")]

    def added_columns(self, *, features: bool = False, shap: bool = False) -> dict[str, str]:
        """What a score adds to a table: probability and match, and what is asked for beside them; the type of each by name."""
        names = {"probability": "float64", "match": "bool"}
        if features:
            names |= dict.fromkeys(self.features.names, "float32")
        if shap:
            names |= dict.fromkeys(self.shap_names, "float64")
        return names

    def __repr__(self) -> str:
        return f"MatchFunction({self.name!r}, {len(self.features.names)} features, threshold {self.threshold:.3f})"

    def match(self, a: str, b: str) -> bool:
        """Whether the probability reaches the threshold."""
        return self.probability(a, b) >= self.threshold

    def probability(self, a: str, b: str) -> float:
        """The calibrated probability, in [0, 1], that `a` and `b` name the same disease."""
        return float(self.probabilities([a], [b])[0])

    def probabilities(
        self, a: Strings, b: Strings, *, progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float64]:
        """float64[n] for n pairs, row by row.

        Raises
        ------
        InputError
            For a text without a letter or digit, or where votes are known for too few of the pairs.
        """
        pairs = intern_pairs(a, b, self.providers.naming)
        return self._of_unique(pairs, progress)[0][pairs.pair_of_row]

    def score(
        self,
        pairs: Any,
        *,
        a: str = "a",
        b: str = "b",
        features: bool = False,
        shap: bool = False,
        rejects: str | os.PathLike[str] | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Any:
        """The table that came, with the columns `probability` (float64) and `match` (bool) added.

        Parameters
        ----------
        pairs : a path, a pandas, polars or Arrow frame (the same kind comes back), or a sequence of two-tuples.
        a, b : the columns of the two diagnoses.
        features : adds one float32 column per feature, null where it could not be computed.
        shap : adds one float64 column `shap_<feature>` per feature and `shap_base`, as `contributions` gives them.
        rejects : a file for the rows that cannot be right; without it the first of them is an `InputError`.
        """
        from ..files.pairs import read_pairs
        from ..files.tables import to_native

        read = read_pairs(pairs, a=a, b=b, rejects=rejects)
        return to_native(self.score_read(read, features=features, shap=shap, progress=progress).table, read.table.frame)

    def score_read(
        self,
        read: Pairs,
        *,
        features: bool = False,
        shap: bool = False,
        progress: Callable[[int, int], None] | None = None,
    ) -> Scored:
        """`score` for pairs that were read and checked before, with the coverage of each feature.

        Raises
        ------
        InputError
            Where the table has a column of a name that would be added: it is never replaced unseen.
        """
        import pyarrow as pa

        from ..files.tables import with_columns

        if taken := [name for name in self.added_columns(features=features, shap=shap) if name in read.table.names]:
            raise InputError(
                f"a column that the score would add is there already: {', '.join(taken)}",
                source=read.table.source,
                allowed="other names for your columns",
            )
        unique = intern_pairs(read.a, read.b, self.providers.naming)
        probability, table, known = self._of_unique(unique, progress)
        probability = probability[unique.pair_of_row]
        columns: dict[str, Any] = {"probability": probability, "match": probability >= self.threshold}
        if features:
            rows = table[unique.pair_of_row]
            for index, name in enumerate(self.features.names):
                columns[name] = pa.array(rows[:, index], from_pandas=True)
        if shap:
            rows = self.contributions(table)[unique.pair_of_row]
            columns |= {name: rows[:, index] for index, name in enumerate(self.shap_names)}
        return Scored(with_columns(read.table.data, columns), known)

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the model folder, whole or not at all."""
        return model_folder.save(Path(path), self.parts, overwrite=overwrite)

    def _of_unique(
        self, pairs: InternedPairs, progress: Callable[[int, int], None] | None
    ) -> tuple[NDArray[np.float64], NDArray[np.float32], Coverage]:
        table, known = covered_table(pairs, self.features, self.providers, self.min_coverage, progress)
        return self.decided(table, pairs.equal), table, known

    def decided(
        self, table: NDArray[np.float32], equal: NDArray[np.bool_], *, threads: int | None = None
    ) -> NDArray[np.float64]:
        """`Scorer.decided`: the probabilities float64[n] of pairs from their features float32[n, f]."""
        return self.scorer.decided(table, equal, threads=threads)

    def raw(self, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """`Scorer.raw`: log-odds float64[n] before calibration."""
        return self.scorer.raw(table, threads=threads)

    def contributions(self, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """`Scorer.contributions`: SHAP values float64[n, f + 1], the base in the last column."""
        return self.scorer.contributions(table, threads=threads)

    @cached_property
    def scorer(self) -> Scorer:
        """The trained part: features -> raw log-odds -> probability."""
        manifest = self.parts.manifest
        return Scorer(self.parts.trees, manifest.calibration, manifest.ensemble)


def _with_todays_views(feature_set: Mapping[str, Any]) -> Mapping[str, Any]:
    """A manifest's feature set in the words of this release.

    The view "pos" of models before the view "tags" was the set of words with their tags. The tagger saw each word alone, so
    two tagged words were equal just where the words were: its ratio is that of "unigram", to the bit.
    """
    old = {"kind": "ratio", "view": "pos"}
    columns = feature_set.get("feature", [])
    if not isinstance(columns, list):
        return feature_set
    renamed = [{**f, "view": "unigram"} if isinstance(f, Mapping) and old.items() <= f.items() else f for f in columns]
    return {**feature_set, "feature": renamed}
