"""The audit as users call it: its tables by hand on a match function of one tree, its files, what it refuses and leaves out."""

from __future__ import annotations

import json
import re
from html import escape

import pandas as pd
import pyarrow.csv as csv
import pytest

import dxmatch
from dxmatch.auditing.charts import all_figures
from dxmatch.auditing.results.audit_tables import TABLES
from dxmatch.errors import DxmatchError, InputError, OptionError

FEW = {"repeats": 2, "bootstrap": 20}


@pytest.fixture(scope="module")
def audited(matcher, rows):
    return dxmatch.audit(matcher, rows, **FEW)


def test_tables_by_hand(audited):
    """Of 20 references M finds the specification, misses the synonym, and takes the sibling where most letters stay."""
    measures = {(r["pairs"], r["measure"]): r["value"] for r in audited.measures.to_pylist()}
    assert measures["all", "recall"] == 0.5
    kinds = {(r["error"], r["kind"]): (r["pairs"], r["wrong"]) for r in audited.kinds.to_pylist()}
    assert kinds["missed", "specification"] == (20, 0)
    assert kinds["missed", "synonym without a shared word"] == (20, 20)
    assert kinds["false", "no word shared"] == (20, 0)
    false = sum(wrong for (error, _), (_, wrong) in kinds.items() if error == "false")
    assert measures["all", "precision"] == pytest.approx(20 / (20 + false))
    references = audited.references.to_pylist()
    assert sum(r["missed"] for r in references) == 20 and references[0]["wrong"] == max(r["wrong"] for r in references)
    assert all(r["pairs"] == 4 and r["matches"] == 2 for r in references)
    assert sum(r["pairs"] for r in audited.histogram.to_pylist()) == 80
    assert sum(r["matches"] for r in audited.histogram.to_pylist()) == 40
    assert len([r for r in audited.worst.to_pylist() if r["kind"] == "synonym without a shared word"]) == 5


def test_contributions_add_up_in_the_table(audited, matcher):
    frame = audited.contributions.to_pandas()
    total = frame["base"] + frame["shap_ratio_unigram"] + frame["shap_levenshtein"]
    assert total.to_numpy() == pytest.approx(frame["raw"].to_numpy())
    assert frame["probability"].to_numpy() == pytest.approx(
        matcher.probabilities(frame["a"].tolist(), frame["b"].tolist())
    )
    strength = {r["feature"]: r["strength"] for r in audited.features.to_pylist()}
    for name, value in strength.items():
        assert value == pytest.approx(frame[f"shap_{name}"].abs().mean())
    assert sum(r["share"] for r in audited.features.to_pylist()) == pytest.approx(1)


def test_the_same_seed_gives_the_same_audit(audited, matcher, rows):
    again = dxmatch.audit(matcher, rows, **FEW)
    assert again.to_dict() == audited.to_dict()
    assert dxmatch.audit(matcher, rows, **FEW, seed=1).permutation != audited.permutation


def test_a_sample(matcher, rows):
    part = dxmatch.audit(matcher, rows, sample=30, **FEW)
    assert part.contributions.num_rows == 30 and part.contributions.column("label").to_pylist().count(1) == 15
    assert part.made_with["sample"] == 30 and part.made_with["sampled_of"] == 80


def test_identical_pairs_stand_aside(matcher, rows):
    more = pd.concat([rows, pd.DataFrame([{"a": "asthma", "b": "Asthma", "label": 1}] * 5)])
    found = dxmatch.audit(matcher, more, **FEW)
    assert found.made_with["identical"] == 5 and found.contributions.num_rows == 80
    assert {"all", "not identical"} == set(found.measures.column("pairs").to_pylist())


