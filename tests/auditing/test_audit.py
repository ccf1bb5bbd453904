"""The audit as users call it: its tables by hand on a match function of one tree, its files and page, what it refuses and leaves out."""

from __future__ import annotations

import json
import re
from html import escape

import pandas as pd
import pyarrow.csv as csv
import pytest

import dxmatch
from dxmatch.errors import DxmatchError, InputError, OptionError

from ..small_relation import related

FEW = {"repeats": 2, "resampling": dxmatch.Resampling(resamples=20)}


@pytest.fixture(scope="module")
def audited(matcher, rows):
    return dxmatch.audit(matcher, rows, **FEW)


def by(table, *keys):
    return {tuple(row[key] for key in keys) if keys[1:] else row[keys[0]]: row for row in table.to_pylist()}


def test_tables_by_hand(audited):
    """Of 20 references M finds the specification, misses the synonym, and takes the sibling where most letters stay. Contributions: tests/golden/evaluation."""
    measures = {key: row["value"] for key, row in by(audited.measures, "pairs", "measure").items()}
    worst = audited.worst.to_pylist()
    assert measures["all", "recall"] == 0.5 and measures["all", "precision"] == 0.5
    missed = [row["probability"] for row in worst if row["error"] == "missed"]
    assert len(missed) == 5 and missed == sorted(missed), "the surest, each pair once"
    assert audited.kinds is None and "no relation model" in audited.left_out["errors by kind"]


def test_errors_are_told_by_what_m_takes_the_two_for(tmp_path):
    """Of diseases in line in the graph, one that is denied, and some that no graph knows."""
    others = ["asthma", "croup", "flu", "gout", "measles", "mumps", "rickets", "scurvy"]
    rows = [("Takayasu arteritis", "vasculitis", 0), ("vasculitis", "Takayasu arteritis", 0)]
    rows += [("gout", "no evidence of gout", 1)]
    rows += [(a, b, int((a, b) == ("asthma", "gout"))) for a in others for b in others if a < b]
    found = dxmatch.audit(related(tmp_path), pd.DataFrame(rows, columns=["a", "b", "label"]), folds=2, **FEW)
    kinds = by(found.kinds, "error", "kind")
    wrong = {
        ("false", "narrower"): 1, ("false", "broader"): 1, ("missed", "excluded"): 1, ("missed", "unrelated"): 1,
        ("false", "related"): 0, ("false", "unrelated"): 0,
    }  # fmt: skip
    assert {key: kinds[key]["wrong"] for key in wrong} == wrong
    why = {row["a"]: row["why"] for row in found.worst.to_pylist()}
    assert why["Takayasu arteritis"] == why["vasculitis"] == "Takayasu arteritis is a kind of vasculitis (MONDO)"
    assert why["gout"].endswith("gout is negated ('no evidence of')") and not why["asthma"]
    assert list(found.left_out) == ["what the feature icd_nearest is worth"]


def test_what_no_tree_reads_costs_nothing_and_what_all_read_costs_much(matcher_of, rows):
    m = matcher_of("-2 3 3")  # levenshtein decides nothing, the ratio all
    labels = [int(p >= 0.5) for p in m.probabilities(rows["a"].tolist(), rows["b"].tolist())]
    found = dxmatch.audit(m, rows.assign(label=labels), repeats=3, resampling={"resamples": 40})
    lost = by(found.permutation, "name")
    unread, read = lost["levenshtein"], lost["ratio_unigram"]
    assert {unread[key] for key in ("flipped", "ap_lost", "ap_lost_low", "ap_lost_high", "f1_lost")} == {0.0}
    assert 0 < read["ap_lost_low"] < read["ap_lost"] < read["ap_lost_high"] and read["flipped"] > 0.1
    assert by(found.families, "name", "way")["ratios", "shuffled"]["ap_lost"] > 0.02


def test_a_sample_identical_pairs_and_the_seed(audited, matcher, rows):
    same = pd.DataFrame([{"a": "asthma", "b": "Asthma", "label": 1}] * 5)
    doubtful = pd.DataFrame([{"a": "hip fracture", "b": "fracture in quite another place beside the hip", "label": 1}])
    twice = rows.loc[rows.index.repeat(2)]
    found = dxmatch.audit(matcher, pd.concat([twice, same, doubtful]), sample=30, **FEW)
    missed = {row["b"]: row["probability"] for row in found.worst.to_pylist() if row["error"] == "missed"}
    assert len(missed) == 5, "each pair once"
    assert max(missed.values()) < matcher.probability(*doubtful.iloc[0][["a", "b"]]), "the surest first"
    assert found.made_with["equal_after_normalisation"] == 5 and found.contributions.num_rows == 30
    assert dxmatch.audit(matcher, rows, **FEW).to_dict() == audited.to_dict()


