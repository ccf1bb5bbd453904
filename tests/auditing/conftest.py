from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import dxmatch
from dxmatch.models.calibration import Sigmoid
from dxmatch.models.ensemble import MEAN_RAW, Combination
from dxmatch.models.folder import ModelFolder
from dxmatch.models.trees.text import validate
from dxmatch.terms.text.normalizer import Normalizer

from ..small_model import small_manifest, text_of

NAMES = ("ratio_unigram", "levenshtein")
SET = {
    "name": "two", "language": "en",
    "feature": [{"name": NAMES[0], "kind": "ratio", "view": "unigram"}, {"name": NAMES[1], "kind": "levenshtein"}],
}  # fmt: skip


def tree_of(leaves: str, counts: str, internal: str) -> str:
    """ratio_unigram <= 0.4: leaf 0 (40 pairs); else levenshtein > 0.6: leaf 2 (15 pairs), and leaf 1 (45 pairs)."""
    tree = {
        "split_feature": [0, 1], "threshold": [0.4, 0.6], "decision_type": [10, 10], "left_child": [-1, -2], "right_child": [1, -3],
        "leaf_value": list(map(float, leaves.split())), "leaf_count": list(map(int, counts.split())),
        "internal_count": list(map(int, internal.split())),
    }  # fmt: skip
    return validate(text_of([tree], NAMES), 2, "tree", NAMES)


@pytest.fixture(scope="session")
def matcher_of() -> Callable[..., dxmatch.MatchFunction]:
    """A match function of two features; each member is a tree of three leaves of the values given."""

    def make(
        *leaves: str, combination: Combination = MEAN_RAW, counts: str = "40 45 15", internal: str = "100 60"
    ) -> dxmatch.MatchFunction:
        manifest = small_manifest(
            feature_names=NAMES, feature_set=SET, normalizer=Normalizer("en").spec(), calibration=Sigmoid(1.0, 0.0), libraries={},
            ensemble=combination,
        )  # fmt: skip
        return dxmatch.MatchFunction(ModelFolder(manifest, [tree_of(values, counts, internal) for values in leaves]))

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