def test_pairs_without_labels(matcher, rows, tmp_path):
    plain = dxmatch.audit(matcher, list(zip(rows["a"], rows["b"], strict=True)), **FEW)
    assert plain.measures is plain.kinds is plain.worst is plain.references is plain.reliability is None
    assert set(plain.left_out) >= {"how good it is and where it errs", "what permuted features cost"}
    assert "ap_lost" not in plain.permutation.column_names and plain.permutation.column("flipped").to_pylist()
    assert "no labels" in str(plain)
    shown = (plain.save(tmp_path / "out") / "audit.html").read_text("utf-8")
    assert "the pairs have no labels" in shown and "Where it errs" not in shown


def test_training_anew(matcher, rows, monkeypatch):
    from dxmatch.training.engines import lightgbm_engine

    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 20)
    found = dxmatch.audit(matcher, rows, retrain=True, folds=2, **FEW)
    trained = [r for r in found.families.to_pylist() if r["way"] == "trained without"]
    assert [r["name"] for r in trained] == ["ratios", "levenshtein"]
    assert all(r["ap_lost"] is not None and r["flipped"] is None for r in trained)
    assert found.made_with["retrained"]["average_precision"] > 0.6
    assert "training without a family" not in found.left_out


def test_training_anew_without_what_correlates(matcher, rows, monkeypatch):
    """Words shared and letters changed go together in these pairs: at a low limit the worse one alone goes."""
    from dxmatch.training.engines import lightgbm_engine

    monkeypatch.setattr(lightgbm_engine, "MAX_ROUNDS", 20)
    found = dxmatch.audit(matcher, rows, retrain=True, drop_correlated=0.3, folds=2, **FEW)
    (gone,) = found.dropped.to_pylist()
    alone = {r["feature"]: r for r in found.alone.to_pylist()}
    assert {gone["feature"], gone["like"]} == {"ratio_unigram", "levenshtein"} and set(alone) > {gone["like"]}
    assert gone["importance"] <= gone["importance_of_like"] and abs(gone["rho"]) >= 0.3
    (row,) = [r for r in found.families.to_pylist() if r["name"] == "correlated, 0.3 or more"]
    assert row["way"] == "trained without" and row["ap_lost"] is not None
    assert dxmatch.audit(matcher, rows, retrain=True, drop_correlated=1, folds=2, **FEW).dropped.num_rows == 0


def test_what_each_feature_says_alone_needs_references(matcher, rows):
    few = dxmatch.audit(matcher, rows[rows["a"].isin(rows["a"].unique()[:6])], **FEW)
    assert few.alone is None and "6 reference diagnoses are too few" in few.left_out["what each feature says alone"]
    unlabelled = dxmatch.audit(matcher, rows[["a", "b"]], **FEW)
    assert "no labels" in unlabelled.left_out["what each feature says alone"]


def test_progress_reaches_its_end(matcher, rows):
    seen = []
    dxmatch.audit(matcher, rows, **FEW, progress=lambda done, total: seen.append((done, total)))
    assert seen[-1][0] == seen[-1][1] == len(seen) and [done for done, _ in seen] == list(range(1, len(seen) + 1))


def test_files(audited, tmp_path):
    folder = audited.save(tmp_path / "audit")
    assert {file.name for file in folder.iterdir()} == {
        "audit.html",
        "audit.json",
        *(f"{name}.csv" for name in audited.tables),
    }
    assert set(TABLES) - set(audited.tables) == {"voters", "dropped"}, "what nobody asked for"
    told = json.loads((folder / "audit.json").read_text("utf-8"))
    assert set(told["tables"]) == set(audited.tables) and told["words"] == audited.words
    for name in audited.tables:
        assert (
            csv.read_csv(folder / f"{name}.csv").num_rows == audited.tables[name].num_rows == len(told["tables"][name])
        )


def test_an_earlier_audit_gives_way_and_nothing_else(audited, matcher, rows, tmp_path):
    audited.save(tmp_path)
    plain = dxmatch.audit(matcher, rows[["a", "b"]], **FEW)
    plain.save(tmp_path)
    assert not (tmp_path / "kinds.csv").exists() and (tmp_path / "features.csv").exists()
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(DxmatchError, match=r"thesis\.txt"):
        audited.save(tmp_path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "features.csv").write_text("mine")
    with pytest.raises(DxmatchError, match=r"features\.csv"):
        audited.save(tmp_path / "mine")
    with pytest.raises(DxmatchError, match="is a file"):
        audited.save(tmp_path / "thesis.txt")


