"""Every chart's data against the tables of the report; the charts as files."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from dataclasses import replace

import numpy as np
import pytest

from dxmatch.errors import OptionError
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.report.charts.all_figures import all_figures
from dxmatch.evaluation.report.charts.marks import marks_of
from dxmatch.evaluation.report.charts.violins import _outline
from dxmatch.evaluation.statistics.section import Section
from dxmatch.pages.figure import spec_of
from dxmatch.pages.style import COLOURS, DARK, FILE, LIGHT, PAGE, css_variables


@pytest.fixture(scope="module")
def figures(full_report):
    return {figure.name: figure for figure in all_figures(full_report)}


def rows(report, metric, of=None):
    return [r for r in report.rows if r["metric"] == metric and (of is None or r["of"] == of)]


NAMES = [
    "top_k", "rpad_by_k", "rrad_by_k", "rpad_by_hardness", "rrad_by_hardness", "pairs_p", "pairs_r", "pairs_kappa", "sigma", "cascade", "ranks", "violin_hdf1",
    "violin_semantic", "violin_severity", "plane_raters", "plane_cases",
]  # fmt: skip


def test_all_charts_are_there(figures):
    assert list(figures) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_chart(figures, full_report, name):
    """It has data and a finding, fetches nothing, takes no text as code, and is coloured by the page or by the file."""
    figure = figures[name]
    assert figure.section in {
        "leaderboard",
        *(section.name for section in full_report.sections),
    } and figure.finding.endswith(".")
    assert figure.rows and all(set(figure.columns) <= row.keys() for row in figure.rows)
    for style in (PAGE, FILE):
        spec = spec_of(figure, style)
        text = json.dumps(spec).replace(spec["$schema"], "")
        for word in ('"url"', '"expr"', '"signal"', '"href"', '"transform"', '"labelExpr"', '"format": "~', "http"):
            assert word not in text, word
        if style is PAGE:
            assert "#" not in json.dumps(spec).replace("var(--", "")
        else:
            assert "var(" not in text


def test_charts_appear_for_what_is_there(panel, to_frame, hand_matcher, everything, same_text):
    alone = evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=0, metrics="relative")
    assert [f.name for f in all_figures(alone)] == NAMES[1:9]
    frame = everything().drop(columns=["severity", "reference_severity"])
    for family, names in (("weighted", ["violin_semantic"]), ("recall", [])):
        assert [f.name for f in all_figures(evaluate(frame, same_text, bootstrap=0, metrics=[family]))] == names


@pytest.mark.parametrize("metric", ["RPAD", "RRAD"])
def test_curves(figures, full_report, metric):
    drawn = {(r["rater"], r["k"]): (r["value"], r["low"], r["high"]) for r in figures[f"{metric.lower()}_by_k"].rows}
    assert drawn == {(r["algorithm"], r["k"]): (r["value"], r["low"], r["high"]) for r in rows(full_report, metric)}


@pytest.mark.parametrize("metric", ["RPAD", "RRAD"])
def test_curves_by_hardness(figures, full_report, metric):
    """Eleven values of each algorithm at the headline's k, whose ends are the optimistic and the average metric."""
    figure = figures[f"{metric.lower()}_by_hardness"]
    drawn = {(r["rater"], r["hardness"]): r["value"] for r in figure.rows}
    assert len(drawn) == 2 * 11 and len(json.dumps(figure.data["rates"])) > 100
    for hardness, end in ((0.0, "opt"), (1.0, "avg")):
        for row in rows(full_report, f"{metric[1]}_{end}"):
            if row["k"] == 3:
                assert drawn[row["algorithm"], hardness] == pytest.approx(row["value"])
    for place in (r["place"] - r["hardness"] for r in figure.rows):
        assert abs(place) < 0.05, "every point stands nearest to its own hardness"


@pytest.mark.parametrize("metric", ["P", "R", "kappa"])
def test_pairs(figures, full_report, metric):
    told = [r for r in full_report.rows_of("relative.pairs") if r["metric"] == metric]
    of = {frozenset((r["first"], r["second"])): r["value"] for r in told}
    drawn = figures[f"pairs_{metric.lower()}"].rows
    assert len(drawn) == 2 * (3 + 3)
    spec = json.dumps(spec_of(figures[f"pairs_{metric.lower()}"], PAGE))
    for row in drawn:
        one, other = row["pair"].split(" and ")
        assert row["value"] == of[frozenset((one, other))] and str(row["value"]) in spec
        assert (row["kind"] == "algorithm–expert") == (row["algorithm"] in (one, other))


def test_sigma(figures, full_report):
    drawn = {(r["algorithm"], r["of"], r["side"]): r["value"] for r in figures["sigma"].rows}
    assert len(drawn) == 2 * 3 * 2
    for metric, side in (("sigma_A", "algorithm"), ("sigma_E", "experts")):
        for row in rows(full_report, metric):
            if row["k"] in (3, None):
                assert drawn[row["algorithm"], row["of"], side] == row["value"]


