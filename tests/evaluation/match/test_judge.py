"""The two-stage judge: who is asked what, and what comes of it. Severities, relations, and labels by people."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.files.tables import read_table

from ..made import By, Says, SetMatcher, framed, long_form, scored, told

CASES = {
    "one": {"A": ["angina", "heart attack", "gout"], "B": ["none", "gout", "asthma"], "truth": ["myocardial infarction", "gout"]},
    "two": {"A": ["asthma", "gout"], "B": ["none"], "truth": ["asthma"]},
}  # fmt: skip
A_ONE, B_ONE, MI = "1. angina\n2. heart attack\n3. gout", "2. gout\n3. asthma", "myocardial infarction"
"""The lists as they are read to a judge; a word for no diagnosis keeps its place."""
NO, YES = '{"verdict": "not included", "basis": "no word of it"}', '{"verdict": "included", "basis": "the same", "place": 2}'  # fmt: skip
RIGHT, WRONG = '{"verdict": "correct", "basis": "rightly so"}', '{"verdict": "incorrect", "basis": "a synonym"}'


def judge_of(judge_A=NO, check_A=WRONG, judge_B=NO, check_B=RIGHT, **more):
    """What the two stages say of the infarction in case one. more : what the judge says of the gout there, by the rater."""
    said = {("judge", MI, A_ONE): judge_A, ("check", MI, A_ONE): check_A, ("judge", MI, B_ONE): judge_B, ("check", MI, B_ONE): check_B}  # fmt: skip
    said |= {("judge", "gout", {"A": A_ONE, "B": B_ONE}[rater]): text for rater, text in more.items()}
    return Says(lambda kind, first, text: said.get((kind, first, json.loads(text)["answer"] if kind == "check" else text)))  # fmt: skip


@pytest.fixture
def evaluated(tmp_path):
    """The report of the cases under options of `evaluate`; M's names are in small letters."""

    def run(m=None, lists=CASES, metrics="recall", **options):
        m = m or By()
        m.providers = SimpleNamespace(naming=lambda texts: [text.lower() for text in texts])
        asking = dxmatch.Asking(store=tmp_path / "votes.sqlite")
        return scored(lists, metrics, m, asking=asking, **options)

    return run


@pytest.mark.parametrize(
    ("judge", "options", "included", "places", "recall", "ranked", "unscored"),
    [
        (judge_of(judge_A=YES), {}, [1, 1, 0, 1], [2, 3], 3 / 3, True, ""),
        (judge_of(judge_A=YES.replace("2", "9")), {}, [1, 1, 0, 1], [0, 3], 3 / 3, False, ""),  # the list has no such place
        (judge_of(), {"check": "none"}, [0, 1, 0, 1], [0, 3], 2 / 3, True, ""),
        # no verdict is never "not included": the case is left out
        (judge_of(judge_A="I cannot tell", check_B="{}"), {}, [None, 1, None, 1], [0, 3], 1, True, "1 refusal, 1 unclear"),
        (Says(lambda *_: None), {"check": "none"}, [None, 1, None, 1], [0, 3], 1, True, "2 not answered"),
    ],
)  # fmt: skip
def test_what_comes_of_the_stages(evaluated, judge, options, included, places, recall, ranked, unscored):
    """Of case one; ranks are told where the place of all that is included is known."""
    report = evaluated(judge={"model": judge, **options}, m=SetMatcher((MI, "heart attack")))
    rows = report.judgements.replace({np.nan: None}).query("case_id == 'one'")
    assert rows["included"].tolist() == [one if one is None else bool(one) for one in included]
    assert [place or 0 for place in rows["place"]][:2] == places
    assert report.row("R_disease", algorithm="A", of="judge")["value"] == pytest.approx(recall)
    assert any((row["metric"], row["of"]) == ("Acc", "judge") for row in report.rows) == ranked
    assert ("checks its own verdicts" in told(report, "headline")) == ("check" not in options)
    assert unscored in told(report, "no_verdict") and bool(unscored) == bool(told(report, "no_verdict"))