def test_spreadsheet(matcher, rows, tmp_path):
    bad = pd.concat([rows, pd.DataFrame([{"a": "=cmd()", "b": "x y", "label": 1}])])
    dxmatch.audit(matcher, bad, **FEW).save(tmp_path, spreadsheet=True)
    assert "'=cmd()" in (tmp_path / "contributions.csv").read_text("utf-8")


def test_the_page(audited, tmp_path):
    """No request, no text of the data as markup, every chart with its words, light and dark and paper."""
    text = (audited.save(tmp_path) / "audit.html").read_text("utf-8")
    assert not re.search(r"<(link|img|iframe|object|embed|base|form)\b|\ssrc=|\son\w+=", text.split("<script>")[0])
    assert "default-src 'none'" in text and "prefers-color-scheme:dark" in text and "@media print" in text
    written = re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL)
    assert "<b>" not in written and "&lt;b&gt;" in written
    for figure in all_figures(audited):
        assert f'id="{figure.name}"' in text and figure.finding.endswith(".") and figure.rows
    for line in str(audited).split("\n"):
        assert escape(line) in written
    assert len({figure.name for figure in all_figures(audited)}) == len(all_figures(audited)) == 11


def test_charts_as_files(audited, tmp_path):
    written = audited.save_charts(tmp_path, formats=["svg"])
    assert {path.stem for path in written} == {figure.name for figure in all_figures(audited)}


def test_beeswarm_points_are_the_contributions(audited):
    figure = next(f for f in all_figures(audited) if f.name == "beeswarm")
    drawn = [p["x"] for p in figure.data["points"] if p["feature"] == "levenshtein"]
    assert drawn == pytest.approx(audited.contributions.column("shap_levenshtein").to_numpy().round(3).tolist())
    aside = [abs(p["y"] - round(p["y"])) for p in figure.data["points"]]
    assert max(aside) <= 0.4 and min(aside) == 0
    high = {p["step"] for p in figure.data["points"] if p["feature"] == "ratio_unigram" and float(p["value"]) == 1}
    assert high == {"highest"}


def test_unknown_and_constant_features_are_told(matcher, rows):
    one_word = pd.DataFrame(
        {"a": [f"{'abcdefghij'[i % 10]}x{i}" for i in range(40)], "b": [f"y{i}z" for i in range(40)]}
    )
    notes = " ".join(dxmatch.audit(matcher, one_word, **FEW).notes)
    assert "ratio_unigram is 0 wherever it is known" in notes


@pytest.mark.parametrize(
    ("change", "options", "error", "says"),
    [
        (lambda rows: rows.assign(label=1), {}, InputError, "only one label"),
        (lambda rows: rows.head(10), {}, InputError, "too few pairs"),
        (lambda rows: rows.drop(columns="b"), {}, InputError, "'b'"),
        (None, {"label": "verdict"}, InputError, "verdict"),
        (None, {"sample": 5}, OptionError, "'sample' parameter must be 20 or more"),
        (None, {"repeats": 0}, OptionError, "'repeats' parameter must be from 1 to 20, the resamples"),
        (None, {"repeats": 30}, OptionError, "'repeats' parameter must be from 1 to 20, the resamples"),
        (
            None,
            {"drop_correlated": 0.9},
            OptionError,
            "'drop_correlated' parameter must be given together with 'retrain'",
        ),
        (None, {"retrain": True, "drop_correlated": 1.5}, OptionError, "a correlation above 0 and at most 1"),
        (None, {"bootstrap": 3}, OptionError, "'bootstrap' parameter must be 20 or more"),
    ],
)
def test_what_is_refused(matcher, rows, change, options, error, says):
    with pytest.raises(error, match=says):
        dxmatch.audit(matcher, change(rows) if change else rows, **FEW | options)
