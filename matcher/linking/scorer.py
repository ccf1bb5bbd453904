"""What linking needs of a match function, what a ranking gives, and pairs of names scored in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError
from ...features.compute import prepare
from ...features.coverage import covered_table
from ...features.feature_set import FeatureSet
from ...features.interning import InternedPairs, unordered_pairs
from ...features.providers import SHIPPED, Providers
from ...features.representations import Progress, Representations

PAIRS_AT_ONCE = 1 << 20
"""Their features and what is made on the way take some 200 MB."""


class Scorer(Protocol):
    """A `MatchFunction`."""

    name: str
    judge_all: bool
    min_coverage: float
    features: FeatureSet
    providers: Providers

    @property
    def identity(self) -> str: ...

    @property
    def policy(self) -> str: ...

    @property
    def threshold(self) -> float: ...

    def threshold_or(self, other: float | None, /) -> float: ...

    @property
    def has_relation_model(self) -> bool: ...

    def counted(
        self, pairs: InternedPairs, table: NDArray[np.float32], texts: Representations, /
    ) -> NDArray[np.float64]: ...

    def relations(self, a: Sequence[str], b: Sequence[str], /, *, why: bool = False) -> Any: ...


@dataclass(frozen=True, slots=True)
class Ranked:
    """A term of a list against a query.

    Attributes
    ----------
    term : as it stands in the list. index : its place there, from 0.
    probability : that it matches the query. match : whether that reaches the threshold.
    relation : what the query is to the term ("same", "narrower", …); None where M tells no relations.
    """

    term: str
    probability: float
    match: bool
    relation: str | None
    index: int


class NamedPairs:
    """M on pairs of u normalised names, each prepared once.

    Parameters
    ----------
    names : all different.
    progress : called with the names that are prepared and the names in all.
    """

    def __init__(self, m: Scorer, names: Sequence[str], progress: Progress | None = None) -> None:
        self.m, self.names = m, list(names)
        self.texts = Representations(names, m.providers)
        prepare(self.texts, m.features, progress=progress)

    def probabilities(self, a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.float64]:
        """float64[n] for n pairs of names, int32[n] each, bit-identical to `MatchFunction.probabilities` of the texts."""
        out = np.empty(len(a))
        for start in range(0, len(a), PAIRS_AT_ONCE):
            some = slice(start, start + PAIRS_AT_ONCE)
            pairs = InternedPairs(self.names, *unordered_pairs(a[some], b[some], len(self.names)), a[some] > b[some])
            table, _ = covered_table(
                pairs, self.m.features, self.m.providers, self.m.min_coverage, texts=self.texts
            )  # fmt: skip
            out[some] = self.m.counted(pairs, table, self.texts)
        return out


def check_can_search(m: Scorer) -> None:
    """Raises `ModelError` for a model that has no encoder to find candidates by."""
    if SHIPPED not in m.providers.encoders:
        raise ModelError(f"Model {m.name} has no encoder of its own, so it cannot look for candidates in a list.")


def phases(progress: Progress | None, rows: int, *shares: int) -> list[Progress]:
    """What reports each part of a job of some rows, by its share of the work, to one `progress`."""
    reports: list[Progress] = []
    for i, share in enumerate(shares):
        before = sum(shares[:i]) * rows

        def report(done: int, total: int, before: int = before, share: int = share) -> None:
            if progress is not None:
                progress((before + share * rows * done // max(total, 1)) // sum(shares), rows)

        reports.append(report)
    return reports
