"""Single cases: what the page holds of them beside the table of matches; filters, keys, address and print in a browser; one with codes."""

from __future__ import annotations

import json
from itertools import product
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import dxmatch
from dxmatch.errors import OptionError
from dxmatch.evaluation.report import cases as module

from ...chromium import CHROMIUM
from ..made import POINTS, By, long_form, scored
from .pages import Page, answers

MODELS = ["gpt [a]", "cedar", "pine"]
WORDS = ["asthma", "copd", "angina", "gout", "sepsis", "asthma, acute", "none"]


def probability(x, y):
    """Equal, likely (near the threshold of 0.5), or less so."""
    return 1.0 if x == y else 0.6 if x[:3] == y[:3] else 0.4 if {x, y} == {"gout", "sepsis"} else 0.1


class Knowing(By):
    def relations(self, a, b, why=False):
        kinds = ["same" if x == y else "narrower" if x[:3] == y[:3] else "unrelated" for x, y in zip(a, b, strict=True)]
        return SimpleNamespace(kinds=kinds, why=[f"{x} names {y}" if x == y else "" for x, y in zip(a, b, strict=True)])


def made_report(missing="empty", n=137):
    generator = np.random.default_rng(3)
    cases = {}
    for i in range(n):
        lists = {m: list(generator.choice(WORDS, generator.integers(1, 5), replace=False)) for m in MODELS}
        if i % 11 == 0:
            del lists["pine"]
        if i % 13:
            lists["truth"] = list(generator.choice(WORDS[:-1], generator.integers(1, 3), replace=False))
        cases[f"case {i}"] = lists
    frame = long_form(cases, {"truth": "reference", **dict.fromkeys(MODELS, "algorithm")})
    frame["ward"] = frame["case_id"].map(lambda case: ["heart", "lungs", None][int(case.split()[1]) % 3])
    reading, asked = dxmatch.Reading(missing=missing), {"metrics": "recall", "by": "ward", "resampling": POINTS}
    return dxmatch.evaluate(frame, matcher=Knowing(probability), k=3, reading=reading, **asked)


@pytest.fixture(scope="module")
def report():
    return made_report()


@pytest.fixture(scope="module")
def file(report, tmp_path_factory):
    return report.save(tmp_path_factory.mktemp("browser") / "report.html")


@pytest.fixture(scope="module")
def data(file):
    return Page(file.read_text("utf-8")).cases


def said_by(data):
    """What the data of the page say of each case, model and rank: diagnosis, likeliest right answer, probability, match, doubtful."""
    entries, rows, strings = iter(data["entries"]), {}, data["strings"]
    parts = ("diagnosis", "right", "probability", "match", "doubtful")
    pairs = list(zip(*(data["pairs"][part] for part in parts), strict=True))
    for (case, model), length in zip(product(data["cases"], data["models"]), data["lengths"], strict=True):
        for rank in range(1, min(length, data["ranks"]) + 1):
            pair = next(entries)
            diagnosis, right, chance, match, doubt = pairs[pair] if pair >= 0 else (None, -1, 0, 0, 0)
            told = (strings[right], chance / 1000, bool(match), bool(doubt)) if right >= 0 else (None,) * 4
            rows[case, model, rank] = (None if diagnosis is None else strings[diagnosis], *told)
    assert next(entries, None) is None
    return rows


def test_the_page_holds_what_the_table_of_matches_holds(report, data):
    rows = report.matches.query("rank == rank").to_dict("records")
    names = ("diagnosis", "reference", "probability", "match", "doubtful")
    cells = [tuple(None if pd.isna(row[name]) else row[name] for name in names) for row in rows]
    expected = {(row["case_id"], row["algorithm"], row["rank"]): own for row, own in zip(rows, cells, strict=True)}
    assert said_by(data) == expected and len(expected) > 900 and {*report.matches["doubtful"].dropna()} == {True, False}
    pine = [data["lengths"][i * len(MODELS) + data["models"].index("pine")] for i in range(12)]
    assert pine[0] == pine[11] == 0 < min(pine[1:11]), "an empty list"
    assert -1 in Page(made_report("own", 14).to_html()).cases["lengths"], "one that is out"
    assert data["models"] == list(report.board.algorithms) and data["total"] == len(data["cases"]) == 137
    assert len(set(data["strings"])) == len(data["strings"]) <= len(WORDS)


browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page in")
SHOWN = "[...document.querySelectorAll('.cases-case')].map((item) => item.querySelector('.cases-name').textContent)"
STATUS = "document.querySelector('.cases-status').textContent"
FOCUS = "document.activeElement.closest('.cases-case')?.querySelector('.cases-name').textContent"
OPEN = "[...document.querySelectorAll('.cases-case[open] .cases-name')].map((name) => name.textContent)"
COUNTS = "[...document.querySelectorAll('.cases-count')].map((count) => +count.textContent)"


@pytest.fixture
def opened(held, file):
    return lambda address="", *size: held.fresh(f"{file.as_uri()}{address}", *size)


def shown_by(report, show, search):
    """The names of the cases that a filter shows, from the rows of the table of matches."""
    shown = []
    for (case, _), rows in report.matches.groupby(["case_id", "ward"], sort=False, dropna=False):
        first = rows[(rows["rank"] <= 3) | rows["rank"].isna()].assign(match=lambda part: part["match"].eq(True))
        found = (
            first.groupby("algorithm")["match"].any() if rows["references"].notna().any() else pd.Series([], dtype=bool)
        )
        there = {
            "all": True, "missed": not found.all(), "missed-by-all": len(found) > 0 and not found.any(),
            "disagreements": found.nunique() == 2,
        }[show]  # fmt: skip
        texts = [case, *rows["references"].dropna(), *rows["diagnosis"].dropna()]
        if there and any(search in text for text in texts):
            shown.append(case)
    return shown


