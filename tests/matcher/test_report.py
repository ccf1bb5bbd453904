from __future__ import annotations

import io
import json
import re
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

import pyarrow.csv as pa_csv
import pytest
from rich.console import Console

from dxmatch.features.errors import DxmatchError, OptionError
from dxmatch.matcher.evaluate import evaluate
from dxmatch.matcher.report_words import place_of, verdict

NASTY = '<script>alert("x")</script>&\'[bold]'


@pytest.fixture
def report(panel, to_frame, hand_matcher):
    return evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"], bootstrap=100)


@pytest.fixture
def nasty(panel, to_frame, hand_matcher):
    """Raters whose names are markup."""
    renamed = {
        case: {NASTY if r == "A" else f"{NASTY}{r}": d for r, d in lists.items()} for case, lists in panel.items()
    }
    return evaluate(to_frame(renamed), hand_matcher, k=2, in_turn=True, bootstrap=20)


def test_json_holds_everything(report, tmp_path):
    report.save(tmp_path / "r.json")
    read = json.loads((tmp_path / "r.json").read_text("utf-8"))
    assert read == json.loads(report.to_json())
    assert read["table"] == report.table.to_pylist() and read["curves"] == report.curves.to_pylist()
    assert read["per_case"]["case_id"] == ["one", "two"]
    assert read["made_with"]["bootstrap"] == 100 and read["made_with"]["seed"] == 0
    assert read["answer"] == str(report).split("\n")
    undefined = next(row for row in read["table"] if row["name"] == "P_opt@1")
    assert undefined["value"] is None and undefined["reason"]


def test_csv_is_the_table(report, tmp_path):
    report.save(tmp_path / "r.csv")
    read = pa_csv.read_csv(tmp_path / "r.csv")
    assert read.column_names == report.table.column_names and len(read) == len(report.rows)
    assert read.column("value").to_pylist() == pytest.approx(report.table.column("value").to_pylist())


class Reader(HTMLParser):
    """Tags that are open at the end, all tags seen, all text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.text = [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in ("meta", "line", "circle", "polyline") or tag == "circle":
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        self.text.append(data)


def test_html_is_whole_and_alone(report, tmp_path):
    report.save(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text("utf-8")
    read = Reader(text)
    assert read.open == []
    tags = {tag for tag, _ in read.seen}
    assert not tags & {"script", "link", "img", "iframe", "object"}
    assert not re.search(r"https?://|url\(|@import|\son\w+=", text)
    shown = " ".join("".join(read.text).split())
    assert str(report) in shown
    assert "prefers-color-scheme: dark" in text
    for needed in ("1.200", "n k²", "seed 0", "by-hand", "How it was made"):
        assert needed in shown


def test_charts_are_svg_with_a_line_at_1(report, tmp_path):
    report.save(tmp_path / "r.html")
    drawings = re.findall(r"<svg.*?</svg>", (tmp_path / "r.html").read_text("utf-8"), re.DOTALL)
    assert len(drawings) == 2
    for drawing in drawings:
        tree = ElementTree.fromstring(drawing)
        classes = [element.get("class") for element in tree.iter()]
        assert classes.count("one") == 1 and classes.count("curve") == 1
        assert len(list(tree.iter("circle"))) == 2
        for element in tree.iter("circle"):
            assert 0 <= float(element.get("cx")) <= 440 and 0 <= float(element.get("cy")) <= 270


def test_markup_in_names_stays_text(nasty, tmp_path):
    nasty.save(tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text("utf-8")
    assert "<script" not in text and "&lt;script&gt;" in text
    read = Reader(text)
    assert read.open == [] and NASTY in "".join(read.text)
    out = io.StringIO()
    nasty.print(Console(file=out, width=400))
    assert NASTY in out.getvalue()


def test_terminal(panel, to_frame, hand_matcher):
    report = evaluate(to_frame(panel), hand_matcher, k=2, hardness=0.0, algorithms=["A"], bootstrap=100)
    out = io.StringIO()
    report.print(Console(file=out, width=160))
    for needed in ("A reaches RPAD(H=0)@2 3.000", "P_opt@2", "kappa(AE mean)", "undefined", "Match function: by-hand"):
        assert needed in out.getvalue()


def test_save_refuses_and_leaves_nothing(report, tmp_path, monkeypatch):
    with pytest.raises(OptionError, match=r"\.json, \.csv, \.html"):
        report.save(tmp_path / "r.pdf")
    with pytest.raises(DxmatchError, match="no such folder"):
        report.save(tmp_path / "nowhere" / "r.json")
    monkeypatch.setattr("dxmatch.matcher.report_html.page", lambda _: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        report.save(tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []


def test_row_refuses_what_is_not_there(report):
    with pytest.raises(OptionError, match="of the table"):
        report.row("RPAD", algorithm="nobody")
    with pytest.raises(OptionError, match="of the table"):
        report.row("RPAD", k=9)


@pytest.mark.parametrize(
    ("low", "high", "place", "words"),
    [(0.8, 0.9, -1, "less than they agree among themselves (the interval lies below 1)"),
     (0.8, 1.1, 0, "about as much as they agree among themselves (the interval includes 1)"),
     (1.01, 1.2, 1, "more than they agree among themselves (the interval lies above 1)"),
     (1 + 1e-15, 1 + 1e-15, 0, "includes 1"),
     (None, None, None, "this says nothing sure")],
)  # fmt: skip
def test_words_follow_the_interval(low, high, place, words):
    row = {"metric": "RPAD", "value": 1.0, "low": low, "high": high, "hardness": 1.0, "reason": ""}
    assert place_of(row) == place and words in verdict(row)
    if place is not None:
        assert "the panel's own level at hardness 0.5" in verdict(row | {"hardness": 0.5})


def test_equal_reports_are_equal_bytes(panel, to_frame, hand_matcher):
    one, two = (evaluate(to_frame(panel), hand_matcher, k=2, algorithms=["A"]).to_json() for _ in range(2))
    assert one == two
