"""What is looked at first: which metrics, in which order, who is best, who is not shown to be less; and how it is shown."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from rich.console import Console

from dxmatch.errors import InputError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.metrics import all_metrics
from dxmatch.evaluation.report import messages
from dxmatch.evaluation.report.charts.leaderboard import accuracy, forest
from dxmatch.evaluation.report.comparisons import difference_tables, headline_table, subgroup_tables
from dxmatch.evaluation.report.tables import every_metric
from dxmatch.evaluation.statistics.frames import frame_like
from dxmatch.evaluation.statistics.leaderboard import leaderboard, standing

from .made import By

LONG = [f"organisation/a-model-of-a-very-long-name-{i}b-instruct-2026" for i in range(5)]
BAD = r"100%_sure & $cheap#1 {x}~^\ <b>|*"


def answers(to_frame, skills, n=40, k=5):
    """Model -> of 40 cases, in how many the right answer is first; in two more it stands second."""
    cases = {}
    for case in range(n):
        right = f"disease {case}"
        lists = {}
        for model, skill in skills.items():
            others = [f"stranger {case} {rank}" for rank in range(k - 1)]
            place = 0 if case < skill else 1 if case < skill + 2 else None
            lists[model] = [*others[:place], right, *others[place:]] if place is not None else others
        cases[f"c{case:02}"] = lists
    frame = to_frame(cases)
    return frame.assign(
        reference=frame["case_id"].map(lambda name: f"disease {int(name[1:])}"),
        role="algorithm",
        icd10=frame["diagnosis"].map(lambda name: "J18.9" if name.startswith("disease") else "M10.9"),
        reference_icd10="J18.9",
    )


def difference(first, second, name, value, p, metric="Acc", of="M", k=1):
    return {
        "first": first, "second": second, "metric": metric, "of": of, "k": k, "name": name, "value": value,
        "low": value - 0.1, "high": value + 0.1, "p": p, "p_holm": p, "n_comparisons": 3, "n_cases": 40, "reason": "",
    }  # fmt: skip


@pytest.fixture
def models(to_frame):
    """worst 10, best 30, middle 28 of 40; middle is not shown to be less than best."""
    frame = answers(to_frame, {"worst": 10, "best": 30, "middle": 28})
    report = evaluate(frame, By(), k=5, bootstrap=50, metrics=["recall", "top_k_accuracy"])
    return replace(
        report,
        difference_rows=[
            difference("worst", "best", "Acc(M)@1", -0.5, 0.0004),
            difference("worst", "middle", "Acc(M)@1", -0.45, 0.0004),
            difference("best", "middle", "Acc(M)@1", 0.05, 0.3),
        ],
    )


def test_the_best_first_by_the_first_metric(models):
    board = leaderboard(models)
    assert board.algorithms == ("best", "middle", "worst") == standing(models) and board.others == ()
    first = board.columns[0]
    assert (first.name, first.label) == ("Acc(M)@1", "top-1")
    assert [first.value(model) for model in board.algorithms] == [30 / 40, 28 / 40, 10 / 40]
    assert first.best == ("best",) and first.level_with_best == ("middle",)
    # every case has one right answer, so recall would say top-5 a second time
    assert "R_disease@5" not in board.names and board.compared


def test_the_sentence_says_who_is_not_shown_to_be_worse(models):
    says = str(models).split("\n")[len(models.warnings)]
    assert says.startswith("Over 40 cases, the first diagnosis of best is right in 75.0 % [")
    assert "one of its first 5 in 80.0 %" in says and says.endswith("; middle is not shown to be worse.")
    surely = [row | {"p_holm": 0.001} for row in models.difference_rows]
    assert ", more than each of the other 2 models." in str(replace(models, difference_rows=surely))
    assert ", the highest of 3 models." in str(replace(models, difference_rows=[]))


@pytest.mark.parametrize(
    ("best_by", "says"),
    [
        ({}, "; middle is not shown to be worse."),
        ({1: ("best", "middle")}, "; middle is not shown to be worse."),
        ({1: ("middle",)}, "; middle is not shown to be worse by top-1; by top-5 middle leads."),
        ({1: ("middle",), 2: ("middle",)}, " by top-1; by top-5 and MRR middle leads."),
        ({2: ("middle", "worst")}, " by top-1; by MRR middle and worst lead."),
    ],
)
def test_the_sentence_says_who_leads_by_another_metric(models, monkeypatch, best_by, says):
    board = leaderboard(models)
    assert [column.label for column in board.columns] == ["top-1", "top-5"]
    three = (*board.columns, replace(board.columns[1], label="MRR"))
    columns = tuple(replace(each, best=best_by.get(place, ("best",))) for place, each in enumerate(three))
    monkeypatch.setattr(messages, "leaderboard", lambda _: replace(board, columns=columns))
    (line,) = messages.answer(models)
    assert line.endswith(says), line


@pytest.mark.parametrize(
    ("drop", "names"),
    [
        ((), ["RPAD@3", "RRAD@3", "alpha(with the algorithm)", "Acc(M)@1", "HDF1@3"]),
        (("relative", "agreement"), ["Acc(M)@1", "Acc(M)@3", "HDF1@3"]),
    ],
)
def test_which_metrics(full_report, drop, names):
    kept = [section for section in full_report.sections if section.name not in drop]
    made = full_report.made_with | ({"panels": {}} if drop else {})
    # without MRR and nDCG, which have their own section
    kept = [replace(s, rows=[r for r in s.rows if r["metric"] not in ("MRR", "nDCG")]) for s in kept]
    board = leaderboard(replace(full_report, sections=kept, made_with=made))
    assert [column.name for column in board.columns] == names
    assert set(board.others) == set("XYZ") and 3 <= len(board.columns) <= 5


def test_every_metric_of_a_leaderboard_is_explained():
    assert all(metric.meaning and metric.good for metric in all_metrics())


def test_marks_and_differences_as_tables(models):
    shown = headline_table(models)
    cells = {line[0]: line[1] for _, lines in shown.groups for line in lines}
    assert cells["best"].strong and cells["middle"].mark == "≈" and not cells["worst"].mark
    assert "≈: not shown to be less than the highest" in shown.told
    ((table,), rest) = difference_tables(models)
    lines = {line[0]: line[1] for _, lines in table.groups for line in lines}
    assert list(lines) == ["best − middle", "best − worst", "middle − worst"] and rest == []
    # worst less best was turned, with its interval
    turned = lines["best − worst"]
    assert turned.row["value"] == 0.5 and (turned.row["low"], turned.row["high"]) == (0.4, 0.6)
    assert turned.note == "p < 0.001" and turned.strong and not lines["best − middle"].strong
    assert "3 comparisons of each metric" in table.told


def test_subgroups(models):
    rows = [
        row | {"by": "specialty", "group": group, "n_cases": n}
        for group, n in (("skin", 1), (None, 39))
        for row in models.rows
    ]
    first, rest = subgroup_tables(replace(models, subgroup_rows=rows))
    assert [table.title for table in first] == ["top-1 by specialty"] and rest
    ((_, lines),) = first[0].groups
    assert [line[:2] for line in lines] == [["skin", "1"], ["not given", "39"]]
    assert first[0].header == ["specialty", "cases", "best", "middle", "worst"]


def test_metrics_that_are_one_stand_in_one_line(full_report):
    first, *same = every_metric(full_report)
    names = [line[0] for _, lines in first.groups for line in lines]
    assert any({"Acc(M)@3", "R_disease@3", "R_patient@3"} <= set(name.split(" = ")) for name in names)
    assert not any(name.startswith("R_disease") for name in names)
    # the same group of raters for everyone: said once
    alike = replace(full_report, sections=[replace(s, rows=_alike(s.rows)) for s in full_report.sections])
    *_, same = every_metric(alike)
    named = " ".join(line[0] for line in same.groups[0][1])
    assert same.title == "The same for all of them" and "alpha(with the algorithm)" in named


def _alike(rows):
    same = {"value": 0.4, "low": 0.3, "high": 0.5}
    return [row | same if row["of"] == "with the algorithm" else row for row in rows]


def printed(report, width, full=False):
    out = io.StringIO()
    report.print(Console(file=out, width=width), full=full)
    return out.getvalue()


@pytest.mark.parametrize("width", [80, 120, 200])
@pytest.mark.parametrize("full", [False, True])
def test_nothing_is_cut_in_the_terminal(to_frame, width, full):
    """Five models of long names: no ellipsis, no line beyond the width, every name and value whole."""
    frame = answers(to_frame, {name: 10 + 5 * i for i, name in enumerate(LONG)})
    report = evaluate(frame, By(), k=5, bootstrap=50, metrics=["recall", "top_k_accuracy"])
    pairs = [difference(a, b, "Acc(M)@1", -0.1, 0.01) for i, a in enumerate(LONG) for b in LONG[i + 1 :]]
    text = printed(replace(report, difference_rows=pairs), width, full)
    assert "…" not in text and max(map(len, text.split("\n"))) <= width
    letters = re.sub(r"[\s─]", "", text)
    for name in LONG:
        assert name in letters or _folded(name, text)
    for row in leaderboard(report).columns[0].of_rater.values():
        assert f"{row['value']:.3f}" in text and f"{row['low']:.3f}" in text


def test_five_metrics_are_one_table_in_a_narrow_terminal(to_frame):
    """Names of up to twelve letters, values above their intervals."""
    columns = ["recall", "ranking", "hierarchical"]
    frame = answers(to_frame, {"gpt4_1106": 30, "mistral-v2.1": 22, "llama2-7b": 15})
    report = evaluate(frame, By(), k=5, bootstrap=30, metrics=columns)
    labels = [column.label for column in leaderboard(report).columns]
    (head,) = [line for line in printed(report, 80).split("\n") if "top-1" in line and "MRR" in line]
    assert len(labels) >= 4 and all(label in head for label in labels)


def _folded(name, text):
    """Whether the pieces of a name stand below each other at the left."""
    first = [line[:30].strip().split("  ")[0] for line in text.split("\n")]
    return any(
        "".join(first[at : at + length]).replace(" ", "") == name for at in range(len(first)) for length in range(1, 6)
    )


def test_the_terminal_is_short_unless_asked(models):
    short, full = printed(models, 100), printed(models, 100, full=True)
    assert len(short.split("\n")) < len(full.split("\n"))
    order = [
        short.index(text)
        for text in ("Which model", "Over 40 cases", "top-1", "Bold:", "Differences in top-1", "more metric")
    ]
    assert order == sorted(order)
    assert "Made with" in full and "Made with" not in short
    warned = printed(replace(models, warnings=["All is doubtful."]), 100)
    assert warned.index("All is doubtful.") < warned.index("Over 40 cases")


def test_latex(models, to_frame):
    text = models.to_latex()
    assert r"\toprule" in text and r"\begin{tabular}{lrr}" in text and text.count("{") == text.count("}")
    assert r"best & \textbf{0.750}" in text and r"middle & 0.700\rlap{$^{\approx}$}" in text
    assert r"$\approx$: not shown" in text and r"95\% intervals" in text
    hostile = evaluate(answers(to_frame, {BAD: 5}), By(), k=5, bootstrap=0, metrics="recall").to_latex()
    assert (
        r"100\%\_sure \& \$cheap\#1 \{x\}\textasciitilde{}\textasciicircum{}\textbackslash{} \textless{}b\textgreater{}|*"
        in hostile
    )


def test_markdown(models, to_frame):
    lines = models.to_markdown().split("\n")
    assert lines[0] == "|  | top-1 | top-5 |" and lines[1] == "| --- | ---: | ---: |"
    assert lines[2].startswith(r"| best | **0.750** \[") and "≈" in lines[3]
    hostile = evaluate(answers(to_frame, {BAD: 5}), By(), k=5, bootstrap=0, metrics="recall").to_markdown()
    assert r"\<b\>\|\*" in hostile and "\\_sure" in hostile


@pytest.mark.parametrize(
    ("without", "missing", "expected"),
    [(0, {}, "40 cases;"), (2, {}, "38 of 40 cases;"), (2, {"best": 3}, "35 to 38 of 40 cases;")],
)
def test_a_caption_says_how_many_cases_the_figures_are_over(to_frame, without, missing, expected):
    frame = answers(to_frame, {"best": 30, "middle": 28})
    cases = list(dict.fromkeys(frame["case_id"]))
    frame.loc[frame["case_id"].isin(cases[:without]), "reference"] = None
    for rater, many in missing.items():
        frame = frame[~((frame["rater"] == rater) & frame["case_id"].isin(cases[-many:]))]
    report = evaluate(frame, By(), k=5, bootstrap=0, metrics="recall", missing="own")
    assert expected in report.to_latex() and expected in report.to_markdown().replace("\\", "")


@pytest.mark.parametrize("suffix", ["tex", "md", "csv", "json", "html", "xlsx"])
def test_files(models, tmp_path, suffix):
    path = models.save(tmp_path / f"r.{suffix}")
    assert path.stat().st_size > 100 and [p.name for p in tmp_path.iterdir()] == [path.name]
    if suffix == "json":
        read = json.loads(path.read_text("utf-8"))
        assert read["differences"] == models.difference_rows and read["answer"] == str(models).split("\n")


def test_a_missing_folder_is_an_input_error(models, tmp_path):
    with pytest.raises(InputError, match="the folder for the report is absent") as error:
        models.save(tmp_path / "nowhere" / "r.tex")
    assert "nowhere" in str(error.value)


def test_a_notebook_shows_it_and_repr_is_a_line(models):
    html = replace(models, warnings=["<b>All</b> is doubtful."])._repr_html_()
    assert html.index("&lt;b&gt;All&lt;/b&gt;") < html.index("Over 40 cases") < html.index("<strong>0.750</strong>")
    assert "http" not in html and "<script" not in html and "color: inherit" in html
    assert repr(models) == "Report(3 models, 40 cases, top-1 0.750 by best)"
    assert repr(replace(models, warnings=["x"])).endswith("1 warning)")


@pytest.mark.parametrize("kind", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_come_in_the_kind_of_frame_that_went_in(to_frame, kind):
    frame = answers(to_frame, {"a": 5, "b": 9}, n=12)
    given = kind(frame.to_dict("list"))
    report = evaluate(given, By(), k=2, bootstrap=20, metrics="recall")
    for table in (report.table, report.per_case, report.differences, report.subgroups, *report.tables.values()):
        assert type(table) is type(given)
    assert report.table.shape[0] == len(report.rows)


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("lists.csv", None),
        (None, None),
        (["a.csv", "b.csv"], None),
        ({"gpt": {"c": ["x"]}}, "pandas"),
        ([["x"]], "pandas"),
    ],
)
def test_files_give_arrow_and_lists_give_pandas(source, kind):
    frame = frame_like(source)
    assert (None if frame is None else str(frame.implementation.name).casefold()) == kind


def test_charts_of_the_leaderboard(models):
    (chart,) = accuracy(models)
    assert chart.section == "leaderboard" and chart.series == ("best", "middle", "worst")
    assert "best 0.750" in chart.finding and {row["k"] for row in chart.rows} >= {1, 5}
    (pairs,) = forest(models)
    assert [row["pair"] for row in pairs.rows] == ["best − middle", "best − worst", "middle − worst"]
    assert pairs.rows[1]["value"] == 0.5 and pairs.rows[1]["p"] == "p < 0.001" and "p = 0.300" in pairs.finding
    assert forest(replace(models, difference_rows=[])) == []


def test_the_page_in_its_order(models, tmp_path):
    warned = replace(models, warnings=["All is doubtful."])
    text = warned.save(tmp_path / "r.html").read_text("utf-8")
    text = re.sub(r"<style>.*?</style>", "", text, flags=re.DOTALL)
    order = [
        text.index(part)
        for part in (
            "All is doubtful.",
            "the first diagnosis of best",
            'id="leaderboard"',
            'id="differences"',
            'id="metrics"',
            'id="made"',
        )
    ]
    assert order == sorted(order)
    assert '<details class="part" id="metrics">' in text and '<section id="leaderboard"' in text
    for metric in leaderboard(models).columns:
        assert metric.metric.meaning.replace("'", "&#39;") in text and metric.metric.good.replace("'", "&#39;") in text


def test_one_of_everything_is_singular(to_frame, tmp_path):
    frame = to_frame({"c": {"a": ["gout"]}}).assign(reference="gout", role="algorithm")
    report = evaluate(frame, By(), k=1, bootstrap=0, metrics="recall")
    text = report.save(tmp_path / "r.html").read_text("utf-8") + printed(report, 100, full=True) + repr(report)
    assert "1 case" in text and "1 model" in text
    for wrong in ("1 cases", "1 raters", "1 models", "1 different diagnoses", "1 rows"):
        assert not re.search(rf"\b{wrong}\b", text), wrong
