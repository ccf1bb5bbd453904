"""`dxmatch evaluate` with language models that judge and classify, its files, and `dxmatch reasoning`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import dxmatch
from dxmatch.errors import DxmatchError
from dxmatch.files.tables import read_table
from dxmatch.tests.command_line import Done, invoke
from dxmatch.votes.asking import Budget, NotServed

SAID = {
    "1": {"ann": ["gout", "fever"], "bob": ["podagra", "rash"], "model": ["arthritis", "gout"]},
    "2": {"ann": ["rubeola", "rash"], "bob": ["measles", "mumps"], "model": ["measles", "rubella"]},
}
LISTS = (
    "case_id,rater,role,rank,diagnosis,severity\n1,gold,reference,1,gout,moderate\n2,gold,reference,1,measles,severe\n"
)
LISTS += "".join(
    f"{case},{rater},{'algorithm' if rater == 'model' else 'expert'},{rank},{diagnosis},\n"
    for case, lists in SAID.items()
    for rater, diagnoses in lists.items()
    for rank, diagnosis in enumerate(diagnoses, 1)
)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lists.csv").write_text(LISTS)
    return tmp_path


def run(*arguments: str) -> Done:
    return invoke([*arguments])


def test_files(here: Path) -> None:
    out = run(
        "evaluate", "lists.csv", "-o", "r.html", "-o", "r.json", "-o", "r.csv", "--k", "2", "--resamples", "50"
    ).output
    assert [f"Written: {name}" in out for name in ("r.html", "r.json", "r.csv")] == [True] * 3
    report = json.loads((here / "r.json").read_text("utf-8"))
    assert {row["metric"] for row in report["table"]} >= {"RPAD", "HDF1", "R_disease", "alpha"}
    assert read_table(here / "r.csv").data.num_rows == len(report["table"])
    assert "relation" in " ".join(report["left_out"].values())


def test_what_was_matched_with_what_is_a_file(here: Path) -> None:
    out = run(
        "evaluate", "lists.csv", "--metric", "recall", "--matches", "m.csv", "--k", "2", "--resamples", "0"
    ).output
    assert "Written: m.csv" in out
    rows = read_table(here / "m.csv").data.to_pylist()
    assert len(rows) == 12
    (one,) = [row for row in rows if (row["case_id"], row["algorithm"], row["rank"]) == ("1", "model", "2")]
    assert (one["diagnosis"], one["reference"], one["match"], one["relation"]) == ("gout", "gout", "true", "same")
    with pytest.raises(DxmatchError, match=r"m\.odt"):
        run("evaluate", "lists.csv", "--matches", "m.odt")


def test_one_family_or_metric(here: Path) -> None:
    run("evaluate", "lists.csv", "-o", "r.json", "--metric", "hdf1", "--metric", "recall", "--resamples", "0")
    report = json.loads((here / "r.json").read_text("utf-8"))
    assert {row["metric"] for row in report["table"]} == {"HDF1", "R_disease", "R_patient"}
    for wrong, told in (
        ("--metric", r"one of relative, .*; did you mean 'hdf1'\? The metrics are .* Got 'hdf2'"),
        ("--store", r"hdf2"),
    ):
        with pytest.raises(DxmatchError, match=told):
            run("evaluate", "lists.csv", wrong, "hdf2")


def test_failed_calls_of_all_models_are_told(here: Path, loopback: Any) -> None:
    pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
    (here / "e.toml").write_text(f'[endpoint.local]\nurl = "{loopback.url}"\ntries = 1\n')
    loopback.rules({"status": 400})
    asked = ("evaluate", "lists.csv", "--k", "2", "--resamples", "0", "--endpoints", "e.toml", "--metric", "recall")
    done = run(*asked, "--graded.relation", "local:m", "--graded.severity", "local:m")
    assert done.code == 1
    assert done.output.count("questions failed") == 2


def test_a_language_model_judges_and_classifies_from_the_command_line_and_from_python(
    here: Path, loopback: Any
) -> None:
    """The judge finds every reference in the first place, the classes are the first: an exact synonym, mild."""
    pytest.importorskip("openai", reason="asking a language model needs the extra 'llm'")
    (here / "e.toml").write_text(f'[endpoint.local]\nurl = "{loopback.url}"\n')
    loopback.rules({"text": "1"})
    asked = ("evaluate", "lists.csv", "-o", "r.json", "--k", "2", "--resamples", "50", "--endpoints", "e.toml")
    run(*asked, "--judge.model", "local:m", "--graded.relation", "local:m", "--graded.severity", "local:m")
    report = json.loads((here / "r.json").read_text("utf-8"))
    value = {(row["algorithm"], row["metric"], row["of"], row["k"]): row["value"] for row in report["table"]}
    assert value["model", "R_disease", "judge", None] == 1.0
    semantic = [v for (who, metric, of, _), v in value.items() if (who, metric, of) == ("model", "Semantic", "")]
    assert semantic == [16.0], "exact synonyms at every rank"
    calls = loopback.log()["calls"]
    assert calls > 0
    run(*asked, "--judge", "local:m", "--relation", "local:m", "--severity", "local:m")
    assert loopback.log()["calls"] == calls, "the store knows it all"
    assert run(*asked, "--judge", "locl:m").code == 2
    assert run("evaluate", "lists.csv", "--judge.model", "local:m").code == 2

    models = dict.fromkeys(("judge", "relation", "severity"), "local:m")
    budget = Budget(max_calls=0)
    again = dxmatch.evaluate(
        "lists.csv", k=2, bootstrap=50, endpoints="e.toml", store="votes.sqlite", budget=budget, **models
    )
    assert json.loads(again.to_json()) == report
    assert budget.summaries == [] and loopback.log()["calls"] == calls
    with pytest.raises(
        NotServed, match=r"'judge' parameter must be model \(M itself\), or ENDPOINT:MODEL, such as local:m"
    ):
        dxmatch.evaluate("lists.csv", judge="locl:m", endpoints="e.toml")


def test_reasoning(here: Path) -> None:
    for folder in ("graphs", "notes", "predictions"):
        (here / folder / "Gout").mkdir(parents=True)
    graph = {
        "diagnostic": {"Suspected Gout": {"Gout": []}},
        "knowledge": {"Suspected Gout": "a painful toe", "Gout": "urate crystals"},
    }
    (here / "graphs" / "Gout.json").write_text(json.dumps(graph))
    note: dict[str, Any] = {f"input{i}": "a text" for i in range(1, 7)}
    note["Gout$Intermedia_2"] = {
        "crystals prove it$Cause_1": {"urate crystals$Input6": {}},
        "Suspected Gout$Intermedia_1": {"the toe hurts$Cause_1": {"a painful toe$Input1": {}}},
    }
    (here / "notes" / "Gout" / "1.json").write_text(json.dumps(note))
    said = {
        "urate crystals": ["crystals prove it", "input6", "Gout"],
        "fever": ["it may be gout", "input1", "Suspected Gout"],
        "chain": ["Gout", "Suspected Gout", "Gout"],
    }
    (here / "predictions" / "Gout" / "1.json").write_text(json.dumps(said))
    done = run("reasoning", "graphs", "notes", "predictions", "-o", "r.csv", "--per-note", "n.csv")
    assert done.code == 0, done.output
    rows = {row["metric"]: row for row in read_table(here / "r.csv").data.to_pylist()}
    # one of two predicted, and of two annotated, observations corresponds; of three in all
    assert [float(rows[metric]["value"]) for metric in ("Obs_pre", "Obs_rec")] == [0.5, 0.5]
    assert float(rows["Obs_comp"]["value"]) == pytest.approx(1 / 3)
    assert read_table(here / "n.csv").data.num_rows == 1


@pytest.mark.parametrize("command", [["evaluate", "lists.csv"], ["score", "pairs.csv", "-o", "out.csv"]])
def test_the_policy_reaches_load(here: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]) -> None:
    class Reached(Exception):
        pass

    def load(*_: Any, **options: Any) -> None:
        raise Reached(options.get("policy"))

    (here / "pairs.csv").write_text("a,b\ngout,podagra\n")
    monkeypatch.setattr("dxmatch.matcher.match_function.load", load)
    for given, policy in (([], None), (["--policy", "strict"], "strict")):
        with pytest.raises(Reached, match=str(policy)):
            run(*command, *given)


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--compare", "A=B", "--group", "one=A", "--group", "two=B"], 0, "group"),
        (["--k", "recall=all", "--k", "relative=2"], 0, "R_disease"), (["--k", "recall=4", "--metrics", "recall"], 0, "R_disease@4"),
        (["--compare", "A=C"], 1, "names of raters"), (["--group", "one=C"], 1, "names of raters"), (["--compare", "A"], 2, "BASE=TUNED"),
        (["--group", "one"], 2, "NAME=RATER"), (["--k", "five"], 2, ""), (["--k", "recall="], 2, ""), (["--k", "3", "--k", "4"], 2, ""),
    ],
)  # fmt: skip
def test_pairs_groups_and_k(tmp_path: Path, words: list[str], code: int, said: str) -> None:
    path = tmp_path / "lists.csv"
    rows = [f"c{i},{model},1,{word},gout" for i in range(3) for model, word in (("A", "gout"), ("B", "influenza"))]
    path.write_text("\n".join(["case_id,rater,rank,diagnosis,reference", *rows]))
    done = invoke(["evaluate", str(path), "--resamples", "20", *words])
    assert done.code == code, done.output
    assert said in done.output
