"""The two-stage judge and the classifiers, over the vote store: who is asked what, and what comes of it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dxmatch
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.errors import InputError, OptionError
from dxmatch.evaluation.judges.classified import with_relations, with_severities
from dxmatch.evaluation.judges.judged import NOT_ANSWERED, judged
from dxmatch.evaluation.judges.section import JudgementTable, judged_section
from dxmatch.evaluation.statistics.section import Context
from dxmatch.files.tables import read_table
from dxmatch.votes.asking import Budget, LanguageModel, NotServed
from dxmatch.votes.prompts.questions import Answer, Question
from dxmatch.votes.prompts.versions import PROMPTS
from dxmatch.votes.store.store import VoteStore

from .made import lists_of

JUDGE, CHECK = "judge-2", "check-2"
needs_llm = pytest.mark.skipif(
    not all(__import__("importlib").util.find_spec(name) for name in ("openai", "stamina")),
    reason="asking a language model needs the extra 'llm'",
)


CASES = {
    "one": {"A": ["angina", "heart attack", "gout"], "B": ["none", "gout", "asthma"], "truth": ["myocardial infarction", "gout"]},
    "two": {"A": ["asthma", "gout"], "B": ["none"], "truth": ["asthma"]},
}  # fmt: skip
A_ONE, B_ONE = "1. angina\n2. heart attack\n3. gout", "2. gout\n3. asthma"
"""The lists as they are read to a judge; a word for no diagnosis keeps its place."""
NO, YES = (
    '{"verdict": "not included", "basis": "no word of it"}',
    '{"verdict": "included", "basis": "the same", "place": 2}',
)
RIGHT, WRONG = '{"verdict": "correct", "basis": "rightly so"}', '{"verdict": "incorrect", "basis": "a synonym"}'


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VoteStore]:
    with VoteStore(tmp_path / "votes.sqlite") as opened:
        yield opened


class Scripted(LanguageModel):
    """A language model that answers by a table instead of over a network: {(prompt, first, answer): text}."""

    def __init__(self, said: dict[tuple[str, str, str], str]) -> None:
        super().__init__(Endpoint("nowhere", "http://127.0.0.1:9/v1"), "m")
        object.__setattr__(self, "said", said)
        object.__setattr__(self, "asked", [])

    def answers(self, prompt, asked, store, budget, progress=None):  # type: ignore[override]
        out: list[Answer | None] = []
        version = prompt if isinstance(prompt, str) else prompt.version
        for first, second in asked:
            key = (version, first, json.loads(second)["answer"] if version == CHECK else second)
            self.asked.append(key)  # type: ignore[attr-defined]
            text = self.said.get(key)  # type: ignore[attr-defined]
            question = Question(self.config(prompt), first, second)
            out.append(None if text is None else Answer(*PROMPTS[version].read(text, question), raw=text))
        return out


def scripted(**changed: str) -> Scripted:
    """What the two stages say of the infarction in case one; changed : by stage and list, as judge_A="…"."""
    said = {"judge_A": NO, "check_A": WRONG, "judge_B": NO, "check_B": RIGHT} | changed
    stages, listed = {"judge": JUDGE, "check": CHECK}, {"A": A_ONE, "B": B_ONE}
    return Scripted({(stages[key[:5]], "myocardial infarction", listed[key[-1]]): text for key, text in said.items()})


def naming(texts: list[str]) -> list[str]:
    return [text.lower() for text in texts]


def test_two_stages_by_hand(store):
    m = scripted()
    found = judged(lists_of(CASES), m, m, store, naming=naming)
    # columns: A, B; rows: the two references of case one, the one of case two. B of two says nothing; A's asthma is equal.
    assert found.included.tolist() == [[[1, 1], [0, 1]], [[1, -1], [0, -1]]]
    assert found.judge.tolist() == [[[0, -2], [0, -2]], [[-2, -2], [-2, -2]]]
    assert found.check.tolist() == [[[1, -2], [0, -2]], [[-2, -2], [-2, -2]]]
    assert found.places.tolist() == [[[0, 3], [0, 2]], [[1, 0], [0, 0]]]
    assert found.given.tolist() == [[True, True], [True, False]]
    assert found.scored.tolist() == [True, True] and not found.unscored and not found.placed
    # equal names are never asked about; the check only where the judge says "not included"
    asked = [(stage, "myocardial infarction", said) for stage in (JUDGE, CHECK) for said in (A_ONE, B_ONE)]
    assert Counter(m.asked) == Counter(asked)  # type: ignore[attr-defined]
    assert found.basis_of_judge == {(0, 0, 0): "no word of it", (0, 1, 0): "no word of it"}
    assert found.basis_of_check == {(0, 0, 0): "a synonym", (0, 1, 0): "rightly so"}


def test_a_place_that_the_judge_names_counts_for_top_k(store):
    lists, m = lists_of(CASES), scripted(judge_A=YES)
    found = judged(lists, m, m, store, naming=naming)
    assert found.places[0, 0].tolist() == [2, 3] and found.placed
    section = judged_section(lists, found, Context(None, k=2, repeats=20))  # type: ignore[arg-type]
    values = {(row["algorithm"], row["name"]): row["value"] for row in section.rows}
    assert values["A", "R_disease(judge)"] == 1 and values["B", "R_disease(judge)"] == pytest.approx(1 / 3)
    assert values["A", "R_patient(judge)"] == 1 and values["B", "R_patient(judge)"] == 0
    assert values["A", "Acc(judge)@2"] == 1 and values["B", "Acc(judge)@2"] == 0.5
    # a place that the list has not is none
    far = judged(lists, scripted(judge_A=YES.replace("2", "9")), m, store, naming=naming)
    assert far.places[0, 0].tolist() == [0, 3] and far.included[0, 0].tolist() == [1, 1]
    section = judged_section(lists, far, Context(None, k=2, repeats=20))  # type: ignore[arg-type]
    assert not [row for row in section.rows if row["metric"] == "Acc"]


def test_equal_names_are_asked_about_where_one_says_so(store):
    m = scripted()
    for answer in (A_ONE, B_ONE):
        m.said[JUDGE, "gout", answer] = YES  # type: ignore[attr-defined]
    m.said[JUDGE, "asthma", "1. asthma\n2. gout"] = NO  # type: ignore[attr-defined]
    m.said[CHECK, "asthma", "1. asthma\n2. gout"] = RIGHT  # type: ignore[attr-defined]
    found = judged(lists_of(CASES), m, m, store, naming=naming, ask_equal=True)
    assert found.included.tolist() == [[[1, 1], [0, 1]], [[0, -1], [0, -1]]]


def test_one_stage_alone(store):
    m = scripted()
    found = judged(lists_of(CASES), m, None, store, naming=naming)
    assert found.included[0].tolist() == [[0, 1], [0, 1]] and found.checked_by == ""
    assert {key[0] for key in m.asked} == {JUDGE}  # type: ignore[attr-defined]


def test_no_verdict_is_never_not_included(store):
    m = scripted(judge_A="I cannot tell", check_B='{"verdict": "perhaps"}')
    lists = lists_of(CASES)
    found = judged(lists, m, m, store, naming=naming)
    assert found.included[0].tolist() == [[-1, 1], [-1, 1]]
    assert found.unscored == {"refusal": 1, "unclear": 1}
    assert (CHECK, "myocardial infarction", A_ONE) not in m.asked  # type: ignore[attr-defined]
    assert found.scored.tolist() == [False, True]
    section = judged_section(lists, found, Context(None, k=3, repeats=20))  # type: ignore[arg-type]
    # case two alone: A finds asthma, B says nothing
    values = {(row["algorithm"], row["name"]): row["value"] for row in section.rows}
    assert values["A", "R_disease(judge)"] == 1 and values["B", "R_disease(judge)"] == 0
    assert {row["n_cases"] for row in section.rows} == {1}
    assert section.warnings == [
        "1 of 2 cases were left out of recall by the judge, for every rater: there is no verdict on one of the answers "
        "(1 refusal, 1 unclear)."
    ]


def test_nothing_judged_in_full(store):
    lists = lists_of({"one": CASES["one"]})
    found = judged(lists, Scripted({}), None, store, naming=naming)
    # gout is there by its own name, whatever the judge says
    assert found.unscored == {NOT_ANSWERED: 2}
    assert found.included.tolist() == [[[-1, 1], [-1, 1]]]
    with pytest.raises(InputError, match=r"a verdict on every list in none of 1 cases \(2 not answered\)"):
        judged_section(lists, found, Context(None))  # type: ignore[arg-type]


def test_m_stands_in_for_either_stage(store, set_matcher):
    m = set_matcher(("myocardial infarction", "heart attack"))
    lists = lists_of(CASES)
    wanted = [[[1, 1], [0, 1]], [[1, -1], [0, -1]]]
    alone = judged(lists, m, None, naming=naming)
    assert alone.included.tolist() == wanted and alone.places[0, 0].tolist() == [2, 3] and alone.judged_by == "M"
    assert alone.basis_of_judge[0, 0, 0] == (
        "'heart attack' (place 2) names the disease: probability 1.000, a match from 0.500"
    )
    assert judged(lists, set_matcher(), m, naming=naming).included.tolist() == wanted
    strict, second = scripted(), scripted()
    assert judged(lists, strict, m, store, naming=naming).included.tolist() == wanted
    assert judged(lists, set_matcher(), second, store, naming=naming).included.tolist() == wanted
    assert {key[0] for key in strict.asked} == {JUDGE} and {key[0] for key in second.asked} == {CHECK}  # type: ignore[attr-defined]


def test_a_model_needs_a_store_and_a_prompt_of_its_kind(store):
    with pytest.raises(InputError, match="without a vote store"):
        judged(lists_of(CASES), scripted(), None)
    for version in ("judge-strict-1", "vote-1"):
        with pytest.raises(OptionError, match="answered by a verdict and its basis"):
            judged(lists_of(CASES), scripted(), None, store, judge_prompt=PROMPTS[version])
    with pytest.raises(OptionError, match="check_prompt"):
        judged(lists_of(CASES), scripted(), None, store, check_prompt=PROMPTS[JUDGE])


def test_the_table_of_judgements(store, tmp_path):
    lists, m = lists_of(CASES), scripted(judge_B="perhaps")
    table = JudgementTable(lists, judged(lists, m, m, store, naming=naming))
    rows = list(table.rows())
    assert [(row["case_id"], row["algorithm"], row["reference"]) for row in rows] == [
        ("one", "A", "myocardial infarction"), ("one", "A", "gout"), ("one", "B", "myocardial infarction"), ("one", "B", "gout"),
        ("two", "A", "asthma"), ("two", "B", "asthma"),
    ]  # fmt: skip
    told = ("answer", "judge", "judge_basis", "check", "check_basis", "included", "place")
    assert [tuple(row[name] for name in told) for row in (rows[0], rows[1], rows[2], rows[5])] == [
        ("angina; heart attack; gout", "not included", "no word of it", "incorrect", "a synonym", True, None),
        ("angina; heart attack; gout", None, "an equal name stands in place 3: not asked", None, None, True, 3),
        ("gout; asthma", "no verdict", None, None, None, None, None),
        ("", None, "nothing was answered: not asked", None, None, False, None),
    ]
    assert read_table(table.save(tmp_path / "j.csv")).data.num_rows == 6


# Over the network


def model(loopback: Any, name: str = "m") -> LanguageModel:
    return LanguageModel(Endpoint("lab", loopback.url, timeout=20.0, tries=1), name)


@needs_llm
def test_asked_once_and_kept_and_the_check_sees_the_judgement(loopback, store):
    loopback.rules(
        {"model": "strict", "contains": "myocardial", "text": NO},
        {"model": "strict", "text": YES},
        {"model": "checker", "contains": "heart attack", "text": WRONG},
        {"model": "checker", "text": "Correct. Nothing of the heart is named."},
    )
    lists = lists_of({**CASES, "again": CASES["one"]})
    budget = Budget()
    judge, check = model(loopback, "strict"), model(loopback, "checker")
    found = judged(lists, judge, check, store, naming=naming, budget=budget)
    assert found.included[0].tolist() == found.included[2].tolist() == [[1, 1], [0, 1]]
    assert found.basis_of_check[0, 1, 0] == "Nothing of the heart is named."
    # two questions of the judge, two of the check; the case that stands twice is not asked twice
    assert [summary.calls for summary in budget.summaries] == [2, 2] and loopback.log()["calls"] == 4
    assert {(row.config.model, row.config.prompt, row.answers) for row in store.status()} == {
        ("strict", JUDGE, 2), ("checker", CHECK, 2),
    }  # fmt: skip
    seen = [r["body"]["messages"][0]["content"] for r in loopback.log()["requests"] if r["body"]["model"] == "checker"]
    assert all('"judgement": "not included: no word of it"' in text and '"answer": "' in text for text in seen)
    again = Budget()
    repeated = judged(lists, judge, check, store, naming=naming, budget=again)
    assert not again.summaries and loopback.log()["calls"] == 4
    assert np.array_equal(repeated.included, found.included) and repeated.basis_of_check == found.basis_of_check


@needs_llm
def test_a_cap_over_both_stages(loopback, store):
    loopback.rules({"contains": "somebody's judgement", "text": RIGHT}, {"text": NO})
    budget = Budget(max_calls=3)
    found = judged(lists_of(CASES), model(loopback), model(loopback), store, naming=naming, budget=budget)
    assert loopback.log()["calls"] == 3
    assert found.unscored == {NOT_ANSWERED: 1}
    assert (found.included == -1).sum() == 1 + 2  # and the second reference that case two has not
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
    assert found.included.tolist() == [[[1]]] and loopback.log()["calls"] == 0


@pytest.mark.parametrize(
    "asked",
    [{"severity": "model"}, {"relation": "none"}, {"judge": "none"}, {"judge": "model", "check": "lab:m"}],
)  # fmt: skip
def test_who_cannot_be_asked_is_refused_before_the_lists_are_read(asked: dict[str, str]):
    with pytest.raises(NotServed, match="must be .*ENDPOINT:MODEL"):
        dxmatch.evaluate("absent.csv", **asked)
