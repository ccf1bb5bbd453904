from __future__ import annotations

from pathlib import Path

import pytest

from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.matcher.asked_models import jobs_of
from dxmatch.matcher.batch import PairModel
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.votes.asking import plan
from dxmatch.votes.prompts.questions import Answer, Question
from dxmatch.votes.store.store import VoteStore
from dxmatch.votes.voters import Voter, mean_votes

VOTE = {"name": "v", "kind": "vote", "model": "m", "endpoint": "e"}


def voter(**options: object) -> Voter:
    return Voter.of(FeatureSet.from_dict({"feature": [{**VOTE, **options}]}).features[0].options)


def said(store: VoteStore, question: Question, verdict: int | None, probability: float | None = None) -> None:
    store.add(question, Answer(verdict, None if verdict is not None else "unclear", probability=probability))


@pytest.fixture
def store(tmp_path: Path) -> VoteStore:
    return VoteStore(tmp_path / "votes.sqlite")


def test_parameters_of_ones_own_take_the_place_of_the_prompts() -> None:
    """Orders, repeats and log-probabilities: tests/golden/asked."""
    assert (
        voter(soft=True, parameters={"top_p": 0.5}).config.parameters
        == '{"logprobs":true,"top_logprobs":10,"top_p":0.5}'
    )


def test_mean_by_hand(store: VoteStore) -> None:
    """a, b: 1, 0, 1 in one order and 0, 0, unscored in the other: mean 2/5."""
    both = voter(order="both", repeats=3)
    for question, verdict in zip(both.questions([("a", "b")]), (1, 0, 1, 0, 0, None), strict=True):
        said(store, question, verdict)
    said(store, Question(both.config, "a", "c", 2), 1)
    said(store, Question(both.config, "b", "c", 3), 1)  # a repeat that this voter does not have
    assert mean_votes(store, both, ["c", "b", "a", "d"]) == {(1, 2): 0.4, (0, 2): 1.0}
    assert mean_votes(store, voter(), ["a", "b"]) == {(0, 1): 1.0}, "one order and one repeat: the first answer alone"


def test_a_soft_vote_is_the_probability_and_unscored_without_one(store: VoteStore) -> None:
    soft = voter(soft=True)
    said(store, next(soft.questions([("a", "b")])), 1, 0.75)
    said(store, next(soft.questions([("a", "c")])), 1)
    assert mean_votes(store, soft, ["a", "b", "c"]) == {(0, 1): 0.75}


def test_the_plan_counts_each_question_once(store: VoteStore) -> None:
    """Three different pairs, one known; two columns of one voter ask together; equal names are not asked about."""
    features = FeatureSet.from_dict(
        {
            "feature": [VOTE, {**VOTE, "name": "s", "repeats": 4}, {**VOTE, "name": "other", "model": "n"}],
            "endpoint": {"e": {"url": "http://localhost/v1"}},
            "price": {"m": {"prompt": 1.0, "completion": 2.0}},
        }
    )
    said(store, next(voter().questions([("angina", "fever")])), 1)
    batch = PairModel(features, features.open(Normalizer(), store=store)).batch(
        ["Angina", "fever", "Angina", "rash"], ["fever", "angina", "rash", "RASH"]
    )
    together, other = plan(jobs_of(batch), store)
    assert together.job.called == "v, s: m"
    assert (together.wanted, together.unknown) == (2 * 4, 2 * 4 - 1)
    assert together.cost == pytest.approx((together.prompt_tokens + 2 * together.completion_tokens) / 1e6)
    assert (other.wanted, other.unknown, other.cost) == (2, 2, None)
    assert len(set(together.job.questions())) == together.wanted
    (alone,) = plan(jobs_of(batch, only=["other"]), None)
    assert alone.unknown == 2
    with pytest.raises(InputError, match="no such vote or pick; did you mean 'other'"):
        jobs_of(batch, only=["othr"])
