"""A report's tables, sentences, terminal view, papers, notebook cell and files."""

from __future__ import annotations

import io

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from rich.console import Console

import dxmatch
from dxmatch.errors import InputError, OptionError

from ..made import long_form, scored
from .pages import Page, answers

LONG = [f"organisation/a-model-of-a-very-long-name-{i}b-instruct-2026" for i in range(5)]
BAD = r"100%_sure & $cheap#1 {x}~^\ <b>|*"


def printed(report, width=600, full=True):
    out = io.StringIO()
    report.print(Console(file=out, width=width), full=full)
    return out.getvalue()


def test_the_best_first_and_who_is_not_shown_to_be_less(models):
    board = models.board
    assert board.algorithms == ("best", "middle", "worst") and board.others == ()
    first = board.columns[0]
    assert [column.label for column in board.columns] == ["top-1", "top-5", "R_disease@5"]
    assert [first.value(model) for model in board.algorithms] == [30 / 40, 28 / 40, 10 / 40]
    assert first.best == ("best",) and first.level_with_best == ("middle",)
    (says, *_) = models.document.answer[0]
    assert says.startswith("Over 40 cases, the first diagnosis of best is right in 75.0 % [")
    assert says.endswith("; middle is not shown to be worse.")

    every = {", better than every other model.": {"a": 38, "b": 10, "c": 9}}
    others = every | {", better than b.": {"a": 30, "b": 10}, "]; b is level.": {"a": 9, "b": 9}}
    for ends, skills in others.items():
        (line,) = scored(answers(skills), "top_k_accuracy", k=5, resamples=30).document.answer[0]
        assert line.endswith(ends), line


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_come_in_the_kind_of_frame_that_went_in(kind):
    given = kind(answers({"a": 5, "b": 9}, n=12).to_dict("list"))
    report = scored(given, "recall", resamples=20)
    for table in (report.table, report.per_case, report.differences, report.subgroups, *report.tables.values()):
        assert type(table) is type(given)
    assert report.table.shape[0] == len(report.rows)


def test_per_case_has_a_row_for_whoever_is_judged(full_report):
    frame = full_report.per_case
    assert list(frame.columns[:2]) == ["case_id", "algorithm"] and len(frame) == 14 * 5
    assert frame[frame["algorithm"] == "X"]["mu_AE_mean"].isna().all()
    own = frame[frame["algorithm"] == "A"]
    assert own["Semantic"].mean() == pytest.approx(full_report.row("Semantic", algorithm="A")["value"])
    for absent in ({"algorithm": "nobody"}, {"k": 9}):
        with pytest.raises(OptionError, match="'row'"):
            full_report.row("RPAD", **absent)


@pytest.mark.parametrize("suffix", ["tex", "md", "csv", "tsv", "jsonl", "parquet", "json", "html", "xlsx"])
def test_saving_by_suffix(models, tmp_path, suffix, monkeypatch):
    path = models.save(tmp_path / f"r.{suffix}")
    assert path.stat().st_size > 100 and [p.name for p in tmp_path.iterdir()] == [path.name]
    if suffix == "csv":
        read = pa_csv.read_csv(path)
        assert read.column_names == list(models.table) and len(read) == len(models.rows)
        monkeypatch.setenv("DXMATCH_SPREADSHEET", "1")
        formula = scored(answers({"=1+1": 5}, n=8), "recall").save(path)
        assert set(pa_csv.read_csv(formula)["algorithm"].to_pylist()) == {"'=1+1"}


