"""The two-stage judge and the classifiers, over the vote store: who is asked what, and what comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.errors import InputError
from dxmatch.evaluation.judges.classified import with_relations, with_severities
from dxmatch.evaluation.judges.judged import NOT_ANSWERED, judged, judged_section
from dxmatch.evaluation.judges.language_model import Budget, LanguageModel
from dxmatch.evaluation.statistics.section import Context
from dxmatch.votes.prompts.judge_prompts import list_of
from dxmatch.votes.prompts.questions import Answer, Question
from dxmatch.votes.prompts.versions import PROMPTS
from dxmatch.votes.store.store import VoteStore

from .made import lists_of

STRICT, SECOND = "judge-strict-1", "judge-second-1"
needs_llm = pytest.mark.skipif(
    not all(__import__("importlib").util.find_spec(name) for name in ("openai", "stamina")),
    reason="asking a language model needs the extra 'llm'",
)


CASES = {
    "one": {"A": ["angina", "heart attack", "gout"], "B": ["none", "gout", "asthma"], "truth": ["myocardial infarction", "gout"]},
    "two": {"A": ["asthma", "gout"], "B": ["none"], "truth": ["asthma"]},
}  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VoteStore]:
    with VoteStore(tmp_path / "votes.sqlite") as opened:
        yield opened


class Scripted(LanguageModel):
    """A language model that answers by a table instead of over a network: {(prompt, first, second): text}."""

    def __init__(self, said: dict[tuple[str, str, tuple[str | None, ...] | str], str]) -> None:
        super().__init__(Endpoint("nowhere", "http://127.0.0.1:9/v1"), "m")
        object.__setattr__(self, "said", said)
        object.__setattr__(self, "asked", [])

    def answers(self, prompt, asked, store, budget, progress=None):  # type: ignore[override]
        out: list[Answer | None] = []
        for first, second in asked:
            key = (prompt, first, tuple(list_of(second)) if prompt.startswith("judge") else second)
            self.asked.append(key)  # type: ignore[attr-defined]
            text = self.said.get(key)  # type: ignore[attr-defined]
            question = Question(self.config(prompt), first, second)
            out.append(None if text is None else Answer(*PROMPTS[prompt].read(text, question), raw=text))
        return out


A_ONE, B_ONE = ("angina", "heart attack", "gout"), (None, "gout", "asthma")


def scripted(**changed: str) -> Scripted:
    """What the two judges say of case one; changed : by stage and list, as strict_A="0"."""
    said = {"strict_A": "0", "second_A": "2", "strict_B": "0", "second_B": "0"} | changed
    stages, listed = {"strict": STRICT, "second": SECOND}, {"A": A_ONE, "B": B_ONE}
    answers = {(stages[key[:6]], "myocardial infarction", listed[key[-1]]): text for key, text in said.items()}
    return Scripted(answers | {(STRICT, "gout", A_ONE): "0", (STRICT, "gout", B_ONE): "2"})


def naming(texts: list[str]) -> list[str]:
    return [text.lower() for text in texts]


def test_two_stages_by_hand(store):
    m = scripted()
    found = judged(lists_of(CASES), m, m, store, k=3, naming=naming)
    # columns: A, B; rows: the two references of case one, the one of case two. B of two says nothing; A's asthma is equal.
    assert found.places.tolist() == [[[2, 3], [0, 2]], [[1, -1], [0, -1]]]
    assert found.given.tolist() == [[True, True], [True, False]]
    assert found.scored.tolist() == [True, True] and not found.unscored
    # the second stage only where the first says "not included" and no name is equal; asthma = asthma is never asked
    asked = [(STRICT, "gout", A_ONE), (STRICT, "gout", B_ONE)]
    asked += [(stage, "myocardial infarction", said) for stage in (STRICT, SECOND) for said in (A_ONE, B_ONE)]
    assert Counter(m.asked) == Counter(asked)
    assert found.hits.shape == (2, 2, 3, 2)
    assert [np.argwhere(hits).tolist() for hits in (found.hits[0, 0], found.hits[1, 0])] == [[[1, 0], [2, 1]], [[0, 0]]]
    # the judge names a synonym before the equal name, or one behind it: the first place counts
    cases = {"one": {"A": ["lung attack", "asthma"], "B": ["gout", "asthma", "lung attack"], "truth": ["asthma"]}}
    said = {tuple(cases["one"]["A"]): "1", tuple(cases["one"]["B"]): "3"}
    m = Scripted({(STRICT, "asthma", listed): text for listed, text in said.items()})
    assert judged(lists_of(cases), m, m, store, k=3, naming=naming).places.tolist() == [[[1], [2]]]


def test_one_stage_alone_and_k_that_cuts_the_list_that_is_asked(store):
    m = scripted()
    found = judged(lists_of(CASES), m, None, store, k=3, naming=naming)
    assert found.places[0].tolist() == [[0, 3], [0, 2]]
    assert not [key for key in m.asked if key[0] == SECOND]
    judged(lists_of(CASES), m, None, store, k=2, naming=naming)
    assert (STRICT, "gout", ("angina", "heart attack")) in m.asked


def test_no_verdict_is_never_not_included(store):
    m = scripted(strict_A="I cannot tell", second_B="1 or 2")
    lists = lists_of(CASES)
    found = judged(lists, m, m, store, k=3, naming=naming)
    assert found.places[0].tolist() == [[-1, 3], [-1, 2]]
    assert found.unscored == {"refusal": 1, "contradictory": 1}
    assert (SECOND, "myocardial infarction", A_ONE) not in m.asked
    assert found.scored.tolist() == [False, True]
    section = judged_section(lists, found, Context(None, k=3, repeats=20))  # type: ignore[arg-type]
    # case two alone: A finds asthma, B says nothing
    values = {(row["algorithm"], row["name"]): row["value"] for row in section.rows}
    assert values["A", "R_disease(judge)@3"] == 1 and values["B", "R_disease(judge)@3"] == 0
    assert values["A", "Acc(judge)@3"] == 1
    assert {row["n_cases"] for row in section.rows} == {1}
    assert section.notes == [
        "1 of 2 cases were left out for every rater, because the judge gave no verdict on one of the lists "
        "(1 refusal, 1 contradictory)."
    ]


def test_nothing_judged_in_full(store):
    lists = lists_of({"one": CASES["one"]})
    found = judged(lists, Scripted({}), None, store, naming=naming)
    # gout is there by its own name, whatever the judge says
    assert found.unscored == {NOT_ANSWERED: 2}
    assert found.places.tolist() == [[[-1, 3], [-1, 2]]]
    with pytest.raises(InputError, match=r"a verdict on every list in none of 1 cases \(2 not answered\)"):
        judged_section(lists, found, Context(None))  # type: ignore[arg-type]


def test_m_stands_in_for_either_stage(store, set_matcher):
    m = set_matcher(("myocardial infarction", "heart attack"))
    lists = lists_of(CASES)
    wanted = [[[2, 3], [0, 2]], [[1, -1], [0, -1]]]
    assert judged(lists, m, None, k=3).places.tolist() == wanted
    assert judged(lists, set_matcher(), m, k=3).places.tolist() == wanted
    strict = scripted()
    assert judged(lists, strict, m, store, k=3, naming=naming).places.tolist() == wanted
    second = scripted()
    assert judged(lists, set_matcher(), second, store, k=3, naming=naming).places.tolist() == wanted
    assert {key[0] for key in strict.asked} == {STRICT} and {key[0] for key in second.asked} == {SECOND}


def test_a_model_needs_a_store():
    with pytest.raises(InputError, match="without a vote store"):
        judged(lists_of(CASES), scripted(), None)


# Over the network


def model(loopback: Any) -> LanguageModel:
    return LanguageModel(Endpoint("lab", loopback.url, timeout=20.0, tries=1), "m")


@needs_llm
def test_asked_once_and_kept(loopback, store):
    loopback.rules(
        {"contains": "strict judge", "text": "2"},
        {"contains": '\\"reference\\": \\"gout\\"', "text": "0, none"},
        {"text": "0"},
    )
    lists = lists_of({**CASES, "again": CASES["one"]})
    budget = Budget()
    found = judged(lists, model(loopback), model(loopback), store, k=3, naming=naming, budget=budget)
    assert found.places[0].tolist() == found.places[2].tolist() == [[2, 3], [2, 2]]
    # four questions of the strict judge, two of the second; the case that stands twice is not asked twice
    assert [summary.calls for summary in budget.summaries] == [4, 2] and loopback.log()["calls"] == 6
    assert {(row.config.prompt, row.answers) for row in store.status()} == {(STRICT, 4), (SECOND, 2)}
    again = Budget()
    repeated = judged(lists, model(loopback), model(loopback), store, k=3, naming=naming, budget=again)
    assert not again.summaries and loopback.log()["calls"] == 6
    assert np.array_equal(repeated.places, found.places)


@needs_llm
def test_a_cap_over_both_stages(loopback, store):
    loopback.rules({"text": "0"})
    budget = Budget(max_calls=5)
    found = judged(lists_of(CASES), model(loopback), model(loopback), store, k=3, naming=naming, budget=budget)
    assert loopback.log()["calls"] == 5
    assert found.unscored == {NOT_ANSWERED: 1}
    assert (found.places == -1).sum() == 1 + 2  # and the second reference that case two has not
    assert "the cap of 1 calls is reached" in budget.summaries[1].stopped_because[0]


# Relation and severity


def test_relations_by_hand(store):
    m = Scripted({
        ("relation-1", "myocardial infarction", "angina"): "3",
        ("relation-1", "myocardial infarction", "heart attack"): "1 exact synonym",
        ("relation-1", "gout", "angina"): "5", ("relation-1", "gout", "heart attack"): "5",
        ("relation-1", "myocardial infarction", "gout"): "5", ("relation-1", "myocardial infarction", "asthma"): "5",
        ("relation-1", "gout", "asthma"): "perhaps", ("relation-1", "asthma", "gout"): "4",
    })  # fmt: skip
    lists = with_relations(lists_of(CASES), m, store, naming=naming)
    assert lists.more["relation"] == [
        "exact disease group", "exact synonym", "exact synonym",  # A in one: the nearer of two references
        None, "exact synonym", None,  # B: says nothing; gout; asthma, on which one verdict is missing
        "exact synonym", "broad disease group",  # A in two
        None,
    ]  # fmt: skip
    assert len(m.asked) == len(set(m.asked)) == 8


def test_severities_by_hand(store):
    words = {"angina": "2", "heart attack": "4 critical", "gout": "2", "asthma": "3", "myocardial infarction": "4"}
    m = Scripted({("severity-1", name, ""): text for name, text in words.items()})
    given = [None] * 6 + ["mild", "rare"] + [None] * 4
    # what was given stays: of the two references of case one the first is mild, the second rare
    for column, first, reference in ((None, "moderate", ["critical", "moderate"]), (["severe", *given[1:]], "severe", ["mild", "rare"])):  # fmt: skip
        m.asked.clear()  # type: ignore[attr-defined]
        lists = with_severities(
            lists_of(CASES, **({} if column is None else {"severity": column})), m, store, naming=naming
        )
        assert lists.more["severity"] == [
            first, "critical", "moderate", None, "moderate", "severe", "severe", "moderate", None,
        ]  # fmt: skip
        assert [[cell.value for cell in cells] for cells in lists.reference_more["severity"]] == [reference, ["severe"]]
        assert len(m.asked) == len(set(m.asked)) == (5 if column is None else 4)  # type: ignore[attr-defined]


@needs_llm
def test_names_are_normalised_before_they_are_asked_about(loopback, store):
    """By default as for votes: "heart attack" is "myocardial infarction" in normal form, so nobody is asked."""
    cases = {"one": {"A": ["Heart Attack"], "truth": ["myocardial infarction"]}}
    found = judged(lists_of(cases), model(loopback), model(loopback), store)
    assert found.places.tolist() == [[[1]]] and loopback.log()["calls"] == 0
