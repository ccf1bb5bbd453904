"""The two-stage judge, the columns that language models fill, and labels by people: who is asked what, and what comes of it."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from dxmatch import Asking, Graded, Judge
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.errors import OptionError
from dxmatch.evaluation.match.judge import NOT_ANSWERED, Judging
from dxmatch.evaluation.match.matches import match
from dxmatch.votes.asking import LanguageModel, NotServed
from dxmatch.votes.prompts.questions import Answer, Question
from dxmatch.votes.prompts.versions import PROMPTS

from ..made import By, SetMatcher, lists_of

JUDGE, CHECK, RELATION, SEVERITY = "judge-2", "check-2", "relation-1", "severity-1"
CASES = {
    "one": {"A": ["angina", "heart attack", "gout"], "B": ["none", "gout", "asthma"], "truth": ["myocardial infarction", "gout"]},
    "two": {"A": ["asthma", "gout"], "B": ["none"], "truth": ["asthma"]},
}  # fmt: skip
A_ONE, B_ONE, MI = "1. angina\n2. heart attack\n3. gout", "2. gout\n3. asthma", "myocardial infarction"
"""The lists as they are read to a judge; a word for no diagnosis keeps its place."""
NO = '{"verdict": "not included", "basis": "no word of it"}'
YES = '{"verdict": "included", "basis": "the same", "place": 2}'
RIGHT, WRONG = '{"verdict": "correct", "basis": "rightly so"}', '{"verdict": "incorrect", "basis": "a synonym"}'


class Scripted(LanguageModel):
    """A language model that answers by a table instead of over a network: {(prompt, first, answer): text}."""

    def __init__(self, said: dict[tuple[str, str, str], str]) -> None:
        super().__init__(Endpoint("nowhere", "http://127.0.0.1:9/v1"), "m")
        object.__setattr__(self, "said", said)
        object.__setattr__(self, "asked", [])

    def answers(self, prompt, asked, store, budget, progress=None):  # type: ignore[override]
        out: list[Answer | None] = []
        for first, second in asked:
            key = (prompt.version, first, json.loads(second)["answer"] if prompt.version == CHECK else second)
            self.asked.append(key)  # type: ignore[attr-defined]
            text = self.said.get(key)  # type: ignore[attr-defined]
            question = Question(self.config(prompt), first, second)
            out.append(None if text is None else Answer(*PROMPTS[prompt.version].read(text, question), raw=text))
        return out


def scripted(judge_A=NO, check_A=WRONG, judge_B=NO, check_B=RIGHT, more: Any = None) -> Any:
    """What the two stages say of the infarction in case one."""
    said = {(JUDGE, MI, A_ONE): judge_A, (CHECK, MI, A_ONE): check_A, (JUDGE, MI, B_ONE): judge_B, (CHECK, MI, B_ONE): check_B}  # fmt: skip
    return Scripted(said | (more or {}))


def judged(tmp_path, judge=None, graded=None, m=None, cases=CASES, columns=None) -> Any:
    """M's names are in small letters; equal strings match."""
    m = m or By()
    m.providers = SimpleNamespace(naming=lambda texts: [text.lower() for text in texts])
    judging = Judging(judge, graded, Asking(store=tmp_path / "votes.sqlite"))
    return match(lists_of(cases, **(columns or {})), m, ["weighted"], judge=judging)


def test_two_stages_by_hand(tmp_path):
    m = scripted()
    made = judged(tmp_path, Judge(model=m))
    found = made.judged
    # columns: A, B; rows: the two right answers of case one, the one of case two. B of two says nothing; A's asthma is equal.
    assert found.of("included").tolist() == [[[1, 1], [0, 1]], [[1, -1], [0, -1]]]
    assert found.verdicts["judge"][0].tolist() == [[0, 1], [0, 1]] and found.of("place")[0].tolist() == [
        [-1, 3],
        [-1, 2],
    ]
    # equal names are never asked about; the check only where the judge says "not included"
    assert m.asked == [(stage, MI, said) for stage in (JUDGE, CHECK) for said in (A_ONE, B_ONE)]
    rows = list(found.rows.values())
    names = ("algorithm", "judge", "judge_basis", "check", "check_basis", "included", "place")
    assert [tuple(rows[i][name] for name in names) for i in (0, 1, 5)] == [
        ("A", "not included", "no word of it", "incorrect", "a synonym", True, None),
        ("A", None, "an equal name stands in place 3: not asked", None, None, True, 3),
        ("B", None, "nothing was answered: not asked", None, None, False, None),
    ]