def test_training_anew(matcher, rows, monkeypatch):
    from dxmatch.training.engines import lightgbm_engine

    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 20)
    found = dxmatch.audit(matcher, rows, retrain=True, folds=2, **FEW)
    trained = {row["name"]: row for row in found.families.to_pylist() if row["way"] == "trained without"}
    assert list(trained) == ["ratios", "levenshtein"]
    assert all(row["ap_lost"] is not None and row["flipped"] is None for row in trained.values())


def test_files(audited, matcher, rows, tmp_path, monkeypatch):
    folder = audited.save(tmp_path / "audit")
    tables = audited.tables
    assert {file.name for file in folder.iterdir()} == {"audit.html", "audit.json", *(f"{name}.csv" for name in tables)}
    assert audited.voters is None, "what nobody asked for"
    told = json.loads((folder / "audit.json").read_text("utf-8"))
    assert set(told["tables"]) == set(tables) and told["words"] == audited.words
    for name, table in tables.items():
        assert csv.read_csv(folder / f"{name}.csv").num_rows == table.num_rows == len(told["tables"][name])
    few = dxmatch.audit(matcher, rows[rows["a"].isin(rows["a"].unique()[:6])], **FEW)
    assert few.alone is None and any("6 reference diagnoses are too few" in why for why in few.left_out.values())
    few.save(folder)
    assert not (folder / "alone.csv").exists() and (folder / "features.csv").exists(), "an earlier audit gives way"
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("mine")
    for taken in (tmp_path / "mine", tmp_path / "mine" / "thesis.txt"):
        with pytest.raises(DxmatchError, match="holds something else"):
            audited.save(taken)
    bad = pd.concat([rows, pd.DataFrame([{"a": "=cmd()", "b": "x y", "label": 1}])])
    monkeypatch.setenv("DXMATCH_SPREADSHEET", "1")
    dxmatch.audit(matcher, bad, **FEW).save(tmp_path / "sheet")
    assert "'=cmd()" in (tmp_path / "sheet" / "contributions.csv").read_text("utf-8")


def test_the_page_its_charts_and_the_terminal(audited, tmp_path, capsys):
    """No request, no text of the data as markup, every chart with its words, light and dark and paper."""
    text = (audited.save(tmp_path / "audit") / "audit.html").read_text("utf-8")
    assert not re.search(r"<(link|img|iframe|object|embed|base|form)\b|\ssrc=|\son\w+=", text.split("<script>")[0])
    assert "default-src 'none'" in text and "prefers-color-scheme:dark" in text and "@media print" in text
    written = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert "<b>" not in written and "&lt;b&gt;" in written and not re.search("cannot be computed|-0.000", written)
    for line in str(audited).split("\n"):
        assert escape(line) in written
    charts = [path.stem for path in audited.save_charts(tmp_path / "charts", formats=["svg"])]
    assert charts == ["beeswarm", "permutation_ap", "correlation"]
    assert all(f'<figure id="{name}"' in text for name in charts)
    points = json.loads(re.search(r'id="beeswarm-spec">(.*?)</script>', text, re.DOTALL)[1])["datasets"]["points"]
    drawn = [p["x"] for p in points if p["feature"] == "levenshtein"]
    assert drawn == pytest.approx(audited.contributions.column("shap_levenshtein").to_numpy().round(3).tolist())
    assert {p["step"] for p in points if p["feature"] == "ratio_unigram" and float(p["value"]) == 1} == {"highest"}
    for full in (False, True):
        audited.print(full=full)
        assert ("Matches that M misses" in capsys.readouterr().out) == full


@pytest.mark.parametrize(
    ("change", "options", "error", "says"),
    [
        (lambda rows: rows.assign(label=1), {}, InputError, "only one label"),
        (lambda rows: rows.head(10), {}, InputError, "too few pairs"),
        (lambda rows: rows.drop(columns="label"), {}, InputError, "'label' .0 or 1. is missing"),
        (None, {"repeats": 30}, OptionError, "'resampling'.*30"),
        (None, {"voters": 2}, OptionError, "of the 0 features of kind 'vote'"),
    ],
)  # fmt: skip
def test_what_is_refused(matcher, rows, change, options, error, says, tmp_path):
    with pytest.raises(error, match=says):
        dxmatch.audit(matcher, change(rows) if change else rows, **FEW | options)
    with pytest.raises(OptionError, match="policy specification. Got 'strict'"):
        dxmatch.audit(related(tmp_path, policy="strict"), [("gout", "asthma")])
