"""Policies: what each counts, and that none calls a match what the default does not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import ModelError, OptionError
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.matcher.policy import POLICIES, RELATIONS, SPECIFICATION
from dxmatch.models.folder import save
from dxmatch.models.relation import RelationFacts, RelationModel

from ..small_relation import LEARNT, THRESHOLDS, related, relation_folder, under
from .test_relation import PAIRS

A, B = map(list, zip(*PAIRS, strict=True))
COUNTED = {
    "specification": {"same", "narrower", "broader"},
    "strict": {"same"},
    "narrower-counts": {"same", "broader"},
    "broader-counts": {"same", "narrower"},
}
"""`a` is the reference: an answer that is narrower than it is one that it is broader than."""


@pytest.fixture(scope="module")
def m(tmp_path_factory: pytest.TempPathFactory) -> MatchFunction:
    return related(tmp_path_factory.mktemp("icd"))


@pytest.mark.parametrize("policy", POLICIES)
def test_the_probability_is_the_sum_over_what_counts(m: MatchFunction, policy: str) -> None:
    assert set(POLICIES[policy].counts) == COUNTED[policy]
    assert POLICIES[policy].symmetric == (policy in ("specification", "strict"))
    mine = under(m, policy)
    columns = [RELATIONS.index(name) for name in COUNTED[policy]]
    probability = mine.probabilities(A, B)
    np.testing.assert_allclose(probability, m.relations(A, B).probabilities[:, columns].sum(axis=1), atol=1e-12)
    assert (probability <= m.probabilities(A, B) + 1e-12).all()
    turned = mine.probabilities(B, A)
    if POLICIES[policy].symmetric:
        np.testing.assert_array_equal(turned, probability)
    else:
        assert (np.abs(turned - probability) > 0.5).any(), "another answer to the same question"
    assert [mine.probability(*PAIRS[i]) for i in range(0, len(PAIRS), 17)] == probability[::17].tolist()
    equal = [i for i, (a, b) in enumerate(PAIRS) if a == b]
    assert (probability[equal] == 1).all()


@pytest.mark.parametrize("policy", POLICIES)
def test_the_threshold_and_the_name_are_the_policys(m: MatchFunction, policy: str) -> None:
    mine = under(m, policy)
    assert mine.policy == policy and mine.threshold == {SPECIFICATION: 0.5, **THRESHOLDS}[policy]
    scored = mine.score(PAIRS[:40])
    assert scored["match"].to_pylist() == (scored["probability"].to_numpy() >= mine.threshold).tolist()
    assert mine.match("heart attack", "myocardial infarction")
    assert not mine.match("heart attack", "no heart attack")
    assert mine.match("anterior wall infarction", "heart attack") == (policy in ("specification", "broader-counts"))
    assert mine.match("heart attack", "anterior wall infarction") == (policy in ("specification", "narrower-counts"))


def test_the_identity_is_also_that_of_the_relation_model(m: MatchFunction, tmp_path: Path) -> None:
    """It shapes a score with relations, so a job never goes on with the parts of another one."""
    relation = m.parts.relation
    assert relation is not None
    facts = relation.facts
    others = [
        RelationModel(
            relation.trees, RelationFacts(facts.calibration, {**facts.direction, "line": 1.0}, facts.thresholds)
        ),
        RelationModel({**relation.trees, "kin": relation.trees["close"]}, facts),
        None,
    ]
    identities = {MatchFunction(replace(m.parts, relation=other)).identity for other in others}
    assert len(identities | {m.identity}) == 4
    for policy in POLICIES:
        saved = dxmatch.load(under(m, policy).save(tmp_path / policy), policy=policy)
        assert saved.identity == under(m, policy).identity


def test_a_policy_that_labels_have_taught_is_theirs_and_never_above_the_default(
    m: MatchFunction, tmp_path: Path
) -> None:
    taught = related(tmp_path, learnt=True, policy=LEARNT)
    probability, most = taught.probabilities(A, B), m.probabilities(A, B)
    assert (probability <= most).all()
    summed = under(m, LEARNT).probabilities(A, B)
    assert (np.abs(probability - summed) > 0.01).any()
    narrower, broader = ("heart attack", "anterior wall infarction"), ("anterior wall infarction", "heart attack")
    assert taught.probability(*narrower) == pytest.approx(min(1 / (1 + np.exp(-3)), m.probability(*narrower)))
    assert taught.probability(*broader) == pytest.approx(1 / (1 + np.exp(3)))
    assert taught.probability("heart attack", "HEART ATTACK") == 1
    assert taught.probability("heart attack", "no heart attack") == 0
    assert under(taught, "strict").probabilities(A, B).tolist() == under(m, "strict").probabilities(A, B).tolist()


def test_an_unknown_policy(m: MatchFunction) -> None:
    for ask in (lambda: dxmatch.load(policy="strickt"), lambda: m.dedupe(A, policy="strickt")):
        with pytest.raises(OptionError, match="'policy' parameter must be one of specification, strict, "):
            ask()


def test_a_model_without_a_threshold_for_a_policy_says_so(m: MatchFunction) -> None:
    assert m.parts.relation is not None
    facts = m.parts.relation.facts
    facts = RelationFacts(facts.calibration, facts.direction, {"strict": 0.5})
    parts = replace(m.parts, relation=RelationModel(m.parts.relation.trees, facts))
    assert MatchFunction(parts, policy="strict").threshold == 0.5
    with pytest.raises(
        ModelError, match="has no threshold for the policy broader-counts, only for specification, strict"
    ):
        MatchFunction(parts, policy="broader-counts")


def test_loaded_from_a_folder(tmp_path: Path) -> None:
    folder = save(tmp_path / "m", relation_folder(tmp_path, learnt=True))
    strict = dxmatch.load(folder, policy="strict", judge_all=True)
    again = dxmatch.load(strict.save(tmp_path / "again"), judge_all=True)
    assert (strict.policy, strict.threshold) == ("strict", 0.5)
    assert again.policy == SPECIFICATION, "a policy is how one asks, no part of the model"
    np.testing.assert_array_equal(under(again, "strict").probabilities(A, B), strict.probabilities(A, B))
    np.testing.assert_array_equal(again.relations(A, B).probabilities, strict.relations(A, B).probabilities)