def test_cascade(figures, full_report):
    levels = ("chapter", "section", "category", "subcategory")
    drawn = {(r["rater"], r["level"]): r["value"] for r in figures["cascade"].rows}
    assert drawn == {(r["algorithm"], r["of"]): r["value"] for r in rows(full_report, "HDF1") if r["of"] in levels}
    places = {r["level"]: round(r["place"]) for r in figures["cascade"].rows}
    assert places == dict(zip(levels, range(4), strict=True))


def test_ranks(figures, full_report):
    drawn = {(r["rater"], r["metric"]): r["rank"] for r in figures["ranks"].rows}
    for row in full_report.rows_of("hierarchical.rank_shifts"):
        assert drawn[row["algorithm"], row["from"]] == row["from_rank"]
        assert drawn[row["algorithm"], row["to"]] == row["to_rank"]
    assert len(drawn) == 5 * 4


@pytest.mark.parametrize(("score", "top"), [("HDF1", 1), ("Semantic", 16), ("Severity", 16)])
def test_violins(figures, full_report, score, top):
    frame = full_report.per_case
    figure = figures[f"violin_{score.lower()}"]
    for row in figure.rows:
        own = frame[frame["algorithm"] == row["rater"]][score].dropna()
        assert row["n_cases"] == len(own)
        assert [row["q1"], row["median"], row["q3"]] == pytest.approx(list(own.quantile([0.25, 0.5, 0.75])))
    outlines, points = figure.data["outlines"], figure.data["points"]
    assert sorted(p["value"] for p in points) == sorted(frame[score].dropna())
    for point in points:
        own = (outline for outline in outlines if outline["rater"] == point["rater"])
        here = min(own, key=lambda outline: abs(outline["value"] - point["value"]))
        assert here["upper"] - 0.1 <= point["place"] <= here["lower"] + 0.1
    assert all(0 <= o["value"] <= top for o in outlines)


def test_an_outline_is_widest_where_the_cases_are():
    grid, width = _outline(np.array([2.0] * 30 + [12.0] * 10), 16)
    assert abs(grid[width.argmax()] - 2) < 0.5 and width.max() == pytest.approx(0.38)
    assert width[abs(grid - 12).argmin()] > 2 * width[abs(grid - 7).argmin()]
    assert np.isfinite(_outline(np.array([3.0, 3.0]), 16)[1]).all()


def test_plane(figures, full_report):
    """Severity across, meaning up; raters aggregated under "hard", single cases each with its name and diagnoses."""
    drawn = {r["rater"]: (r["x"], r["y"]) for r in figures["plane_raters"].rows}
    of = {(r["algorithm"], r["of"]): r["value"] for r in rows(full_report, "aggregated")}
    assert drawn == {rater: (of[rater, "Severity, hard"], of[rater, "Semantic, hard"]) for rater in "XYAZB"}
    frame = full_report.per_case
    cases = figures["plane_cases"].rows
    for rater, own in frame.groupby("algorithm"):
        there = {r["case"]: r for r in cases if r["rater"] == rater}
        assert len(there) == 14
        for case, semantic, severity in zip(own["case_id"], own["Semantic"], own["Severity"], strict=True):
            assert there[case]["severity"] == pytest.approx(severity / 8 - 1)
            assert there[case]["semantic"] == pytest.approx(semantic / 8 - 1)
            assert abs(there[case]["x"] - there[case]["severity"]) < 0.06
    assert all(r["golden"] and r["said"].startswith("1 ") for r in cases)
    quadrants = {(r["algorithm"], r["right_by"]): r["n_cases"] for r in full_report.rows_of("weighted.quadrants")}
    right = sum(r["rater"] == "A" and r["severity"] > 0 and r["semantic"] > 0 for r in cases)
    assert right == quadrants["A", "semantic and severity"]
    for name in ("plane_raters", "plane_cases"):
        layers = _layers(spec_of(figures[name], PAGE))
        for axis, score in (("x", "severity score"), ("y", "semantic score")):
            titles = {str(layer.get("encoding", {}).get(axis, {}).get("title")).partition(",")[0] for layer in layers}
            assert titles - {"None"} == {score}


def _layers(spec):
    return [one for layer in spec.get("layer", []) for one in (layer, *_layers(layer))]


def _luminance(colour):
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def _contrast(one, other):
    high, low = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("colours", [LIGHT, DARK])
def test_contrast(colours):
    """WCAG: 4.5 to 1 for text, 3 to 1 for what carries meaning in a chart."""
    for ground in ("page", "card"):
        for text in ("ink", "soft"):
            assert _contrast(colours[text], colours[ground]) >= 4.5, text
        for i in range(COLOURS):
            assert _contrast(colours[f"s{i}"], colours[ground]) >= 3, i
        assert _contrast(colours["panel"], colours[ground]) >= 3
    assert LIGHT.keys() == DARK.keys() and css_variables().count("--s7:") == 2


def test_marks_tell_raters_apart(full_report):
    marks = marks_of(full_report)
    looks = [(marks.colour(rater, PAGE), marks.shape(rater)) for rater in "ABXYZ"]
    assert len(set(looks)) == 5
    assert {colour for colour, _ in looks[2:]} == {"var(--panel)"}
    assert marks.ordered("ZYBAX") == ("A", "B", "X", "Y", "Z")


