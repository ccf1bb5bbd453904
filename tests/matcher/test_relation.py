"""What one diagnosis is to another: probabilities that add up, turned round the other way, and what decides."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import dxmatch
from dxmatch.errors import ModelError, NotUnderstood, NotUnderstoodWarning
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.matcher.policy import RELATIONS
from dxmatch.matcher.relation import RELATION_COLUMNS, SEMANTIC, Relations
from dxmatch.terms.text.assertion import Status

from ..small_relation import related, relation_folder

TEXTS = [
    "heart attack", "Heart  attack", "myocardial infarction", "anterior wall infarction", "ischemic heart disease", "cardiac disease",
    "unstable angina", "stable angina", "angina pectoris", "no heart attack", "heart attack ruled out", "family history of heart attack", "pulseless disease",
    "possible heart attack", "hypertension", "Takayasu arteritis", "large vessel vasculitis", "arteritis", "acute vasculitis",
    "chronic vasculitis", "bird fancier lung", "small cell lung cancer", "non-small cell lung cancer",
]  # fmt: skip
PAIRS = list(product(TEXTS, TEXTS))


@pytest.fixture(scope="module")
def m(tmp_path_factory: pytest.TempPathFactory) -> MatchFunction:
    return related(tmp_path_factory.mktemp("icd"))


@pytest.fixture(scope="module")
def found(m: MatchFunction) -> Relations:
    return m.relations(*map(list, zip(*PAIRS, strict=True)))


def test_the_probabilities_add_up_and_those_that_match_are_the_probability_of_a_match(
    m: MatchFunction, found: Relations
) -> None:
    a, b = map(list, zip(*PAIRS, strict=True))
    assert found.probabilities.shape == (len(PAIRS), len(RELATIONS)) and len(found) == len(PAIRS)
    assert ((found.probabilities >= 0) & (found.probabilities <= 1)).all()
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(found.probabilities[:, :3].sum(axis=1), m.probabilities(a, b), atol=1e-12)
    assert set(found.kinds) == set(RELATIONS)


def test_turned_round_narrower_is_broader_and_nothing_else_changes(m: MatchFunction, found: Relations) -> None:
    b, a = map(list, zip(*PAIRS, strict=True))
    turned = m.relations(a, b)
    np.testing.assert_allclose(turned.probabilities[:, [0, 2, 1, 3, 4, 5]], found.probabilities, atol=1e-15)
    np.testing.assert_array_equal(turned.probabilities[:, [0, 3, 4, 5]], found.probabilities[:, [0, 3, 4, 5]])
    np.testing.assert_array_equal(turned.near, found.near)
    np.testing.assert_array_equal(turned.far, found.far)


def test_a_pair_alone_is_what_it_is_in_a_batch(m: MatchFunction, found: Relations) -> None:
    whys = m.relations(*map(list, zip(*PAIRS, strict=True)), why=True).why
    assert found.why == () and len(whys) == len(PAIRS) and sum(map(bool, whys)) > 50
    for row in range(0, len(PAIRS), 11):
        alone = m.relation(*PAIRS[row])
        assert list(alone.probabilities.values()) == found.probabilities[row].tolist(), PAIRS[row]
        assert (alone.kind, alone.why) == (found.kinds[row], whys[row]) and list(alone.probabilities) == list(RELATIONS)


def test_what_is_said_of_each_comes_with_the_relation(m: MatchFunction) -> None:
    found = m.relation("no heart attack", "heart attack")
    assert found.probabilities["excluded"] == 1 and m.probability("no heart attack", "heart attack") == 0
    assert [one.status for one in found.assertions] == [Status.NEGATED, Status.PRESENT]


@pytest.mark.parametrize(
    ("a", "b", "kind", "why"),
    [
        ("heart attack", "HEART ATTACK", "same", ""),
        ("pulseless disease", "Takayasu arteritis", "same", "both are names of Takayasu arteritis (MONDO)"),
        ("anterior wall infarction", "heart attack", "narrower", "anterior wall infarction is a kind of myocardial infarction (Disease Ontology)"),
        ("large vessel vasculitis", "Takayasu arteritis", "broader", "Takayasu arteritis is a kind of large vessel vasculitis (MONDO)"),
        ("heart attack", "cardiac disease", "related", "myocardial infarction is a kind of Heart disorder (Disease Ontology), a class that is too broad to name a disease"),
        ("heart attack", "angina pectoris", "related", ""),
        ("heart attack", "hypertension", "unrelated", ""),
        ("no heart attack", "heart attack", "excluded", "myocardial infarction is negated ('no'), myocardial infarction is present"),
        ("heart attack", "family history of heart attack", "excluded", "myocardial infarction is present, myocardial infarction is in the family ('family history of')"),
        ("small cell lung cancer", "non-small cell lung cancer", "excluded", "'small cell' and 'non small cell' exclude each other"),
        ("acute pancreatitis", "chronic pancreatitis", "excluded", "'acute' and 'chronic' differ"),
        ("heart attack", "colon cancer", "excluded", "'myocardial' and 'colon' differ"),
        ("no heart attack", "heart attack ruled out", "same", "both are names of myocardial infarction (Disease Ontology)"),
        ("possible heart attack", "angina pectoris", "related", ""),
        ("exposure to asbestos", "asbestosis", "excluded", "asbestos is no disease of the patient (exposure: 'exposure to'), asbestosis is present"),
    ],
)  # fmt: skip
def test_what_a_is_to_b(m: MatchFunction, a: str, b: str, kind: str, why: str) -> None:
    found = m.relation(a, b)
    assert (found.kind, found.why) == (kind, why)
    assert found.probabilities[kind] == max(found.probabilities.values())
    assert str(found) == f"{kind} ({found.probabilities[kind]:.2f}){f': {why}' if why else ''}"


def test_opposed_words_exclude_what_does_not_match(m: MatchFunction) -> None:
    """Of "acute" and "chronic" the trees may think what they will; what is no match is then no kin but excluded."""
    found = m.relation("acute vasculitis", "chronic vasculitis")
    match = m.probability("acute vasculitis", "chronic vasculitis")
    assert found.probabilities["excluded"] == pytest.approx(1 - match) and 0 < match < 1
    assert found.probabilities["related"] == found.probabilities["unrelated"] == 0


def test_the_five_classes() -> None:
    """Exact synonym, broad synonym, exact group, broad group, not related: the nearest whole number to the mean class."""
    sure = np.eye(6)
    near, far = np.array([0.0, 0, 0, 1.0, 0, 0]), np.zeros(6)
    assert Relations(sure, near, far).semantic_distance.tolist() == [1, 2, 2, 3, 5, 5]
    groups = Relations(np.eye(6)[[3, 3, 5]], np.array([0.2, 0.6, 0.9]), np.array([0.8, 0.4, 0.1]))
    assert groups.semantic_distance.tolist() == [4, 3, 3], "what is opposed may be near kin"
    mixed = Relations(
        np.array([[0.5, 0, 0, 0, 0.5, 0], [0.9, 0.1, 0, 0, 0, 0], [np.nan] * 6]), np.array([0, 0, np.nan]), np.zeros(3)
    )
    assert mixed.semantic_distance.tolist() == [3, 1, 0]
    assert mixed.kinds == ["same", "same", None]
    assert len(SEMANTIC) == 5 and mixed.semantic_distance.dtype == np.int8


def test_the_columns_of_a_score(m: MatchFunction) -> None:
    scored = m.score(PAIRS[:30], add=["relation", "reasons", "features", "shap"]).to_pandas()
    added = m.model.added_columns(
        ["relation", "reasons", "features", "shap"]
    )  # these two only where they say something
    assert scored.columns.tolist() == ["a", "b", *(name for name in added if name not in ("not_understood", "read_as"))]
    relations = m.relations(*map(list, zip(*PAIRS[:30], strict=True)), why=True)
    assert scored["why"].fillna("").tolist() == [*relations.why]
    assert scored["relation"].tolist() == relations.kinds
    np.testing.assert_array_equal(
        np.stack([scored[name].to_numpy() for name in RELATION_COLUMNS], axis=1), relations.probabilities
    )
    frame = m.score(pd.DataFrame({"a": ["heart attack"], "b": ["heart attack"]}), add=["relation"])
    assert frame["relation"].tolist() == ["same"] and frame["relation_same"].tolist() == [1.0]
    with pytest.raises(dxmatch.InputError, match="there already: relation_same"):
        m.score(pd.DataFrame({"a": ["x"], "b": ["y"], "relation_same": [0]}), add=["relation"])


def test_what_is_not_understood_has_no_relation(tmp_path: Path) -> None:
    m = related(tmp_path, judge_all=False)
    a, b = ["heart attack", "高血圧", "高血圧"], ["myocardial infarction", "heart attack", "高血圧"]
    with pytest.warns(NotUnderstoodWarning, match="1 of 3 pairs are not scored"):
        found = m.relations(a, b)
    assert found.kinds == ["same", None, "same"] and np.isnan(found.probabilities[1]).all()
    assert found.semantic_distance.tolist() == [1, 0, 1]
    scored = m.score(pa.table({"a": a, "b": b}), add=["relation"])
    assert scored["relation"].to_pylist() == ["same", None, "same"] and scored["relation_same"].null_count == 1
    with pytest.raises(NotUnderstood, match="another script"):
        m.relation("高血圧", "heart attack")


def test_a_model_without_a_relation_model_says_so(tmp_path: Path) -> None:
    m = MatchFunction(relation_folder(tmp_path, with_relation=False), judge_all=True)
    assert m.probability("heart attack", "myocardial infarction") > 0.9
    for ask in (
        lambda: m.relation("heart attack", "gout"),
        lambda: m.relations(["heart attack"], ["gout"]),
        lambda: m.score([("heart attack", "gout")], add=["relation"]),
        lambda: m.model.added_columns(["relation"]),
        lambda: MatchFunction(m.parts, policy="strict"),
    ):
        with pytest.raises(
            ModelError,
            match="Model related has no relation model, so it knows no relation and no policy but specification",
        ):
            ask()


def test_the_shipped_model() -> None:
    m = dxmatch.load()
    for a, b, kind in [
        ("heart attack", "myocardial infarction", "same"), ("DLBCL", "non-Hodgkin lymphoma", "narrower"),
        ("large vessel vasculitis", "Takayasu arteritis", "broader"), ("gout", "asthma", "unrelated"),
        ("no pneumonia", "pneumonia", "excluded"), ("STEMI", "NSTEMI", "excluded"),
    ]:  # fmt: skip
        assert m.relation(a, b).kind == kind, (a, b, str(m.relation(a, b)))
