from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.features.registry import KINDS


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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nam = 'x'", "an unknown key; did you mean 'name'"),
        ("name = 'x'", "the set: no 'feature'. Allowed: at least one"),
        (
            "language = 'fr'\n[[feature]]\nname='x'\nkind='levenshtein'",
            "no usable 'language'. Allowed: en, ru. Got: 'fr'",
        ),
        ("[[feature]]\nkind='ratio'\nview='stem'", r"feature 1 \(unnamed\): no 'name'"),
        ("[[feature]]\nname='x'\nkind='ratoi'", r"feature 1 \(x\): an unknown kind; did you mean 'ratio'"),
        ("[[feature]]\nname='x'\nkind='ratio'", "no 'view'. Allowed: bigram, lemma, "),
        ("[[feature]]\nname='x'\nkind='ratio'\nview='stems'", "no usable 'view'.*stem"),
        ("[[feature]]\nname='x'\nkind='ratio'\nviev='stem'", "an unknown key; did you mean 'view'"),
        ("[[feature]]\nname='x y'\nkind='levenshtein'", "no usable 'name'. Allowed: letters, digits and _. Got: 'x y'"),
        ("[[feature]]\nname='x'\nkind='levenshtein'\n" * 2, "two features of one name.*Got: 'x'"),
        ("[[feature]\nname='x'", "not TOML"),
    ],
)
def test_sets_that_cannot_be_right(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "set.toml").write_text(text)
    with pytest.raises(InputError, match=message):
        FeatureSet.read(tmp_path / "set.toml")


def test_unknown_set() -> None:
    with pytest.raises(InputError, match=r"no such feature set; did you mean 'offline'\? Allowed: offline, paper17"):
        FeatureSet.read("online")


@pytest.mark.parametrize("kind", KINDS.values(), ids=[*KINDS])
def test_declarations_are_whole(kind: object) -> None:
    low, high = kind.range  # type: ignore[attr-defined]
    assert low < high
    assert kind.alike in (low, high)  # type: ignore[attr-defined]
    assert kind.compute.__doc__  # type: ignore[attr-defined]
    assert kind.missing  # type: ignore[attr-defined]
