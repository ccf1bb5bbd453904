"""Runs of reasoning side by side: domains, deviations, differences, premises, a judge, people, the page and the files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dxmatch
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.errors import DxmatchError, InputError, OptionError
from dxmatch.evaluation.reasoning.correspondence import correspond
from dxmatch.evaluation.reasoning.domains import DOMAINS, domains_of
from dxmatch.evaluation.reasoning.evaluate import reasoning
from dxmatch.evaluation.reasoning.graph import KnowledgeGraph
from dxmatch.files.tables import read_table
from dxmatch.votes.asking import Budget, LanguageModel
from dxmatch.votes.prompts.files import prompt_of
from dxmatch.votes.prompts.questions import Answer, Question
from dxmatch.votes.prompts.versions import PROMPTS

from .chromium import CHROMIUM, tab
from .reasoning_example import GRAPHS, NOTES, example, section, written


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return example(tmp_path)


@pytest.fixture
def compared(here, same_text):
    def run(*runs: str, **options: Any) -> Any:
        annotations = options.pop("annotations", "notes")
        return reasoning("graphs", annotations, list(runs), options.pop("m", same_text), **{"bootstrap": 50} | options)

    return run


def value(found: Any, run: str, name: str, group: str = "all") -> dict[str, Any]:
    (row,) = [row for row in found.rows if (row["run"], row["name"], row["group"]) == (run, name, group)]
    return row


def test_two_runs_and_their_difference(compared):
    found = compared("good", "poor")
    # a1: 1 of 2 said and of 2 annotated; a2: 1 of 1, of 2; s1: nothing said; s2: no prediction
    for name, values in (
        ("Acc_cat", [1, 1, 0, 0]), ("Acc_diag", [0, 1, 0, 0]), ("Obs_pre", [1 / 2, 1, 0, 0]), ("Obs_rec", [1 / 2, 1 / 2, 0, 0]),
        ("Obs_comp", [1 / 3, 1 / 2, 0, 0]), ("Exp_com", [0, 0, 0, 0]), ("Exp_all", [0, 0, 0, 0]),
    ):  # fmt: skip
        row = value(found, "poor", name)
        assert (row["value"], row["sd"]) == pytest.approx((np.mean(values), np.std(values))), name
        assert (value(found, "good", name)["value"], value(found, "good", name)["sd"]) == (1, 0)
        (difference,) = [row for row in found.difference_rows if row["name"] == name]
        assert difference["value"] == pytest.approx(1 - np.mean(values)) and difference["n_notes"] == 4
        assert 0 < difference["p_holm"] <= 1
    # all four notes are swapped or not: of 16 permutations, two are as far apart
    assert [row["p"] for row in found.difference_rows if row["name"] == "Exp_all"] == [pytest.approx(2 / 16)]
    assert [run for run, _ in found.board.lines] == ["good", "poor"]
    best = {cell.row["name"]: (cell.best, cell.level) for cell in found.board.lines[1][1]}
    assert best["Exp_all"] == (False, True)  # of four notes it is not shown
    assert all(
        row["judged_by"] == ("" if row["name"].startswith("Acc") else "M") for row in found.rows + found.difference_rows
    )


def test_by_domain_and_category(compared):
    found = compared("good", "poor")
    assert {row["group"] for row in found.rows if row["by"] == "domain"} == {"Pulmonology", "Neurology"}
    assert value(found, "poor", "Acc_diag", "Pulmonology")["value"] == 0.5
    assert value(found, "poor", "Acc_diag", "Pulmonology")["sd"] == 0.5
    assert value(found, "poor", "Obs_rec", "Stroke") == value(found, "poor", "Obs_rec", "Neurology") | {
        "by": "category", "group": "Stroke",
    }  # fmt: skip


def test_the_domains_of_the_source():
    assert {domain: len(own) for domain, own in DOMAINS.items()} == {
        "Cardiology": 7, "Gastroenterology": 4, "Neurology": 5, "Pulmonology": 5, "Endocrinology": 4,
    }  # fmt: skip
    assert domains_of(["stroke", "Gout"]) == {"stroke": "Neurology", "Gout": None}


def test_own_domains(compared, here):
    (here / "d.csv").write_text("category,domain\nasthma,Lungs\nStroke,Brain\n")
    assert {row["group"] for row in compared("poor", domains="d.csv").rows if row["by"] == "domain"} == {
        "Lungs",
        "Brain",
    }
    (here / "d.csv").write_text("category,domain\nAsthma,Lungs\n")
    with pytest.raises(InputError, match=r"d\.csv: no domain of Stroke"):
        compared("poor", domains="d.csv")
    (here / "d.csv").write_text("category,domain\nAsthma,Lungs\nStroke,Brain\nasthma,Chest\n")
    with pytest.raises(InputError, match=r"d\.csv, row 4: a category that stands twice"):
        compared("poor", domains="d.csv")
    with pytest.raises(OptionError, match="'domains' parameter must be every category"):
        compared("poor", domains={"Asthma": "Lungs"})


def test_categories_of_no_known_domain(compared, here):
    (here / "graphs" / "Stroke.json").rename(here / "graphs" / "Strokes.json")
    (here / "graphs" / "Asthma.json").rename(here / "graphs" / "Zzz.json")
    (note,) = [one for one in compared("good").notes if "domain" in one]
    assert note.startswith(
        "No medical domain is known of Strokes (near Stroke), Zzz: these stand in no row of the domains."
    )
    assert "The option 'domains' takes a table" in note


def test_files_that_are_not_read(compared, here):
    assert not any("not read" in note for note in compared("good").notes)
    for name in ("a.xlsx", "Stroke/b.txt", ".hidden", "README.md"):
        (here / "good" / name).write_text("x")
    assert "good: 2 files are no .json file and not read, such as Stroke/b.txt." in compared("good").notes


def test_runs_with_notes_of_their_own(compared, here, same_text):
    """Original against amended: the amended note has one more observation, which is found."""
    amended = json.loads(json.dumps(NOTES))
    amended["Stroke/s2.json"]["Hemorrhagic Stroke$Intermedia_3"]["new$Cause_1"] = {"stiff neck$Input5": {}}
    written(here / "amended", amended)
    found = compared("good", "poor", annotations={"good": "amended", "poor": "notes"})
    rows = {(row["run"], row["note"]): row["annotated"] for row in found.per_note.to_pylist()}
    assert (rows["good", "Stroke/s2.json"], rows["poor", "Stroke/s2.json"]) == (3, 2)
    # the same predictions against both, and a third run that shares its notes with one of them
    runs = {"original": "good", "amended": "good", "poor": "poor"}
    notes = {"original": "notes", "amended": "amended", "poor": "notes"}
    both = reasoning("graphs", notes, runs, same_text, bootstrap=0)
    assert [value(both, run, "Obs_rec")["value"] for run in runs] == pytest.approx([1, 11 / 12, 1 / 4])
    with pytest.raises(
        InputError,
        match="one folder for two runs, original and amended, of the same notes.*each once, or with annotated",
    ):
        reasoning("graphs", "notes", runs, same_text, bootstrap=0)
    (here / "amended" / "Stroke" / "s2.json").unlink()
    with pytest.raises(InputError, match=r"1 notes are in one of .*'Stroke/s2\.json'"):
        compared("good", "poor", annotations={"good": "amended", "poor": "notes"})
    with pytest.raises(OptionError, match="a folder for each run: good, poor"):
        compared("good", "poor", annotations={"good": "notes"})


def test_a_run_named_twice(compared, here):
    with pytest.raises(InputError, match="given twice"):
        compared("good", "good")
    written(here / "other" / "good", {"Asthma/a1.json": {}})
    assert [run.name for run in compared("good", "other/good").runs][1] == "other/good"


def test_a_note_without_a_prediction_is_in_no_metric_of_its_run(compared):
    found = compared("good", "poor", missing="own")
    # poor: s2 has no prediction; s1 has one without an observation, and is left out where that is 0 of 0
    told = {
        name: (value(found, "poor", name)["value"], value(found, "poor", name)["n_notes"])
        for name in found.board.columns
    }
    assert told == {
        "Acc_cat": (pytest.approx(2 / 3), 3), "Acc_diag": (pytest.approx(1 / 3), 3), "Obs_pre": (0.75, 2),
        "Obs_rec": (pytest.approx(1 / 3), 3), "Obs_comp": (pytest.approx(5 / 18), 3), "Exp_com": (0, 2), "Exp_all": (0, 3), "Prem": (0, 2),
    }  # fmt: skip
    rows = {row["note"]: row for row in found.per_note.to_pylist() if row["run"] == "poor"}
    assert rows["Stroke/s2.json"]["Acc_diag"] is None and rows["Stroke/s1.json"]["Acc_diag"] == 0
    assert {row["n_notes"] for row in found.difference_rows if row["name"] in ("Acc_diag", "Exp_all")} == {3}
    assert "poor: 1 of 4 notes have no prediction: they are left out of every metric of this run." in found.warnings
    assert any(line.startswith("The runs have predictions of different notes") for line in found.warnings)
    assert "0.333 ± 0.471 (n = 3)" in found.to_markdown() and "> n: of how many notes" in found.to_markdown()
    assert ">n = 3</span>" in found.to_html()
    assert "Charts of the domains" not in found.to_html()
    assert "Charts of the domains" in compared("good", domains={"Asthma": "One", "Stroke": "One"}).to_html()
    other = compared("good", "poor")
    assert "n = " not in other.to_markdown() and not other.board.uneven


def test_what_counts_as_0_is_told_of_predicted_notes_alone(compared, here):
    told = "poor: 1 note was predicted without an observation, and in 1 predicted note none corresponds (by M): what would be "
    assert any(note.startswith(told) for note in compared("poor").notes)
    (here / "poor" / "Stroke" / "s1.json").unlink()
    assert not any("without an observation" in note for note in compared("poor").notes)


@pytest.mark.parametrize(
    ("table", "greedy"),
    [
        ([[0.9, 0.8], [0.8, 0.1]], [(0, 0)]),  # the best assignment has two
        ([[0.6, 0.9], [0.9, 0.6]], [(0, 0), (1, 1)]),  # the first that is alike, not the likest
        ([[0.1, 0.9], [0.1, 0.9]], [(0, 1)]),
        (np.zeros((2, 0)), []),
    ],
)
def test_greedy_pairing(table, greedy):
    assert correspond(np.array(table), 0.5, "greedy") == greedy


def test_pairing_is_an_option(compared):
    assert value(compared("poor", pairing="greedy"), "poor", "Obs_pre")["value"] == 0.375
    with pytest.raises(OptionError, match="best, greedy"):
        compared("poor", pairing="first")


# The graph


def test_premises(compared, set_matcher):
    graph = KnowledgeGraph.read("graphs")
    asthma = graph.category("asthma")
    assert asthma is not None and asthma.statements("Suspected asthma") == ("wheeze", "tight chest", "allergy")
    assert asthma.statements("Severe Asthma") == ("stays in hospital", "peak flow below half")
    assert asthma.statements("Mild Asthma") == asthma.statements(None) == ()
    found = compared("good")
    # of the good run one of two deductions of one note gives a premise: "stays in hospital"
    assert value(found, "good", "Prem")["value"] == pytest.approx(1 / 8)
    assert any("8 deductions 0.125 have a rationale" in note for note in found.notes)
    rows = {row["observation"]: row for row in found.deductions.to_pylist() if row["note"] == "Asthma/a1.json"}
    assert rows["third stay"]["on_premise"] and rows["third stay"]["predicted_on_premise"]
    assert not rows["wheeze"]["on_premise"]
    assert rows["wheeze"]["premises"] == "Symptoms: wheeze; tight chest; etc.\nRisk Factors: allergy"
    without = compared("good", premises=False)
    assert not any(row["metric"] == "Prem" for row in without.rows)
    assert {row["on_premise"] for row in without.deductions.to_pylist()} == {None}


def test_statistics_of_the_data(compared):
    found = compared("poor", length=len)
    rows = {row["group"]: row for row in found.data.to_pylist()}
    text = len("\n".join(section("A young clerk").values()))
    assert rows["all"] | {"length": None} == {
        "by": "all", "group": "all", "categories": 2, "notes": 4, "diagnoses": 6, "discharge_diagnoses": 4, "observations": 2.0,
        "length": None,
    }  # fmt: skip
    assert rows["Neurology"]["notes"] == 2 and rows["Asthma"]["discharge_diagnoses"] == 2
    assert rows["Asthma"]["length"] == pytest.approx(
        text + 6
    )  # "A retired baker" is two letters longer, six times over
    graphs = {row["category"]: row for row in found.graphs.to_pylist()}
    assert graphs["Asthma"] == {
        "category": "Asthma", "domain": "Pulmonology", "root": "Suspected Asthma", "diagnoses": 3, "discharge_diagnoses": 2,
        "depth": 2, "with_premises": 2, "premises": 5,
    }  # fmt: skip


# What stands side by side


def test_deductions_side_by_side(compared):
    rows = [row for row in compared("poor").deductions.to_pylist() if row["note"].startswith("Asthma")]
    told = [
        (row["kind"], row["observation"], row["predicted_observation"], row["same_diagnosis"], row["rationales_alike"], row["explained"])
        for row in rows
    ]  # fmt: skip
    assert told == [
        ("common", "third stay", "third stay", True, False, False),
        ("only in the note", "wheeze", None, None, None, None),
        ("only predicted", None, "fever <b>", None, None, None),
        ("common", "tight chest", "tight chest", False, True, False),
        ("only in the note", "peak flow 80 %", None, None, None, None),
    ]


# Warnings and errors


def test_what_stands_above_the_figures(compared):
    warnings = compared("good", "poor").warnings
    assert any(line.startswith("The match function was trained on names of diseases") for line in warnings)
    assert "poor: 1 of 4 notes have no prediction: they count as 0 in every metric." in warnings
    assert any("4 notes: intervals and p-values of so few say little." in line for line in warnings)


def test_texts_that_m_does_not_understand_are_told(compared, same_text):
    same_text.not_understood = lambda texts: {"wheeze": "a sound"}
    try:
        (line, *_) = compared("good").warnings
    finally:
        del same_text.not_understood
    assert "does not understand 1 of" in line and "'wheeze' (a sound, " in line


def test_notes_of_another_language_are_told(here, compared):
    """The shipped M, which scores sentences here on purpose: they are not told."""
    written(here / "good", {"Asthma/a1.json": {
        "Der Patient klagt über starke Brustschmerzen": ["боль в груди", "input1", None],
        "he came in with a crushing chest pain that had lasted for more than two hours": ["胸痛两小时", "input1", None],
    }})  # fmt: skip
    model = Says(lambda kind, a, b: "No.")
    m = dxmatch.load(judge_all=True)
    (line, *_) = compared("good", m=m, bootstrap=0).warnings
    assert line.startswith(
        "3 of 17 different observations and rationales look like no text of the match function's language, such as "
    )
    assert "'боль в груди' (another script, 1)" in line and "Brustschmerzen' (another language" in line
    assert "crushing" not in line and "judge" not in line
    (line, *_) = compared("good", m=m, bootstrap=0, judge=model).warnings
    assert line.endswith("The figures by the judge do not depend on it.")


@pytest.mark.parametrize(
    ("name", "like", "told"),
    [
        ("Asthma/copy.json", "Asthma/a1.json", r"Asthma/copy\.json: a note that Asthma/a1\.json claims too: .*same sections"),
        ("Stroke/a1.json", "Asthma/a1.json", r"a note that Asthma/a1\.json claims too"),
        ("Asthma/A1.json", "Stroke/s1.json", r"a note that Asthma/A1\.json claims too: .*differ in case"),
    ],
)  # fmt: skip
def test_a_note_that_two_files_claim(compared, here, name, like, told):
    written(here / "notes", {name: NOTES[like] | (section("Another") if "A1" in name else {})})
    with pytest.raises(InputError, match=told):
        compared("good")


def test_one_file_name_in_two_folders(compared, here):
    other = NOTES["Stroke/s1.json"] | section("A lame carpenter")
    written(here / "notes", {"Stroke/a1.json": other})
    assert any(
        line.startswith("1 file names stand in several folders, such as a1.json") for line in compared("good").notes
    )


@pytest.mark.parametrize(
    ("file", "text", "told"),
    [
        ("good/Asthma/a1.json", '{"wheeze": ', r"good/Asthma/a1\.json: not JSON"),
        ("notes/Asthma/a1.json", "[]", r"notes/Asthma/a1\.json: no JSON object"),
        ("good/Asthma/zz.json", "{}", r"good: no note for 1 of 5 predictions"),
        ("graphs/Stroke.json", None, r"notes/Stroke/s1\.json at .*begins in no graph: one is missing for its category"),
    ],
)
def test_files_that_are_wrong(compared, here, file, text, told):
    if text is None:
        (here / file).unlink()
    else:
        (here / file).write_text(text)
    with pytest.raises(InputError, match=told):
        compared("good")


# The judge, and people


class Says(LanguageModel):
    """A language model that answers by a function instead of over a network."""

    def __init__(self, answer: Any) -> None:
        super().__init__(Endpoint("nowhere", "http://127.0.0.1:9/v1"), "m")
        object.__setattr__(self, "answer", answer)
        object.__setattr__(self, "asked", [])

    def answers(self, prompt, asked, store, budget, progress=None):  # type: ignore[override]
        self.asked.extend((prompt.kind, *pair) for pair in asked)  # type: ignore[attr-defined]
        texts = [self.answer(prompt.kind, *pair) for pair in asked]  # type: ignore[attr-defined]
        who = self.config(prompt)
        return [
            None if text is None else Answer(*prompt.read(text, Question(who, *pair)), raw=text)
            for text, pair in zip(texts, asked, strict=True)
        ]


def test_a_judge_beside_m(compared):
    model = Says(lambda kind, a, b: "Yes" if kind == "rationale" or {a, b} == {"wheeze", "fever <b>"} else "No.")
    found = compared("poor", judge=model)
    # a1: both correspond by the judge, the second for the same diagnosis, with rationales that it takes for alike
    rows = {row["note"]: row for row in found.per_note.to_pylist()}
    assert (rows["Asthma/a1.json"]["paired"], rows["Asthma/a1.json"]["paired(judge)"]) == (1, 2)
    assert (rows["Asthma/a1.json"]["explained"], rows["Asthma/a1.json"]["explained(judge)"]) == (0, 2)
    assert value(found, "poor", "Exp_all(judge)")["value"] == pytest.approx(1 / 4)
    assert value(found, "poor", "Exp_all(judge)")["judged_by"] == "judge"
    assert value(found, "poor", "Exp_all")["value"] == 0
    assert len(model.asked) == len(set(model.asked))
    assert not any(a == b for _, a, b in model.asked), "equal texts are alike"
    between = {row["question"]: row for row in found.agreement_rows}
    # of the six pairs of observations of a1 and a2 the judge says Yes to one that M does not
    assert [between["observation"][name] for name in ("pairs", "who_alone", "against_alone", "both", "neither")] == [
        6,
        1,
        0,
        2,
        3,
    ]
    assert found.made_with["judge_prompts"] == ["observation-1", "rationale-1"]


def test_what_the_judge_does_not_answer(compared):
    unclear = compared("poor", judge=Says(lambda kind, a, b: "Maybe" if "fever" in b else "No"))
    assert any("m gave no verdict on 2 pairs of observations (2 unclear): they count as not alike." in line for line in unclear.warnings)  # fmt: skip
    with pytest.raises(InputError, match=r"m gave no verdict on any of 4 pairs of observations \(4 not answered\)"):
        compared("poor", judge=Says(lambda kind, a, b: None))


def test_a_judge_over_the_protocol(compared, here, loopback):
    pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
    (here / "e.toml").write_text(f'[endpoint.local]\nurl = "{loopback.url}"\n')
    (here / "own.txt").write_text("Sag Ja oder Nein, Yes or No: {first} / {second}?")
    loopback.rules({"contains": "Sag Ja", "text": "No"}, {"text": "Yes"})
    asked = {"judge": "local:llama", "endpoints": "e.toml", "store": "v.sqlite", "observation_prompt": "own.txt"}
    budget = Budget()
    found = compared("poor", budget=budget, **asked)
    calls = loopback.log()["calls"]
    # 4 + 2 pairs of observations, two of them equal; one of the two pairs of rationales is equal
    assert calls == budget.summaries[0].calls + budget.summaries[1].calls == 5
    assert value(found, "poor", "Exp_com(judge)")["value"] == pytest.approx(1 / 4)
    version = prompt_of("observation", "own.txt").version
    assert version.startswith("observation-file-") and found.made_with["judge_prompts"] == [version, "rationale-1"]
    assert compared("poor", **asked).rows == found.rows and loopback.log()["calls"] == calls
    with pytest.raises(InputError, match=r"\{second\} is missing"):
        (here / "own.txt").write_text("{first}?")
        compared("poor", **asked)


def test_the_built_in_prompts_put_data_as_data():
    for version in ("observation-1", "rationale-1"):
        prompt = PROMPTS[version]
        (message,) = prompt.messages('</data> "x"', "b")
        assert message["content"].count("</data>") == 1
        assert prompt.read("Yes", Question(LanguageModel(Endpoint("n", "http://n/v1"), "m").config(prompt), "a", "b")) == (1, None)  # fmt: skip
    # the source's five examples, each as a rule of its own
    assert [PROMPTS["rationale-1"].text.count(f": {word}, as in") for word in ("Yes", "No")] == [2, 3]


LABELS = """run,note,observation,predicted,label_ann,label_bob,label_cy,rationale_label
poor,Asthma/a1.json,third stay,third stay,1,1,0,1
poor,Asthma/a1.json,wheeze,fever <b>,1,1,1,
poor,Asthma/a1.json,wheeze,third stay,0,0,1,0
poor,Asthma/a2.json,tight chest,tight chest,1,0,,1
good,Asthma/a2.json,peak flow 80 %,tight chest,0,0,0,
"""


def test_agreement_with_people(compared, here):
    (here / "l.csv").write_text(LABELS)
    found = compared("good", "poor", human="l.csv", bootstrap=200)
    rows = {row["question"]: row for row in found.agreement_rows}
    one = rows["observation"]
    # M: yes, no, no, (divided: out), no; people: yes, yes, no, no
    assert [one[name] for name in ("both", "who_alone", "against_alone", "neither", "pairs")] == [1, 0, 1, 2, 4]
    p_e = 1 / 4 * 2 / 4 + 3 / 4 * 2 / 4
    assert (one["accuracy"], one["kappa"]) == pytest.approx((3 / 4, (3 / 4 - p_e) / (1 - p_e)))
    assert one["low"] <= 3 / 4 <= one["high"]
    # rationales: "stays in hospital" and "may be asthma", "typical 0" and the same, "typical 0" and "may be asthma"
    assert [rows["rationale"][name] for name in ("both", "who_alone", "against_alone", "neither")] == [1, 0, 1, 1]
    assert any("on 1 pair people are divided" in line for line in found.warnings)
    assert not any("is not known" in line for line in found.warnings)
    judged = compared("good", "poor", human="l.csv", judge=Says(lambda kind, a, b: "Yes"))
    said = {(row["question"], row["who"], row["against"]): row["accuracy"] for row in judged.agreement_rows}
    assert said["observation", "m", "people"] == 2 / 4 and said["observation", "M", "people"] == 3 / 4
    cells = [line.replace(".json", "").split(",") for line in LABELS.splitlines()]
    words = {"1": "Yes", "0": "false"}
    (here / "l.csv").write_text("\n".join(",".join(words.get(cell, cell) for cell in line) for line in cells))
    assert compared("good", "poor", human="l.csv", bootstrap=200).agreement_rows == found.agreement_rows


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("poor,Asthma/a1.json,wheeze,third", "poor,Asthma/a9.json,wheeze,third"), r"l\.csv, row 4, column 'note': no such note.*did you mean 'Asthma/a2\.json'"),
        (("wheeze,fever <b>", "wheeze,sneeze"), r"row 3, column 'predicted': no such observation.*prediction of poor"),
        (("third stay,third stay", "cough,third stay"), r"row 2, column 'observation': no such observation.*annotation"),
        (("1,1,1,", "1,x,1,"), r"row 3, column 'label_bob': a label of no known kind.*yes or no, true or false.*or blank"),
        (("good,", "best,"), r"row 6, column 'run': no such run.*good, poor"),
        (("run,note", "who,note"), r"'run'.*is missing"),
    ],
)  # fmt: skip
def test_labels_that_are_wrong(compared, here, change, told):
    assert change[0] in LABELS
    (here / "l.csv").write_text(LABELS.replace(*change))
    with pytest.raises(InputError, match=told):
        compared("good", "poor", human="l.csv")


# Files and the page


def test_files(compared, here):
    found = compared("good", "poor")
    for suffix in ("csv", "json", "md", "html"):
        found.save(f"r.{suffix}")
    assert read_table("r.csv").names[:8] == ["run", "metric", "judged_by", "name", "by", "group", "value", "sd"]
    kept = json.loads((here / "r.json").read_text("utf-8"))
    assert kept["table"] == json.loads(json.dumps(found.rows)) and len(kept["per_note"]) == 8
    assert "| good | **1.000 ± 0.000** |" in (here / "r.md").read_text("utf-8")
    assert (here / "r.md").read_text("utf-8").startswith("> The match function")
    for path, told in (("r.odt", "html, .json"), ("absent/r.csv", "no such folder")):
        with pytest.raises(DxmatchError, match=told):
            found.save(path)


def test_the_page_escapes_and_warns_first(compared):
    page = compared("good", "poor").to_html()
    assert "fever &lt;b&gt;" in page and "fever <b>" not in page
    places = [
        page.index(text) for text in ("Before you read on", "Acc_diag", "Note by note</h2>", "Only in the note (1)")
    ]
    assert places == sorted(places)
    assert "What the graph says of these diagnoses" in page and "stays in hospital" in page
    assert "its program divides by that number + 1" in page


def test_many_notes_are_cut_and_told(compared, monkeypatch):
    monkeypatch.setattr("dxmatch.evaluation.reasoning.note_browser._MOST", 4)
    page = compared("good", "poor").to_html()
    assert "2 of 4 notes: those that the runs explain least." in page and page.count('<details class="nb"') == 2


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
def test_the_page_filters_without_a_network(compared, here, tmp_path):
    compared("good", "poor").save("r.html")
    with tab(tmp_path / "profile") as page:
        page.open(f"file://{here / 'r.html'}")
        shown = "[...document.querySelectorAll('.nb')].filter((one) => !one.hidden).length"

        def choose(name: str, value: str) -> int:
            page.value(f"(() => {{ const one = document.getElementById('{name}'); one.value = {value!r}; one.dispatchEvent(new Event('input')); }})()")  # fmt: skip
            return page.value(shown)

        assert page.value("document.querySelectorAll('#domains figure svg').length") == 3
        # the widest table stands whole in a window of 1400, in the margin at its right
        assert page.value("(() => { const one = document.querySelector('.runs > .scroll'); return one.clientWidth > 1120 && one.scrollWidth <= one.clientWidth; })()")  # fmt: skip
        assert page.value("document.documentElement.scrollWidth <= innerWidth")
        assert page.value(shown) == 4 and page.value("!document.getElementById('nb').hidden")
        assert choose("nb-search", "FEVER") == 1
        assert choose("nb-search", "") == 4
        assert choose("nb-run", "poor") == 4
        assert choose("nb-show", "wrong") == 3
        assert choose("nb-show", "none") == 1
        assert choose("nb-run", "good") == 0
        assert page.value("document.getElementById('nb-status').textContent").startswith("0 of 4 notes")
        assert page.said == []


def test_from_the_top(here, same_text):
    found = dxmatch.reasoning("graphs", "notes", "good", same_text, bootstrap=0)
    assert isinstance(found, dxmatch.Reasoning) and [run.name for run in found.runs] == ["good"]
    assert set(GRAPHS) == {row["category"] for row in found.graph_rows}
