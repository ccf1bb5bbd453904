from __future__ import annotations

from pathlib import Path

import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.files.pairs import read_pairs
from dxmatch.matcher.batch import PairModel

from ..case_table import cases


def test_a_set_that_is_kept_is_the_same() -> None:
    offline = FeatureSet.read("offline")
    assert FeatureSet.from_dict(offline.to_dict()) == offline and offline.needs_graph
    assert not FeatureSet.from_dict({"feature": [{"name": "x", "kind": "levenshtein"}]}).needs_graph


@pytest.mark.parametrize(("text", "message"), cases("feature_sets"))
def test_sets_that_cannot_be_right(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "set.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        FeatureSet.read(tmp_path / "set.toml")


def test_unknown_set() -> None:
    with pytest.raises(InputError, match=r"no such feature set; did you mean 'offline'\? Allowed: offline, paper17"):
        FeatureSet.read("online")


@pytest.mark.parametrize("name", ["offline", "paper17"])
def test_no_two_columns_are_the_same(name: str, example: Path) -> None:
    """One of two would only cost time and split credit. Of "paper17", what needs neither a language model nor an encoder of a hub."""
    if name == "paper17":
        pytest.importorskip("textblob", reason="tags need the extra 'pos'")
    features = FeatureSet.read(name).to_dict()["feature"]
    local = [f for f in features if "model" not in f and f.get("encoder", "shipped") == "shipped"]
    chosen, read = FeatureSet.from_dict({"feature": local}), read_pairs(example / "pairs.csv")
    table = PairModel(chosen, dxmatch.load().providers).batch(read.a, read.b).features
    assert len({column.tobytes() for column in table.T}) == len(local) >= 7
