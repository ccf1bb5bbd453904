"""The trained part of M with what stands behind it: a model folder opened, features in, probabilities out."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from ..endpoints.endpoint import Endpoint
from ..errors import ModelError, OptionError
from ..features.coverage import MIN_COVERAGE
from ..features.feature_set import FeatureSet
from ..features.interning import InternedPairs
from ..features.providers import SHIPPED
from ..models import folder as model_folder
from ..models.folder import ModelFolder, feature_diff
from ..models.manifest import DISEASES
from ..models.packed import PackedModel, packed, unpacked
from ..models.relation import RelationModel
from ..models.releases import warn_of_other_releases
from ..models.scorer import Scorer
from ..terms.diseases.graph import DiseaseGraph
from ..terms.diseases.words import vocabulary_of
from ..terms.encoders.kept import KeptEncoder, kept_encoders
from ..terms.encoders.static import StaticEncoder
from ..terms.text.correction import Corrections
from ..terms.text.normalizer import Normalizer
from ..terms.text.understood import LANGUAGE, SCRIPT, Reading
from ..terms.text.vocabulary import Vocabulary
from .policy import POLICIES, SPECIFICATION, Policy, PolicyName

if TYPE_CHECKING:
    from ..votes.store.store import VoteStore


_LOWEST = -1e9
"""Log-odds below those of any trees, and finite, so that differences of them are numbers."""


class TrainedFunction:
    """What a model folder makes of the features of pairs; `MatchFunction` makes it of texts."""

    def __init__(
        self,
        parts: ModelFolder,
        *,
        store: VoteStore | None = None,
        endpoints: Mapping[str, Endpoint] | None = None,
        encoders: Mapping[str, str | os.PathLike[str]] | None = None,
        allow_download: bool = False,
        min_coverage: float = MIN_COVERAGE,
        policy: PolicyName = SPECIFICATION,
        vocabulary: Vocabulary | None = None,
        judge_all: bool = False,
    ) -> None:
        self.parts = parts
        self.fetched_from: str | None = None
        """Of a model of the hub: "owner/name@commit"."""
        self.min_coverage = min_coverage
        self.judge_all = judge_all
        manifest = parts.manifest
        self.name = manifest.name
        self._policy = POLICIES[policy]
        self.threshold = threshold_of(parts, self._policy)
        self.features = FeatureSet.from_dict(_with_todays_views(manifest.feature_set), f"model {self.name}")
        if self.features.names != manifest.feature_names:
            raise ModelError(
                f"Model {self.name}: the feature set and the columns of the trees differ.\n"
                + feature_diff(manifest.feature_names, self.features.names)
            )
        mine = {*self.features.encoders, *self.features.declared_encoders}
        if foreign := sorted({*(encoders or ())} - mine):
            allowed = ", ".join(sorted(mine - {SHIPPED})) or "none, for all that it needs is in its folder"
            raise OptionError("encoders", f"by the names of the model's encoders ({allowed})", foreign[0])
        graph = None
        if parts.diseases is not None:
            graph = DiseaseGraph.from_bytes(parts.diseases, f"{manifest.name}: {DISEASES}")
            vocabulary = vocabulary or vocabulary_of(graph, self.features.language)
        self.providers = self.features.open(
            Normalizer.from_spec(manifest.normalizer),
            StaticEncoder.from_bytes(parts.encoder) if parts.encoder else None,
            endpoints=endpoints,
            folders={**kept_encoders(parts.encoders, self.features.encoders), **(encoders or {})},
            allow_download=allow_download,
            store=store,
            graph=graph,
            identities=manifest.encoders,
            vocabulary=vocabulary,
        )
        warn_of_other_releases(self.name, manifest.libraries)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travels as its folder's bytes (`models/packed.py`) and the options of `load`; a store and encoders' folders by their paths."""
        store = self.providers.store
        options = {
            "store": None if store is None else store.path.absolute(),
            "endpoints": dict(self.providers.endpoints),
            "encoders": {
                name: Path(folder).absolute()
                for name, folder in self.providers.folders.items()
                if name not in self.kept_encoders
            },
            "allow_download": self.providers.allow_download,
            "min_coverage": self.min_coverage,
            "policy": self.policy,
            "judge_all": self.judge_all,
        }
        return (
            _arrived,
            (type(self), self._packed, options),
            {n: self.__dict__[n] for n in ("_threshold", "fetched_from")},
        )

    def __copy__(self) -> Self:
        """Shares all but what may be set: nothing else of it ever changes."""
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        del memo
        return self.__copy__()

    @property
    def kept_encoders(self) -> list[str]:
        """The names of encoders that are read from the model folder, besides the shipped one."""
        return [name for name, folder in self.providers.folders.items() if isinstance(folder, KeptEncoder)]

    @cached_property
    def _packed(self) -> PackedModel:
        return packed(self.parts)

    @property
    def metrics(self) -> dict[str, Any]:
        """What was measured when it was trained, as in its card."""
        return self.parts.manifest.metrics

    @property
    def data(self) -> dict[str, Any]:
        """What it was trained on: counts, how far the experts agree, "warnings", …."""
        return self.parts.manifest.data

    @property
    def threshold(self) -> float:
        """A pair matches from this probability up. It may be set, in [0, 1]: `OptionError` for anything else."""
        return self._threshold

    @threshold.setter
    def threshold(self, value: float) -> None:
        self._threshold = checked_threshold(value)

    def threshold_or(self, other: float | None) -> float:
        """M's threshold where no other is given. Raises `OptionError` as setting it would."""
        return self.threshold if other is None else checked_threshold(other)

    @property
    def policy(self) -> str:
        """Which relations count as a match."""
        return self._policy.name

    @property
    def rests_on_votes(self) -> bool:
        """Whether a feature is a language model's vote or pick, so that a pair costs a call before it can be scored."""
        return bool(self.features.asked)

    @property
    def has_relation_model(self) -> bool:
        """Whether it tells relations, and knows other policies than the default."""
        return self.parts.relation is not None

    @property
    def identity(self) -> str:
        """Name and the first twelve digits of the hash of everything that shapes a score: tells models apart, and is no seal."""
        return self._identity_under(self.policy)

    @property
    def identities(self) -> tuple[str, ...]:
        """All that it may be called by: `identity`, the same under its default policy, and name and the folder's whole hash.

        The whole hash is that of model.json, which holds those of all other files; a model that was not loaded has none yet.
        """
        digest = self.parts.sha256
        whole = () if digest is None else (f"{self.name}@{digest}",)
        return (self.identity, self._identity_under(SPECIFICATION), *whole)

    def _identity_under(self, policy: str) -> str:
        manifest = self.parts.manifest
        decision = [manifest.ensemble.to_json(), manifest.calibration.to_json(), manifest.threshold]
        decision += [] if policy == SPECIFICATION else [policy]
        shape = [manifest.feature_set, manifest.normalizer, manifest.encoders, decision]
        digest = hashlib.sha256(json.dumps(shape, sort_keys=True).encode())
        digest.update(self.parts.diseases or b"")
        for text in self.parts.trees:
            digest.update(text.encode())
        if (relation := self.parts.relation) is not None:
            trees = {head: list(texts) for head, texts in relation.trees.items()}
            digest.update(json.dumps([relation.to_json(), trees], sort_keys=True).encode())
        return f"{self.name}@{digest.hexdigest()[:12]}"

    @property
    def shap_names(self) -> list[str]:
        """The columns of `contributions`."""
        return [f"shap_{name}" for name in (*self.features.names, "base")]

    def unscored(self, pairs: InternedPairs) -> NDArray[np.bool_]:
        """bool[n]: the rows of `pairs` that are left unscored, since a diagnosis is not understood."""
        return np.zeros(len(pairs.pair_of_row), bool) if self.judge_all else pairs.not_understood

    def not_understood(self, texts: Sequence[str]) -> dict[str, str]:
        """Of different texts those that are not understood, with the reason; none with `judge_all`."""
        read = {} if self.judge_all else self._readings(texts)
        return {text: reading.not_understood for text, reading in read.items() if reading.not_understood is not None}

    def of_another_language(self, texts: Sequence[str]) -> dict[str, str]:
        """Of different texts those of another script or language, with the reason; with `judge_all`, too, which scores them."""
        read = self._readings(texts)
        return {text: reason for text, one in read.items() if (reason := one.not_understood) in (SCRIPT, LANGUAGE)}

    def read_as(self, texts: Sequence[str]) -> dict[str, Corrections]:
        """Of different texts those with words that are read as others: what was written, and what it is read as."""
        return {text: reading.read_as for text, reading in self._readings(texts).items() if reading.read_as}

    def _readings(self, texts: Sequence[str]) -> dict[str, Reading]:
        naming = self.providers.naming
        return {} if naming.vocabulary is None else dict(zip(texts, naming.read(texts), strict=True))

    def save(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> Path:
        """Writes the model folder, whole or not at all."""
        return model_folder.save(Path(path), self.parts, overwrite=overwrite)

    def decided(
        self, table: NDArray[np.float32], equal: NDArray[np.bool_], *, threads: int | None = None
    ) -> NDArray[np.float64]:
        """The probabilities float64[n] of pairs from their features float32[n, f]: 1 where `equal` bool[n], 0 where what they say excludes."""
        probability = self.scorer.decided(table, equal, threads=threads)
        if (column := self.features.exclusion) is not None:
            probability[(table[:, column] == 1) & ~equal] = 0.0
        return probability

    def raw(self, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """`Scorer.raw`: log-odds float64[n] before calibration."""
        return self.scorer.raw(table, threads=threads)

    def ranked(self, table: NDArray[np.float32]) -> NDArray[np.float64]:
        """What ranks pairs that are not equal: log-odds float64[n], below all others where what they say excludes."""
        raw = self.raw(table)
        if (column := self.features.exclusion) is not None:
            raw[table[:, column] == 1] = _LOWEST
        return raw

    def contributions(self, table: NDArray[np.float32], *, threads: int | None = None) -> NDArray[np.float64]:
        """`Scorer.contributions`: SHAP values float64[n, f + 1], the base in the last column."""
        return self.scorer.contributions(table, threads=threads)

    @cached_property
    def scorer(self) -> Scorer:
        """The trained part: features -> raw log-odds -> probability."""
        manifest = self.parts.manifest
        return Scorer(self.parts.trees, manifest.calibration, manifest.ensemble)


_ARRIVED: dict[str, TrainedFunction] = {}
"""The one that was unpickled last, by all that makes it: a worker is sent the same one with each of its tasks."""


def _arrived(kind: type[TrainedFunction], model: PackedModel, options: dict[str, Any]) -> TrainedFunction:
    """What `TrainedFunction.__reduce__` wrote down. Raises `ModelError`, and `StoreError` for a vote store that is not there."""
    key = repr((kind, model.sha256, options))
    kept = _ARRIVED.get(key)
    if kept is None:
        from ..votes.store.store import VoteStore

        path = options["store"]
        store = None if path is None else VoteStore(path, must_exist=True)
        kept = kind(unpacked(model), **{**options, "store": store})
        _ARRIVED.clear()
        _ARRIVED[key] = kept
    return copy(kept)


def relation_model(parts: ModelFolder) -> RelationModel:
    """Raises `ModelError` for a model without one."""
    if parts.relation is None:
        raise ModelError(
            f"Model {parts.manifest.name} has no relation model, so it knows no relation and no policy but {SPECIFICATION}. "
            "Train it with the features 'offline' and the shipped encoder, or take the shipped model."
        )
    return parts.relation


def checked_threshold(value: float) -> float:
    """Raises `OptionError` for what is no probability."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0 <= value <= 1:
        raise OptionError("threshold", "a probability, 0 to 1", value)
    return float(value)


def threshold_of(parts: ModelFolder, policy: Policy) -> float:
    """M's threshold under a policy. Raises `ModelError` for a model that knows none."""
    if policy.name == SPECIFICATION:
        return parts.manifest.threshold
    thresholds = relation_model(parts).thresholds
    if policy.name not in thresholds:
        known = ", ".join((SPECIFICATION, *thresholds))
        raise ModelError(
            f"Model {parts.manifest.name} has no threshold for the policy {policy.name}, only for {known}."
        )
    return thresholds[policy.name]


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
