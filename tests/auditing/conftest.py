from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest
from lightgbm import Booster

import dxmatch
from dxmatch.models.ensemble import Sigmoid
from dxmatch.models.folder import ModelFolder
from dxmatch.models.manifest import Decision, Made
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.engines.fitted import trees_of

from ..small_model import booster_of, small_manifest

NAMES = ("ratio_unigram", "levenshtein")
SET = {
    "name": "two", "language": "en",
    "feature": [{"name": NAMES[0], "kind": "ratio", "view": "unigram"}, {"name": NAMES[1], "kind": "levenshtein"}],
}  # fmt: skip


def tree_of(leaves: str) -> Booster:
    """ratio_unigram <= 0.4: leaf 0 (40 pairs); else levenshtein > 0.6: leaf 2 (15 pairs), and leaf 1 (45 pairs)."""
    tree = {
        "split_feature": [0, 1], "threshold": [0.4, 0.6], "decision_type": [10, 10], "left_child": [-1, -2], "right_child": [1, -3],
        "leaf_value": list(map(float, leaves.split())), "leaf_count": [40, 45, 15],
    }  # fmt: skip
    return booster_of([tree], 2)


@pytest.fixture(scope="session")
def matcher_of() -> Callable[..., dxmatch.MatchFunction]:
    """A match function of two features; each member is a tree of three leaves of the values given. more : as of `trees_of`."""

    def make(*leaves: str, **more: Any) -> dxmatch.MatchFunction:
        manifest = small_manifest(
            NAMES, feature_set=SET, normalizer=Normalizer("en").spec(), decision=Decision(Sigmoid(1.0, 0.0), 0.5, "half"),
            made=Made("2025-01-31", "0.1.0", {}),
        )  # fmt: skip
        return dxmatch.MatchFunction(ModelFolder(manifest, trees_of(list(map(tree_of, leaves)), **more)))

    return make


@pytest.fixture(scope="session")
def matcher(matcher_of: Callable[..., dxmatch.MatchFunction]) -> dxmatch.MatchFunction:
    """A match where at least half of the words are shared and at most 0.6 of the letters change."""
    return matcher_of("-2 3 -1")


@pytest.fixture(scope="session")
def rows() -> pd.DataFrame:
    """80 pairs of 20 references: a specification, a synonym, a sibling and a stranger each; M misses the synonyms."""
    out: list[dict[str, Any]] = []
    for i in range(20):
        site = f"{'abcdefghijklmnopqrst'[i] * 5}al"
        reference = f"{site} fracture"
        for other, label in (
            (f"closed {site} fracture", 1), (f"broken <b> {site[:4]}us", 1), (f"other{i} fracture", 0), (f"illness{i} x", 0),
        ):  # fmt: skip
            out.append({"a": reference, "b": other, "label": label})
    return pd.DataFrame(out)