@pytest.mark.parametrize(
    ("judge", "check", "options", "included", "places", "unscored"),
    [
        (scripted(judge_A=YES), None, {}, [[1, 1], [0, 1]], [2, 3], {}),
        (scripted(judge_A=YES.replace("2", "9")), None, {}, [[1, 1], [0, 1]], [0, 3], {}),  # the list has no such place
        (scripted(), "none", {}, [[0, 1], [0, 1]], [0, 3], {}),
        (scripted(judge_A="I cannot tell", check_B="{}"), None, {}, [[-1, 1], [-1, 1]], [0, 3], {"refusal": 1, "unclear": 1}),
        (Scripted({}), "none", {}, [[-1, 1], [-1, 1]], [0, 3], {NOT_ANSWERED: 2}),
        (scripted(more={(JUDGE, "gout", A_ONE): YES, (JUDGE, "gout", B_ONE): "perhaps"}), None, {"ask_equal": True},
         [[1, 1], [0, -1]], [0, 2], {NOT_ANSWERED: 1, "unclear": 1}),
    ],
)  # fmt: skip
def test_what_comes_of_the_stages(tmp_path, judge, check, options, included, places, unscored):
    """Of case one; no verdict is never "not included"."""
    asked = Judge(model=judge, check=check, **options)
    found = judged(tmp_path, asked, m=SetMatcher((MI, "heart attack"))).judged
    assert found.of("included")[0].tolist() == included
    assert [found.rows[0, 0, d]["place"] or 0 for d in (0, 1)] == places
    assert found.unscored == unscored


def test_relations_and_severities_by_hand(tmp_path):
    said = {
        (RELATION, MI, "angina"): "3", (RELATION, MI, "heart attack"): "1 exact synonym", (RELATION, "gout", "angina"): "5",
        (RELATION, "gout", "heart attack"): "5", (RELATION, MI, "gout"): "5", (RELATION, MI, "asthma"): "5",
        (RELATION, "gout", "asthma"): "perhaps", (RELATION, "asthma", "gout"): "4",
    }  # fmt: skip
    words = {"angina": "2", "heart attack": "4 critical", "gout": "2", "asthma": "3", MI: "4"}
    m = Scripted(said | {(SEVERITY, name, ""): text for name, text in words.items()})
    severity = [None] * 6 + ["mild", "rare"] + [None] * 4
    made = judged(tmp_path, graded=Graded(relation=m, severity=m), columns={"severity": severity}).answers
    assert made.more["relation"] == [
        "exact disease group", "exact synonym", "exact synonym",  # A in one: the nearer of two right answers
        None, "exact synonym", None,  # B: says nothing; gout; asthma, on which one verdict is missing
        "exact synonym", "broad disease group", None,  # A and B in two
    ]  # fmt: skip
    assert made.more["severity"] == ["moderate", "critical", "moderate", None, "moderate", "severe", "severe", "moderate", None]  # fmt: skip
    # what was given stays: of the two right answers of case one the first is mild, the second rare
    given = [[cell.value for cell in cells] for cells in made.references.more["severity"]]
    assert given == [["mild", "rare"], ["severe"]]
    assert len(m.asked) == len(set(m.asked)) == 8 + 5  # type: ignore[attr-defined]


def test_relations_by_m(tmp_path):
    m = By()
    m.relations = lambda a, b: SimpleNamespace(
        kinds=b, semantic_distance=[{"angina": 3, "gout": 0}.get(y, 5) for y in b]
    )  # type: ignore[attr-defined]
    made = judged(tmp_path, graded=Graded(relation="model"), m=m).answers
    near, same, far = "exact disease group", "exact synonym", "not related"
    assert made.more["relation"] == [near, far, same, None, same, far, same, None, None]
    with pytest.raises(OptionError, match="relation"):
        judged(tmp_path, graded=Graded(relation="model"), m=By())


@pytest.mark.parametrize(
    ("option", "options"),
    [
        ("judge.check", {"check": "model"}), ("judge.prompt", {"prompt": "judge-2"}), ("judge.ask_equal", {"ask_equal": True}),
        ("judge.check_prompt", {"model": scripted(), "check": "none", "check_prompt": "check-2"}),
        ("graded.prompts", {"relation": "model", "prompts": {"relation": "relation-1"}}),
        ("graded.prompts", {"prompts": {"severity": "severity-1"}}), ("graded.prompts", {"prompts": {"judge": "judge-2"}}),
        ("graded.severity", {"severity": "model"}), ("graded.relation", {"relation": "none"}), ("judge.model", {"model": "none"}),
    ],
)  # fmt: skip
def test_options_that_cannot_be_meant(option, options):
    with pytest.raises(OptionError, match=f"'{option}'") as error:
        Judging(Judge(**options)) if option.startswith("judge") else Judging(graded=Graded(**options))
    assert isinstance(error.value, NotServed) == (option in ("graded.severity", "graded.relation", "judge.model"))  # fmt: skip


def test_labels_by_people_ask_m_about_whole_lists():
    people = Judging(Judge(human={"case_id": ["two"], "rater": ["A"], "label": [1]}))
    made = match(lists_of(CASES), By(), ["weighted"], judge=people)
    assert np.argwhere(made.humans["human"] == 1).tolist() == [[1, 0, 0]]
    assert made.references.hits.shape[:3] == (2, 2, 3)
