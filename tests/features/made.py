"""Features of every pair of some names, with encoders, graph and tree made for tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from dxmatch.features.compute import feature_table
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.names import Names
from dxmatch.features.providers import SHIPPED, Providers
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer

from ..small_graph import graph_of
from ..terms.conftest import SMALL, HashingEncoder

GRAPH, TREE = graph_of(), str(SMALL)
Kind = Mapping[str, object]


def grid(count: int) -> NDArray[np.int32]:
    """int32[2, count²]: every place with every place."""
    return np.stack(np.divmod(np.arange(count * count), count)).astype(np.int32)


def providers(language: str = "en") -> Providers:
    return Providers(Naming(Normalizer(language)), {SHIPPED: HashingEncoder()}, graph=GRAPH)


def feature_set(*kinds: Kind, language: str = "en") -> FeatureSet:
    named = [{"name": f"f{number}", **kind} for number, kind in enumerate(kinds)]
    return FeatureSet.from_dict({"language": language, "feature": named})


def table(names: Sequence[str], *kinds: Kind, language: str = "en") -> NDArray[np.float32]:
    """float32[features, names, names]."""
    found = feature_table(
        Names(list(names), providers(language)), *grid(len(names)), feature_set(*kinds, language=language)
    )
    return found.T.reshape(len(kinds), len(names), len(names))
