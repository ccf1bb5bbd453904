"""Every chart's data against the tables of the report; the charts as files."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.evaluation.report.results import Family, GroupRows
from dxmatch.pages.style import COLOURS, DARK, LIGHT, css_variables

from ..made import find, lists_of_everything, long_form, scored
from .pages import Page

NAMES = [
    "top_k", "rpad_by_k", "rrad_by_k", "violin_hdf1", "violin_semantic", "violin_severity",
    "plane_raters", "plane_cases", "rpad_by_hardness", "rrad_by_hardness",
]  # fmt: skip


def test_all_charts_are_there_and_none_takes_a_text_as_code(page):
    assert list(page.specs) == NAMES
    for spec in page.specs.values():
        text = json.dumps(spec).replace(spec["$schema"], "")
        for word in ('"url"', '"expr"', '"signal"', '"href"', '"transform"', '"labelExpr"', "http"):
            assert word not in text, word
        assert "#" not in text.replace("var(--", "")


def test_charts_appear_for_what_is_there(panel, hand_matcher, same_text):
    """And a curve has a gap where it is undefined."""
    of_panel = dxmatch.Panel(hardness=0.0, algorithms=["A"])
    alone = Page(scored(long_form(panel), "relative", hand_matcher, k=2, panel=of_panel).to_html())
    assert list(alone.specs) == [*NAMES[1:3], *NAMES[-2:]]
    assert [row["k"] for row in alone.specs["rpad_by_k"]["datasets"]["values"]] == [2] and "undefined" in alone.shown
    frame = lists_of_everything().drop(columns=["severity", "reference_severity"])
    assert list(Page(scored(frame, ["weighted", "recall"], same_text).to_html()).specs) == ["violin_semantic"]


@pytest.mark.parametrize("metric", ["RPAD", "RRAD"])
def test_curves_by_k_and_by_hardness(page, full_report, metric):
    drawn = page.specs[f"{metric.lower()}_by_k"]["datasets"]["values"]
    wanted = [row for row in full_report.rows if row["metric"] == metric and not row["of"]]
    ends = ("k", "value", "low", "high")
    assert [[row[end] for end in ends] for row in drawn] == [[row[end] for end in ends] for row in wanted]
    by_hardness = page.specs[f"{metric.lower()}_by_hardness"]["datasets"]["values"]
    assert len(by_hardness) == 2 * 11
    for hardness, end in ((0.0, "opt"), (1.0, "avg")):
        row = full_report.row(f"{metric[1]}_{end}", algorithm="A", k=3)
        assert find(by_hardness, rater="A", hardness=hardness)["value"] == pytest.approx(row["value"])


@pytest.mark.parametrize(("score", "top"), [("HDF1", 1), ("Semantic", 16), ("Severity", 16)])
def test_violins(page, full_report, score, top):
    frame, data = full_report.per_case, page.specs[f"violin_{score.lower()}"]["datasets"]
    for row in data["summary"]:
        own = frame[frame["algorithm"] == row["rater"]][score].dropna()
        assert row["n_cases"] == len(own) and [row["q1"], row["median"], row["q3"]] == pytest.approx(
            list(own.quantile([0.25, 0.5, 0.75]))
        )
    assert sorted(p["value"] for p in data["points"]) == sorted(frame[score].dropna())
    assert all(0 <= outline["value"] <= top for outline in data["outlines"])


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
        assert all(_contrast(colours[text], colours[ground]) >= 4.5 for text in ("ink", "soft"))
        assert all(_contrast(colours[f"s{i}"], colours[ground]) >= 3 for i in range(COLOURS))
        assert _contrast(colours["panel"], colours[ground]) >= 3
    assert LIGHT.keys() == DARK.keys() and css_variables().count("--s7:") == 2


@pytest.mark.slow
def test_files(full_report, tmp_path):
    written = full_report.save_charts(tmp_path / "charts")
    assert {path.name for path in written} == {f"{name}.{kind}" for name in NAMES for kind in ("svg", "png")}
    assert all(path.read_bytes().startswith((b"\x89PNG", b"<svg")) for path in written)
    drawn = (tmp_path / "charts" / "rpad_by_k.svg").read_text("utf-8")
    assert LIGHT["s0"] in drawn and ">A<" in drawn and ">B<" in drawn, "a file says itself whose colour is whose"
    with pytest.raises(OptionError):
        full_report.save_charts(tmp_path / "other", formats=["pdf"])
    assert not (tmp_path / "other").exists()


def test_charts_of_large_inputs_stay_small(full_report):
    """20,000 cases of five raters: no chart holds more than some thousands of values, and the page stays small."""
    n = 20_000
    scores = {name: np.random.default_rng(0).beta(2, 3, (n, 5)) * 16 for name in ("Semantic", "Severity")}
    family = Family("weighted", "Scores", [], [], {}, scores, [])
    gone = {"families": [family], "difference_rows": [], "groups": GroupRows(), "evidence": None}
    large = replace(full_report, cases=[f"case {i}" for i in range(n)], **gone)
    html = large.to_html()
    page = Page(html)
    assert set(page.specs) == {"violin_semantic", "violin_severity", "plane_cases"} and len(html) < 5_000_000
    assert all(len(json.dumps(spec)) < 400_000 for spec in page.specs.values())