@browser
def test_filters_are_those_of_the_table_of_matches(opened, report):
    t = opened("", 390)
    assert t.value("document.documentElement.scrollWidth") == 390, "nothing is wider than a phone"
    for show, search in product(["all", "missed", "missed-by-all", "disagreements"], ["", "asthma,"]):
        t.value(
            f"location.hash = new URLSearchParams({json.dumps({'show': show, 'search': search.upper()})}).toString()"
        )
        t.wait(20)
        assert t.value(SHOWN) == shown_by(report, show, search)[:50], (show, search)
    assert t.said == []


@browser
def test_of_many_lists_a_case_counts_what_came_of_them(held, tmp_path):
    """And the head names the first, the chart draws twelve."""
    report = scored(answers({f"m{i}": i for i in range(20)}), "top_k_accuracy", k=5)
    t = held.fresh(f"{report.save(tmp_path / 'r.html').as_uri()}#model=m3")
    marks = t.value("document.querySelectorAll('.cases-marks')[10].textContent")
    assert marks == "✗ m3: no right answer ✓ 11 with a right answer ✗ 9 without"
    page = Page((tmp_path / "r.html").read_text("utf-8"))
    assert len({row["rater"] for row in page.specs["top_k"]["datasets"]["values"]}) == 12
    assert "m18, m17, m16, m15, m14 and 7 more are" in page.shown and t.said == []


def test_of_too_many_cases_those_with_misses(monkeypatch):
    monkeypatch.setattr(module, "MAX_CASES", 20)
    report = made_report()
    page = Page(report.to_html())
    assert "20 of 137 cases" in page.shown and page.cases["total"] == 137
    assert len(page.cases["cases"]) == 20 and {*page.cases["cases"]} <= {*shown_by(report, "missed", "")}


@browser
def test_by_keys_alone(opened):
    t = opened()
    assert t.value(STATUS) == "137 cases: 1 to 50" and len(t.value(SHOWN)) == 50
    t.press("j", "j", "j", "k")
    assert t.value(FOCUS) == "case 1" and t.value(OPEN) == []
    t.press("Enter")
    assert t.value(OPEN) == ["case 1"] and "case=case+1" in t.value("location.hash")
    told = t.value("document.querySelector('.cases-case[open]').innerText")
    assert all(model in told for model in MODELS) and "ward: lungs" in told
    t.press("Escape", "ArrowDown", "ArrowDown", "ArrowUp")
    assert t.value(OPEN) == [] and t.value(FOCUS) == "case 2"
    t.press("n", "k")
    assert t.value(FOCUS) == "case 49" and t.value(STATUS) == "137 cases: 1 to 50"
    t.press("j", "n", "n")
    assert t.value(STATUS) == "137 cases: 101 to 137"
    t.press("p", "/")
    t.press(*"case 13")
    t.wait(300)
    assert t.value("document.activeElement.type") == "search" and t.value(STATUS) == "8 of 137 cases"
    assert t.value("location.hash") == "#search=case+13"
    t.press("Enter")
    assert t.value(FOCUS) == "case 13"
    t.press("/", "Escape")
    assert t.value(STATUS) == "137 cases: 1 to 50"
    assert t.said == []


@browser
def test_the_address_holds_the_state(opened):
    t = opened("#show=disagreements&model=cedar&by.ward=lungs&sort=missed")
    t.value("document.querySelector('.cases input[value=missed]').click()")
    assert t.value("location.hash") == "#show=missed&model=cedar&sort=missed&by.ward=lungs"
    t.value("location.hash = '#case=case+99'")
    t.wait()
    assert t.value(OPEN) == ["case 99"] and t.value(FOCUS) == "case 99" and t.value(STATUS) == "137 cases: 51 to 100"
    t.value("location.hash = '#show=x&model=y&by.ward=z&page=-4&case=nobody&sort=name'")
    t.wait()
    assert t.value(STATUS) == "137 cases: 1 to 50" and t.value(SHOWN)[:3] == ["case 0", "case 1", "case 2"]
    assert t.said == []


@browser
def test_what_is_printed_is_said(opened):
    t = opened("#show=missed&page=2")
    many = t.value(COUNTS)[1]
    assert many > 50
    t.value("dispatchEvent(new Event('beforeprint'))")
    assert len(t.value(OPEN)) == 50 and t.value(OPEN)[0] == "case 1"
    words = t.value("document.querySelector('.cases-printed').textContent")
    assert words == f"Printed are the first 50 of {many} cases (Missed by any)."
    t.value("dispatchEvent(new Event('afterprint'))")
    assert t.value(OPEN) == [] and "51 to" in t.value(STATUS)


def test_one_case_with_codes(full_report):
    """What is shared is that of the augmented sets, and the scores are those of the case."""
    rows = full_report.case("c03").to_dict("records")
    assert rows[0]["algorithm"] == "reference" and rows[0]["icd10"] == "M10.9"
    gout = next(row for row in rows if row["algorithm"] == "X" and row["diagnosis"] == "gout")
    assert gout["shared"] == "M10.9" and gout["common"] == "M00-M99, M05-M14, M10, M10.9"
    scores = full_report.per_case.query("case_id == 'c03' and algorithm == 'X'").iloc[0]
    assert gout["HDF1"] == scores["HDF1"]
    with pytest.raises(OptionError, match="'case'.*did you mean 'c0"):
        full_report.case("C03")