def test_equal_names_are_asked_about_where_that_is_asked_for(evaluated):
    judge = {"model": judge_of(A=YES, B="perhaps"), "ask_equal": True}
    with pytest.raises(InputError, match="in none of 2 cases \\(1 unclear, 1 not answered\\)"):
        evaluated(judge=judge)
    assert ("judge", "gout", A_ONE) in judge["model"].asked


def test_a_final_diagnosis_is_asked_about_beside_the_set(evaluated):
    """It is what the ranks of the judge are of; its recall is of the set."""
    case = {"A": ["angina", "heart attack", "gout"], "truth": ["gout", "asthma"], "last": [MI]}
    lists = long_form({"one": case}, {"A": "algorithm", "truth": "reference", "last": "final"})
    judge = {"model": Says(lambda _, first, __: YES if first == MI else NO), "check": "none"}
    report = evaluated(lists=lists, judge=judge, metrics=["recall", "ranking"], resamples=0)
    values = {row["name"]: row["value"] for row in report.rows if row["of"] == "judge"}
    assert values == {"R_disease(judge)": 0.5, "R_patient(judge)": 0, "Acc(judge)@1": 0, "Acc(judge)@3": 1}
    assert report.judgements["reference"].tolist() == ["gout", "asthma", MI]


# Labels by people


def labels(*rows):
    return {name: [row[i] for row in rows] for i, name in enumerate(("case_id", "rater", "reference", "label"))}


@pytest.mark.parametrize(
    ("cases", "table", "agreement"),
    [
        # M: only the gouts of case one and A's asthma of case two
        (CASES, labels(("one", "A", "Gout ", "1"), ("one", "B", MI, "no"), ("two", "A", "", "Included"), ("two", "B", None, None)), {("M", "human"): (1, 3, 2)}),
        # other names of the columns, several humans, one rater who need not be named
        ({"one": {"A": ["gout"], "truth": ["gout"]}}, {"Case": ["one"], "label_ann": [1], "label_bob": [0], "Label_cy": [""]},
         {("M", "majority"): (None, 0, 0), ("M", "ann"): (1, 1, 1), ("M", "bob"): (0, 1, 0), ("ann", "bob"): (0, 1, 0)}),
    ],
)  # fmt: skip
def test_labels_are_read_by_case_rater_and_reference(evaluated, cases, table, agreement):
    rows = evaluated(lists=cases, judge={"human": table}).rows_of("human.agreement")
    found = {(row["who"], row["against"]): (row["value"], row["items"], row["included"]) for row in rows if row["metric"] == "accuracy"}  # fmt: skip
    assert agreement.items() <= found.items()


# On the command line

TALK = "I would rather not name anything before the next visit, as nothing here is clear to me."
ANSWERS = [
    {"case_id": "1", "reference": "chronic gastritis", "gpt": "1. Gastritis\n2. Anemia", "claude": "1. Gout\n2. Sepsis"},
    {"case_id": "2", "reference": "gout", "gpt": "1. Podagra\n2. Sepsis", "claude": TALK},
]  # fmt: skip
JUDGE = ("evaluate", "answers.json", "--endpoints", "e.toml", "--resamples", "0", "--judge.model", "lab:strict")


