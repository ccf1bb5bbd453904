"""What one diagnosis is to another, and the policies that say which relations count as a match."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import dxmatch
from dxmatch import MatchFunction, ModelError
from dxmatch.features.contrast import contrasts
from dxmatch.matcher.policy import POLICIES, RELATIONS
from dxmatch.matcher.relation import RELATION_COLUMNS, Relations
from dxmatch.models.relation import RelationFacts, RelationModel
from dxmatch.terms.diseases.graph import shipped_graph
from dxmatch.terms.text.assertion import assertion_of, excludes

from ..case_table import cases
from ..small_relation import LEARNT, THRESHOLDS, related, relation_folder

TEXTS = [
    "heart attack", "Heart  attack", "myocardial infarction", "anterior wall infarction", "ischemic heart disease", "cardiac disease",
    "unstable angina", "stable angina", "angina pectoris", "no heart attack", "heart attack ruled out", "family history of heart attack", "pulseless disease",
    "possible heart attack", "hypertension", "Takayasu arteritis", "large vessel vasculitis", "arteritis", "acute vasculitis",
    "chronic vasculitis", "bird fancier lung", "small cell lung cancer", "non-small cell lung cancer",
]  # fmt: skip
PAIRS = list(product(TEXTS, TEXTS))
A, B = map(list, zip(*PAIRS, strict=True))
COUNTED = {
    "specification": {"same", "narrower", "broader"}, "strict": {"same"}, "narrower-counts": {"same", "broader"}, "broader-counts": {"same", "narrower"},
}  # fmt: skip
"""`a` is the reference."""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> MatchFunction:
    return related(tmp_path_factory.mktemp("icd"))


def test_relations_add_up_and_turn_round(small: MatchFunction) -> None:
    found, turned, whys = small.relations(A, B), small.relations(B, A), small.relations(A, B, why=True).why
    p = found.probabilities
    assert p.shape == (len(PAIRS), len(RELATIONS)) and ((p >= 0) & (p <= 1)).all() and {*found.kinds} == {*RELATIONS}
    np.testing.assert_allclose(p.sum(axis=1), 1, atol=1e-12)
    # narrower is broader, and nothing else changes
    np.testing.assert_allclose(turned.probabilities[:, [0, 2, 1, 3, 4, 5]], p, atol=1e-15)
    np.testing.assert_array_equal(turned.probabilities[:, [0, 3, 4, 5]], p[:, [0, 3, 4, 5]])
    for row in range(0, len(PAIRS), 11):
        alone = small.relation(*PAIRS[row])
        assert alone.probabilities == dict(zip(RELATIONS, p[row].tolist(), strict=True)), PAIRS[row]
        assert (alone.kind, alone.why) == (found.kinds[row], whys[row])
    scored = small.score(PAIRS[:30], add=["relation", "reasons"])
    assert scored["relation"].to_pylist() == found.kinds[:30] and [why or "" for why in scored["why"].to_pylist()] == [*whys[:30]]  # fmt: skip
    np.testing.assert_array_equal(np.stack([scored[name] for name in RELATION_COLUMNS], axis=1), p[:30])


@pytest.mark.parametrize(("a", "b", "kind", "why"), cases("relations"))
def test_what_a_is_to_b(small: MatchFunction, a: str, b: str, kind: str, why: str) -> None:
    found = small.relation(a, b)
    assert (found.kind, found.why) == (kind, why)
    assert found.probabilities[kind] == max(found.probabilities.values())
    assert str(found) == f"{kind} ({found.probabilities[kind]:.2f}){f': {why}' if why else ''}"


def test_the_threshold_of_a_list_changes_no_relation(small: MatchFunction) -> None:
    (found,) = small.rank("heart attack", ["hypertension"], threshold=0)
    assert found.match and found.relation == "unrelated"


def test_the_five_classes() -> None:
    """Exact synonym, broad synonym, exact group, broad group, not related: the nearest whole number to the mean class."""
    near, far = np.array([0.0, 0, 0, 1.0, 0, 0]), np.zeros(6)
    assert Relations(np.eye(6), RELATIONS, near, far).semantic_distance.tolist() == [1, 2, 2, 3, 5, 5]
    groups = Relations(
        np.eye(6)[[3, 3, 5]], ["related", "related", "excluded"], np.array([0.2, 0.6, 0.9]), np.array([0.8, 0.4, 0.1])
    )
    assert groups.semantic_distance.tolist() == [4, 3, 3], "what is opposed may be near kin"
    mixed = np.array([[0.5, 0, 0, 0, 0.5, 0], [0.9, 0.1, 0, 0, 0, 0], [np.nan] * 6])
    found = Relations(mixed, ["same", "same", None], np.array([0, 0, np.nan]), np.zeros(3))
    assert found.semantic_distance.tolist() == [3, 1, 0]


@pytest.mark.parametrize("policy", POLICIES)
def test_a_policy_counts_what_it_says(small: MatchFunction, policy: Any) -> None:
    mine, columns = small.under(policy), [RELATIONS.index(name) for name in COUNTED[policy]]
    probability = mine.probabilities(A, B)
    np.testing.assert_allclose(probability, small.relations(A, B).probabilities[:, columns].sum(axis=1), atol=1e-12)
    assert [mine.probability(*PAIRS[i]) for i in range(0, len(PAIRS), 17)] == probability[::17].tolist()
    assert (mine.policy, mine.threshold) == (policy, {"specification": 0.5, **THRESHOLDS}[policy])


SAID = *4 * ("{}",), "possible {}", "no {}", "{} ruled out", "mother with {}", "left {}", "right-sided {}", "acute {}", "chronic {}", "type 1 {}", "{} grade 2"  # fmt: skip


def test_match_and_relation_never_contradict() -> None:
    """20,000 pairs of names of the shipped graph, most of one disease, and what is said of them; under every policy, none of which passes more than the default."""
    m, dice, names = dxmatch.load(judge_all=True), Random(31), shipped_graph().names
    families = [[said.format(name) for name in names[at : at + 5] for said in dice.sample(SAID, 3)] for at in dice.sample(range(len(names) - 5), 80)]  # fmt: skip
    drawn = [map(dice.choice, dice.choices(families, k=2) if dice.random() < 0.3 else [dice.choice(families)] * 2) for _ in range(10_000)]  # fmt: skip
    pairs = [pair for one in map(tuple, drawn) for pair in (one, one[::-1])]
    batch = m.model.batch(*map(list, zip(*pairs, strict=True)))
    said = {text: assertion_of(m.providers.normalizer(text)) for pair in pairs for text in pair}
    opposed = np.array([excludes(said[a], said[b]) or bool(contrasts(said[a].core, said[b].core)) for a, b in pairs])
    equal, most = np.array([a == b for a, b in pairs]), batch.probability()
    assert 2000 < opposed.sum() < 15_000 and equal.sum() > 200
    assert [m.probability(*pair) for pair in pairs[::500]] == most[::500].tolist(), "alone as in a batch, bit for bit"
    for policy, counted in COUNTED.items():
        batch.model = m.under(policy).model
        batch._made.pop(("match",), None)
        kinds, p = np.array(batch.relations().kinds), batch.probability()
        match = p >= batch.model.threshold
        wrong = (match != np.isin(kinds, [*counted])) | ((kinds == "excluded") != opposed) | (p < equal) | (p > np.where(opposed, 0, most))  # fmt: skip
        assert not wrong.any(), f"{policy}: {wrong.sum()}, the first {pairs[wrong.argmax()]}, {kinds[wrong.argmax()]}"
        assert {*kinds} == {*RELATIONS} and match.sum() > 1000
        assert np.array_equal(p[::2], p[1::2]) is POLICIES[policy].symmetric


def test_a_policy_that_labels_have_taught_is_theirs_and_never_above_the_default(
    small: MatchFunction, tmp_path: Path
) -> None:
    taught = related(tmp_path, learnt=True, policy=LEARNT)
    probability = taught.probabilities(A, B)
    assert (np.abs(probability - small.under(LEARNT).probabilities(A, B)) > 0.01).any()
    pair = "heart attack", "anterior wall infarction"
    assert taught.probability(*pair) == pytest.approx(min(1 / (1 + np.exp(-3)), small.probability(*pair)))
    assert taught.probability(*pair[::-1]) == pytest.approx(1 / (1 + np.exp(3)))
    strict = small.under("strict").probabilities(A, B)
    assert taught.under("strict").probabilities(A, B).tolist() == strict.tolist()
    assert taught.identity != small.identity, "a job never goes on with the parts of another relation model"
    again = dxmatch.load(taught.save(tmp_path / "again"), judge_all=True)
    assert again.policy == "specification", "a policy is how one asks, no part of the model"
    assert again.under(LEARNT).probabilities(A, B).tolist() == probability.tolist()


def test_a_policy_that_is_not_there(small: MatchFunction, tmp_path: Path) -> None:
    relation = small.parts.relation
    assert relation is not None
    few = RelationFacts(relation.facts.calibration, relation.facts.direction, {"strict": 0.5})
    parts = replace(small.parts, relation=RelationModel(relation.trees, few))
    m = MatchFunction(relation_folder(tmp_path, with_relation=False), judge_all=True)
    assert m.probability("heart attack", "myocardial infarction") > 0.9
    none = "related has no relation model, so it knows no .* but specification"  # fmt: skip
    asked = [
        (lambda: MatchFunction(parts, policy="broader-counts"), "no threshold for the policy broader-counts, only for specification, strict"),
        (lambda: m.relation("heart attack", "gout"), none), (lambda: m.score([("heart attack", "gout")], add=["relation"]), none),
        (lambda: MatchFunction(m.parts, policy="strict"), none),
    ]  # fmt: skip
    for ask, told in asked:
        with pytest.raises(ModelError, match=told):
            ask()
