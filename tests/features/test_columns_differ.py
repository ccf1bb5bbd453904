"""No two features of a built-in set say the same of every pair: one of them would only cost time and split credit."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.providers import Providers
from dxmatch.files.pairs import read_pairs
from dxmatch.matcher.batch import PairModel
from dxmatch.models.folder import shipped_parts
from dxmatch.terms.diseases.graph import shipped_graph
from dxmatch.terms.encoders.static import StaticEncoder
from dxmatch.terms.text.normalizer import Normalizer


@pytest.fixture(scope="module")
def providers() -> Providers:
    return FeatureSet.read("offline").open(
        Normalizer(), StaticEncoder.from_arrays(shipped_parts().encoder or {}), graph=shipped_graph()
    )


def same_columns(features: list[dict[str, str]], providers: Providers, example: Path) -> list[tuple[str, str]]:
    chosen = FeatureSet.from_dict({"feature": features})
    read = read_pairs(example / "pairs.csv")
    table = PairModel(chosen, providers).batch(read.a, read.b).features
    columns = dict(zip(chosen.names, table.T, strict=True))
    return [(a, b) for a, b in combinations(columns, 2) if np.array_equal(columns[a], columns[b], equal_nan=True)]


@pytest.mark.parametrize("name", ["offline", "paper17"])
def test_no_two_are_the_same(name: str, providers: Providers, example: Path) -> None:
    """Of "paper17", what needs neither a language model nor an encoder of a hub."""
    if name == "paper17":
        pytest.importorskip("textblob", reason="tags need the extra 'pos'")
    features = FeatureSet.read(name).to_dict()["feature"]
    local = [f for f in features if "model" not in f and f.get("encoder", "shipped") == "shipped"]
    assert len(local) >= 7
    assert same_columns(local, providers, example) == []
