from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import dxmatch
from dxmatch.models.calibration import Sigmoid
from dxmatch.models.ensemble import MEAN_RAW, Combination
from dxmatch.models.folder import ModelFolder
from dxmatch.models.manifest import Manifest
from dxmatch.models.trees.text import validate
from dxmatch.terms.text.normalizer import Normalizer

NAMES = ("ratio_unigram", "levenshtein")
SET = {
    "name": "two",
    "language": "en",
    "feature": [
        {"name": "ratio_unigram", "kind": "ratio", "view": "unigram"},
        {"name": "levenshtein", "kind": "levenshtein"},
    ],
}

# ratio_unigram <= 0.4: leaf 0 (40 pairs); else levenshtein > 0.6: leaf 2 (15 pairs), and leaf 1 (45 pairs).
TREE = """tree
version=v4
num_class=1
num_tree_per_iteration=1
label_index=0
max_feature_idx=1
objective=binary sigmoid:1
feature_names=ratio_unigram levenshtein
feature_infos=none none

Tree=0
num_leaves=3
num_cat=0
split_feature=0 1
split_gain=1 1
threshold=0.4 0.6
decision_type=10 10
left_child=-1 -2
right_child=1 -3
leaf_value={leaves}
leaf_weight=40 45 15
leaf_count={counts}
internal_value=0 0
internal_weight=100 60
internal_count={internal}
is_linear=0
shrinkage=1

end of trees
"""


@pytest.fixture(scope="session")
def matcher_of() -> Callable[..., dxmatch.MatchFunction]:
    """A match function of two features; each member is a tree of three leaves of the values given."""

    def make(
        *leaves: str, combination: Combination = MEAN_RAW, counts: str = "40 45 15", internal: str = "100 60"
    ) -> dxmatch.MatchFunction:
        texts = [TREE.format(leaves=values, counts=counts, internal=internal) for values in leaves]
        manifest = Manifest(
            name="two",
            created="2025-01-31",
            dxmatch="0.1.0",
            feature_names=NAMES,
            feature_set=SET,
            normalizer=Normalizer("en").spec(),
            calibration=Sigmoid(1.0, 0.0),
            threshold=0.5,
            threshold_rule="half",
            encoders={},
            libraries={},
            data={"sha256": "0" * 64, "rows": 1, "groups": 1},
            metrics={},
            ensemble=combination,
        )
        return dxmatch.MatchFunction(ModelFolder(manifest, tuple(validate(text, 2, "tree", NAMES) for text in texts)))

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