def test_a_gap_where_a_curve_is_undefined(panel, to_frame, hand_matcher):
    report = evaluate(
        to_frame(panel), hand_matcher, k=2, hardness=0.0, algorithms=["A"], bootstrap=0, metrics="relative"
    )
    figure = all_figures(report)[0]
    assert [row["value"] for row in figure.rows] == [None, pytest.approx(3)]
    assert [row["k"] for row in figure.data["rates"]] == [2]
    assert figure.rows[0]["told"] == "undefined"


@pytest.mark.slow
def test_files(full_report, tmp_path):
    written = full_report.save_charts(tmp_path / "charts", formats=("svg", "png"))
    assert sorted(path.name for path in written) == sorted(
        f"{name}.{kind}" for name in NAMES for kind in ("svg", "png")
    )
    for path in written:
        if path.suffix == ".png":
            assert path.read_bytes().startswith(b"\x89PNG")
        else:
            assert len("".join(ElementTree.parse(path).getroot().itertext())) > 20
    drawn = (tmp_path / "charts" / "rpad_by_k.svg").read_text("utf-8")
    assert LIGHT["s0"] in drawn and ">A<" in drawn and ">B<" in drawn, "a file says itself whose colour is whose"
    with pytest.raises(OptionError, match="png and svg"):
        full_report.save_charts(tmp_path / "other", formats=["pdf"])
    assert not (tmp_path / "other").exists()


def test_large_inputs_are_aggregated_or_sampled(full_report, tmp_path):
    """20,000 cases and 8 raters: no chart holds more than some thousands of values, and the page stays small."""
    n, raters = 20_000, [f"r{i}" for i in range(8)]
    scores = {name: (np.random.default_rng(0).beta(2, 3, n * 8) * 16).tolist() for name in ("Semantic", "Severity")}
    large = replace(
        full_report,
        cases=[f"case {i}" for i in range(n)],
        sections=[Section("weighted", "Scores", per_case=scores)],
        difference_rows=[],
        made_with=full_report.made_with | {"raters": raters, "roles": None, "panels": {}, "n_cases": n},
    )
    figures = {figure.name: figure for figure in all_figures(large)}
    assert set(figures) == {"violin_semantic", "violin_severity", "plane_cases"}
    for figure in figures.values():
        assert len(json.dumps(spec_of(figure, PAGE))) < 400_000
        assert "sample" in figure.note
    assert {row["n_cases"] for row in figures["violin_semantic"].rows} == {n}
    assert large.save(tmp_path / "r.html").stat().st_size < 5_000_000


@pytest.fixture(scope="module")
def grouped(full_report):
    first, *others = marks_of(full_report).algorithms
    groups = {first: "open", **dict.fromkeys(others[:1], "closed")}
    return replace(full_report, made_with=full_report.made_with | {"groups": groups})


@pytest.mark.parametrize("name", NAMES)
def test_a_chart_of_groups_has_their_colours(grouped, figures, name):
    """A colour is a group's, a shape a rater's, and a line one rater's; charts that do not show raters stay as they are."""
    figure = {figure.name: figure for figure in all_figures(grouped)}[name]
    marks, spec = marks_of(grouped), spec_of(figure, FILE)
    if not figure.series:
        assert spec == spec_of(figures[name], FILE)
        return
    parts = [part for layer in spec["layer"] for part in layer.get("layer", [layer])]
    layers = [part["encoding"] for part in parts]
    colours = [layer["color"] for layer in layers if "field" in layer.get("color", {})]
    assert colours and all(colour["field"] == "model_group" for colour in colours)
    wanted = {marks.group(rater): marks.colour(rater, FILE) for rater in figure.series}
    for colour in colours:
        assert dict(zip(colour["scale"]["domain"], colour["scale"]["range"], strict=True)) == wanted
    assert all(layer["detail"]["field"] == "rater" for layer in layers if "field" in layer.get("color", {}))
    drawn = [row for rows in figure.data.values() for row in rows if "rater" in row]
    assert drawn and all(row["model_group"] == marks.group(row["rater"]) for row in drawn)


def test_colours_and_key_of_groups(full_report):
    plain = marks_of(full_report)
    raters = ("A", "B", "C", "D", "X")
    marks = replace(plain, algorithms=raters[:4], panel=("X",), groups={"D": "open", "A": "closed", "B": "open"})
    assert [marks.colour(rater, FILE) for rater in raters] == [
        LIGHT[name] for name in ("s1", "s0", "s2", "s0", "panel")
    ]
    assert [(colour, label) for colour, _, label in marks.key(raters)] == [
        ("s0", "B (open)"), ("s0", "D (open)"), ("s1", "A (closed)"), ("s2", "C"), ("panel", "X"),
    ]  # fmt: skip
    assert len({path for _, path, _ in marks.key(raters[:4])}) == 4
    free = replace(marks, groups={})
    assert [label for *_, label in free.key(raters)] == [*raters] and free.colour("C", FILE) == LIGHT["s2"]
