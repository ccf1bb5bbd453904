from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.files.pairs import read_pairs
from dxmatch.matcher.batch import PairModel


def test_offline() -> None:
    offline = FeatureSet.read("offline")
    assert offline.names == (
        "icd_nearest", "icd_kinship", "icd_overlap", "cosine_static", "alignment_better", "alignment_worse", "contrast",
        "ratio_unigram", "ratio_bigram", "ratio_stem", "ratio_lemma", "disease_same", "disease_line",
        "disease_closeness", "disease_lin", "disease_certainty", "excluded",
    )  # fmt: skip
    assert offline.needs_graph and offline.features[16].kind == "exclusion"
    cheap = FeatureSet.from_dict({"feature": [{"name": "x", "kind": "levenshtein"}]})
    assert not cheap.needs_graph and not cheap.excludes(np.ones((1, len(cheap.names)), np.float32)).any()
    assert FeatureSet.from_dict(offline.to_dict()) == offline


X = "[[feature]]\nname='x'\n"
WRONG = {
    "nam = 'x'": "an unknown key; did you mean 'name'",
    "name = 'x'": "the set: no 'feature'. Allowed: at least one",
    f"language = 'fr'\n{X}kind='levenshtein'": "no usable 'language'. Allowed: en, ru. Got: 'fr'",
    "[[feature]]\nkind='ratio'\nview='stem'": r"feature 1 \(unnamed\): no 'name'",
    f"{X}kind='ratoi'": r"feature 1 \(x\): an unknown kind; did you mean 'ratio'",
    f"{X}kind='ratio'": "no 'view'. Allowed: bigram, lemma, ",
    f"{X}kind='ratio'\nview='stems'": "no usable 'view'.*stem",
    f"{X}kind='ratio'\nviev='stem'": "an unknown key; did you mean 'view'",
    f"{X}kind='cosine'\nencoder='shiped'": r"feature x: an unknown encoder; did you mean 'shipped'\? Allowed: shipped, sentence-transformers:NAME",
    "[[feature]]\nname='x y'\nkind='levenshtein'": "no usable 'name'. Allowed: letters, digits and _. Got: 'x y'",
    f"{X}kind='levenshtein'\n" * 2: "two features of one name.*Got: 'x'",
    "[[feature]\nname='x'": "not TOML",
}  # fmt: skip


@pytest.mark.parametrize(("text", "message"), WRONG.items())
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
