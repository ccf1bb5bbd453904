"""A small match function with a relation model over the made-up graph: trees of one split each, written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lightgbm import Booster

from dxmatch.matcher.match_function import MatchFunction
from dxmatch.models.ensemble import Sigmoid
from dxmatch.models.folder import ModelFolder
from dxmatch.models.manifest import Decision
from dxmatch.models.relation import RelationFacts, RelationModel, relation_columns
from dxmatch.recipe.encoder.quantize import quantized
from dxmatch.terms.encoders.static import Shape
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.engines.fitted import trees_of

from .small_graph import graph_of
from .small_model import booster_of, small_manifest

TREE = "code,name,parent\nIX,Diseases of the circulatory system,\nI21,Acute myocardial infarction,IX\nI21.0,Anterior wall infarction,I21\n"
NAMES = (
    "levenshtein",
    "ratio_unigram",
    "disease_same",
    "disease_line",
    "disease_lin",
    "contrast",
    "excluded",
    "icd_nearest",
)
LEARNT = "narrower-counts"
DIRECTION = {"line": 4.0, "information": 1.5, "covered": 0.5, "length": 0.25, "icd": 0.5}
THRESHOLDS = {"strict": 0.5, "narrower-counts": 0.4, "broader-counts": 0.45}


def stump(names: Sequence[str], feature: str, at: float, low: float, high: float) -> Booster:
    """`low` up to `at` and where the feature is unknown, else `high`."""
    tree = {
        "split_feature": [names.index(feature)], "threshold": [at], "decision_type": [10], "left_child": [-1],
        "right_child": [-2], "leaf_value": [low, high], "leaf_count": [60, 40],
    }  # fmt: skip
    return booster_of([tree], len(names))


def relation(learnt: bool = False) -> RelationModel:
    """same where the diseases are one, kin from a Lin of 0.2 up, close from 0.6 up."""
    trees = {
        "same": trees_of([stump(NAMES, "disease_same", 0.5, -2, 2)]),
        "kin": trees_of([stump(NAMES, "disease_lin", 0.2, -3, 2)]),
        "close": trees_of([stump(NAMES, "disease_lin", 0.6, -1, 1)]),
    }
    if learnt:
        columns = relation_columns(LEARNT, NAMES)
        trees[LEARNT] = trees_of([stump(columns, "direction_line", 0.5, 3, -3)])
    return RelationModel(trees, RelationFacts({head: Sigmoid(1.0, 0.0) for head in trees}, DIRECTION, THRESHOLDS))


def relation_folder(place: Path, *, with_relation: bool = True, learnt: bool = False) -> ModelFolder:
    """A match where the diseases are in line, or nearly all words are shared. place : a folder for the small ICD-10."""
    (place / "tree.csv").write_text(TREE, "utf-8")
    features: list[dict[str, Any]] = [
        {"name": "levenshtein", "kind": "levenshtein"},
        {"name": "ratio_unigram", "kind": "ratio", "view": "unigram"},
        *({"name": f"disease_{column}", "kind": "disease", "column": column} for column in ("same", "line", "lin")),
        {"name": "contrast", "kind": "contrast"},
        {"name": "excluded", "kind": "exclusion"},
        {"name": "icd_nearest", "kind": "icd_nearest", "source": str(place / "tree.csv")},
    ]
    vectors = np.random.default_rng(2).standard_normal((512, 16)).astype(np.float32)
    encoder = quantized(Shape(buckets=512, word_buckets=128, dimensions=16), vectors)
    manifest = small_manifest(
        NAMES, name="related", feature_set={"name": "related", "language": "en", "feature": features},
        normalizer=Normalizer("en").spec(), decision=Decision(Sigmoid(1.0, 0.0), 0.5, "half"), encoders={},
    )  # fmt: skip
    trees = trees_of([stump(NAMES, "disease_line", 0.9, -3, 3), stump(NAMES, "ratio_unigram", 0.8, -1, 1)])
    return ModelFolder(
        manifest,
        trees,
        relation(learnt) if with_relation else None,
        encoder.arrays(),
        graph_of().arrays(),
        card="# related\n",
    )


def related(
    place: Path, *, learnt: bool = False, policy: str = "specification", judge_all: bool = True
) -> MatchFunction:
    """judge_all : since the made-up graph knows few words."""
    return MatchFunction(relation_folder(place, learnt=learnt), policy=policy, judge_all=judge_all)
