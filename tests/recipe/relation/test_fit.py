"""The relation model learnt from pairs that the made-up graph tells apart; what labels teach of a policy."""

from __future__ import annotations

import random
from dataclasses import replace
from itertools import product

import pandas as pd
import pyarrow as pa
import pytest

from dxmatch.files.pairs import read_pairs
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.models.relation import DIRECTIONS, HEADS, LEARNT_POLICIES, RelationFacts, RelationModel
from dxmatch.recipe.relation.fit import fit_relation
from dxmatch.recipe.relation.pairs import CLOSE, FAR, KIND, NONE, SAME
from dxmatch.recipe.relation.policy import fit_policy
from dxmatch.training.engines import lightgbm_engine

from ...small_relation import related, under

SITES = [f"of the {site}" for site in ("left wall", "right wall", "apex", "septum", "base", "valve", "left side", "right side", "tip", "lower wall")]  # fmt: skip
NARROW, WIDE = "anterior wall infarction", "ischemic heart disease"


OF = {
    SAME: [("takayasu arteritis", "pulseless disease"), ("hypertension", "high blood pressure")],
    KIND: [(NARROW, "acute mi"), ("unstable angina", "angina pectoris"), ("takayasu arteritis", "large vessel vasculitis"), ("acute mi", WIDE)],
    CLOSE: [("acute mi", "angina pectoris"), (NARROW, "angina pectoris"), ("large vessel vasculitis", "arteritis")],
    FAR: [("acute mi", "cardiac disease"), (NARROW, "cardiac disease")],
    NONE: [("hypertension", "vasculitis"), ("acute mi", "vasculitis"), ("unstable angina", "hypertension")],
}  # fmt: skip


@pytest.fixture(scope="module")
def m(tmp_path_factory: pytest.TempPathFactory) -> MatchFunction:
    return related(tmp_path_factory.mktemp("icd"))


@pytest.fixture(scope="module")
def pairs() -> pa.Table:
    """Names of the graph with words that say nothing to it, so that pairs differ."""
    drawn = ((relation, names, x, y) for relation, of in OF.items() for names, x, y in product(of, SITES, SITES))
    rows = [{"a": f"{a} {x}", "b": f"{b} {y}", "relation": relation} for relation, (a, b), x, y in drawn]
    random.Random(0).shuffle(rows)
    return pa.Table.from_pylist(rows)


@pytest.fixture(autouse=True)
def few_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 30)


def test_the_heads_learn_what_the_pairs_say(m: MatchFunction, pairs: pa.Table) -> None:
    model, measured = fit_relation(pairs, m.features, m.providers)
    assert set(model.trees) == set(HEADS) and set(model.facts.direction) == set(DIRECTIONS)
    assert min(measured[head]["average_precision"] for head in HEADS) > 0.8, measured
    counts = pairs["relation"].to_pylist()
    assert measured["direction"]["pairs"] == counts.count(KIND) and measured["direction"]["accuracy"] > 0.9
    assert model.facts.direction["line"] > 0, "the one below is the narrower"
    learnt = MatchFunction(replace(m.parts, relation=model), judge_all=True)
    assert learnt.relation("unstable angina", "angina pectoris").kind == "narrower"
    assert learnt.relation("angina pectoris", "unstable angina").kind == "broader"


def test_labels_teach_which_answers_pass(m: MatchFunction) -> None:
    """Answers that are narrower than the reference pass, broader ones do not."""
    kinds, rows = [("angina pectoris", "unstable angina"), ("large vessel vasculitis", "takayasu arteritis"), ("acute mi", NARROW)], []  # fmt: skip
    for number, ((wide, narrow), x, y) in enumerate(product(kinds, SITES, SITES)):
        right = (f"{wide} {x}", f"{narrow} {y}", 1), (f"{narrow} {y}", f"{wide} {x}", 0)
        rows += [right[number % 2], (f"{wide} {x}", f"hypertension {y}", 0)]
    read = read_pairs(pd.DataFrame(rows, columns=["a", "b", "label"]), label="label")
    learnt = fit_policy(read, m.features, m.providers)
    assert learnt.measured["average_precision"]["value"] > 0.9 and 0 < learnt.measured["f1"]["value"] <= 1
    (policy,), relation = LEARNT_POLICIES, m.parts.relation
    assert relation is not None
    calibration = {**relation.facts.calibration, policy: learnt.calibration}
    facts = RelationFacts(
        calibration, relation.facts.direction, {**relation.facts.thresholds, policy: learnt.threshold}
    )
    parts = replace(m.parts, relation=RelationModel({**relation.trees, policy: learnt.trees}, facts))
    taught, pair = under(MatchFunction(parts, judge_all=True), policy), ("angina pectoris", "unstable angina")
    assert taught.match(*pair) and taught.probability(*pair) > 0.5 > taught.probability(*pair[::-1])
    assert not taught.match(*pair[::-1])