def test_saving_refuses_and_leaves_nothing(models, tmp_path, monkeypatch):
    for name in ("r.pdf", "nowhere/r.json"):
        with pytest.raises(InputError):
            models.save(tmp_path / name)
    old = models.save(tmp_path / "r.html").read_bytes()
    monkeypatch.setattr("pathlib.Path.write_text", lambda *_, **__: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        models.save(tmp_path / "r.html")
    assert [path.name for path in tmp_path.iterdir()] == ["r.html"] and (tmp_path / "r.html").read_bytes() == old


# the terminal


@pytest.mark.parametrize(("width", "full"), [(80, False), (120, True)])
def test_nothing_is_cut_in_the_terminal(width, full):
    """Five models of long names, which are no markup: no ellipsis, no line beyond the width, every value whole."""
    frame = answers({name: 10 + 5 * i for i, name in enumerate([*LONG, "[red]"])})
    report = scored(frame, ["recall", "top_k_accuracy"], k=5, resamples=50)
    text = printed(report, width, full)
    assert "…" not in text and max(map(len, text.split("\n"))) <= width
    for row in report.board.columns[0].of_rater.values():
        assert f"{row['value']:.3f}" in text and f"{row['low']:.3f}" in text
    assert "[red]" in text


def test_the_terminal_is_short_unless_asked(doubtful):
    short, full = printed(doubtful, 100, False), printed(doubtful, 100)
    assert len(short.split("\n")) < len(full.split("\n"))
    told = ("Which model", "All is <b>doubtful</b>.", "Over 40 cases", "Bold:", "Differences", "very other table")
    order = [short.index(text) for text in told]
    assert order == sorted(order)
    assert "Made with" in full and "Made with" not in short


def test_what_was_left_out_and_what_is_undefined_have_their_reason(panel, hand_matcher):
    of_panel = dxmatch.Panel(hardness=0.0, algorithms=["A"])
    report = scored(long_form(panel), None, hand_matcher, k=1, panel=of_panel)
    assert set(report.left_out) == {"ranking", "hierarchical", "weighted", "recall"}
    for shown in (printed(report), Page(report.to_html()).shown):
        assert all(f"{family}: {reason}" in shown for family, reason in report.left_out.items())
        assert "X and Z match in no case at k = 1" in shown and "by-hand" in shown


# papers and notebooks


def test_latex(models):
    text = models.to_latex()
    assert r"\toprule" in text and r"\begin{tabular}{lrrr}" in text and text.count("{") == text.count("}")
    assert r"best & \textbf{0.750}" in text and r"middle & 0.700 {\scriptsize $\approx$ [" in text
    assert r"$\approx$: not shown" in text and r"95\% intervals" in text and "40 cases;" in text
    hostile = scored(answers({BAD: 5}), "recall", k=5).to_latex()
    wanted = r"100\%\_sure \& \$cheap\#1 \{x\}\textasciitilde{}\textasciicircum{}\textbackslash{} \textless{}b"
    assert wanted in hostile


def test_markdown(models):
    lines = models.to_markdown().split("\n")
    assert lines[0] == "|  | top-1 | top-5 | R\\_disease@5 |" and lines[1] == "| --- | ---: | ---: | ---: |"
    assert lines[2].startswith(r"| best | **0.750** \[") and "≈" in lines[3]
    hostile = scored(answers({BAD: 5}), "recall", k=5).to_markdown()
    assert r"\<b\>\|\*" in hostile and "\\_sure" in hostile


def test_a_caption_says_how_many_cases_the_figures_are_over():
    frame = answers({"best": 30, "middle": 28})
    for rater, gone in (("truth", ["c00", "c01"]), ("best", ["c37", "c38", "c39"])):
        frame = frame[~((frame["rater"] == rater) & frame["case_id"].isin(gone))]
    report = scored(frame, "recall", k=5, reading=dxmatch.Reading(missing="own"))
    expected = "35 to 38 of 40 cases;"
    assert expected in report.to_latex() and expected in report.to_markdown().replace("\\", "")


def test_the_cell_of_a_notebook(doubtful):
    html = doubtful._repr_html_()
    assert Page(html).open == [] and "&lt;b&gt;doubtful" in html and "<strong>0.750</strong>" in html
    assert "http" not in html and "<script" not in html and "Report(3 models, 40 cases, top-1 0.750" in repr(doubtful)
