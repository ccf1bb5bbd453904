from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet

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