@pytest.fixture
def here(tmp_path, loopback, monkeypatch):
    pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
    monkeypatch.chdir(tmp_path)
    Path("e.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\ntries = 1\n')
    Path("answers.json").write_text(json.dumps(ANSWERS))


def test_judgements_and_a_page_as_files(here, command, loopback):
    loopback.rules({"model": "strict", "contains": "Podagra", "text": YES}, {"model": "strict", "text": NO}, {"text": "Correct. Nothing of it is said."})  # fmt: skip
    done = command(*JUDGE, "--judge.check", "lab:checker", "--judgements", "j.csv", "-o", "r.html")
    rows = read_table("j.csv").data.to_pylist()
    (gout,) = [row for row in rows if row["reference"] == "gout" and row["algorithm"] == "claude"]
    names = ("answer", "judge", "judge_basis", "check", "check_basis", "included")
    said = [TALK, "not included", "no word of it", "correct", "Nothing of it is said.", "false"]
    assert done.code == 0 and len(rows) == 4 and [gout[name] for name in names] == said
    words = "gout: not included. judge: not included (no word of it); check: correct (Nothing of it is said.)."
    assert words in Path("r.html").read_text("utf-8")


def test_answers_that_no_form_tells_are_read_again_by_a_model(loopback, tmp_path):
    pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
    loopback.rules({"contains": "king's disease", "text": "1. gout\n2. sepsis"}, {"contains": "hard to say", "text": "It depends."})  # fmt: skip
    (tmp_path / "my.toml").write_text(f'[endpoint.lab]\nurl = "{loopback.url}"\ntries = 1\n', "utf-8")
    asking = dxmatch.Asking(endpoints=tmp_path / "my.toml", store=tmp_path / "votes.sqlite")
    said = {"1": "All of it speaks for the king's disease, I feel, then for poison.", "2": "That is hard to say from here, so wait."}  # fmt: skip
    report = dxmatch.evaluate(
        {"gpt": said}, {"1": "gout", "2": "flu"}, matcher=By(), reading={"read_again": "lab:any"}, asking=asking, metrics="recall"
    )  # fmt: skip
    assert loopback.log()["calls"] == 2
    assert {row["metric"]: row["value"] for row in report.table.to_pylist()}["R_disease"] == 0.5
    (told,) = [one.sentence for one in report.findings if "no list could be read from" in one.sentence]
    assert "1 by gpt" in told and "hard to say" in told


def test_relations_by_m_and_severities_by_hand(evaluated):
    near = lambda a, b: SimpleNamespace(kinds=b, semantic_distance=[{"angina": 3, "gout": 0}.get(y, 5) for y in b])  # noqa: E731
    words = {"angina": "2", "heart attack": "4 critical", "gout": "2", "asthma": "3", MI: "4"}
    m = Says(lambda kind, a, b: words[a])
    # what was given stays: of the two right answers of case one the first is mild
    given = {"severity": [None] * 6 + ["mild", "rare"] + [None] * 4}
    graded = {"relation": "model", "severity": m}
    report = evaluated(By(relations=near), framed(CASES, **given), "weighted", graded=graded)
    assert "The relations are those that the match function tells" in told(report, "origin")
    found = report.per_case
    # 3, 5, 1; 1 and one that M cannot tell; none, 1, 5; none
    assert found["Semantic"].tolist() == pytest.approx([(4 + 0.6 * 16) / 2.4, np.nan, 0.8 * 16 / 2.4, 0], nan_ok=True)
    # A: moderate, critical, moderate beside mild; severe, moderate beside severe. B: none, moderate, severe
    one, two, other = (9 + 0.8 * 1 + 0.6 * 9) / 2.4, (16 + 0.8 * 9) / 1.8, (0 + 0.8 * 9 + 0.6 * 4) / 2.4
    assert found["Severity"].tolist() == pytest.approx([one, two, other, 0])
    assert len(m.asked) == len(set(m.asked)) == 5


def test_where_all_calls_fail_the_figures_are_there_all_the_same(here, command, loopback):
    loopback.rules({"status": 400})
    options = ("--graded.relation", "lab:m", "--graded.severity", "lab:m", "--endpoints", "e.toml")
    failed = command("evaluate", "answers.json", *options, "--resamples", "0", "-o", "r.json")
    assert failed.code == 1 and failed.out.count("questions failed") == 2 and Path("r.json").exists()
    refused = command(*JUDGE).err
    assert "the judge strict answered none of" in refused and "first failure" in refused
