"""The case browser: the data of the page, its filters beside a plain loop, keys, address and print in a browser."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from itertools import product
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.lists.reading import read_lists
from dxmatch.evaluation.matches.case_table import CaseTable
from dxmatch.evaluation.matches.reference_matches import match_references
from dxmatch.evaluation.report.browser import case_browser as module
from dxmatch.evaluation.report.browser.case_browser import case_browser
from dxmatch.evaluation.report.browser.data import case_data, chosen_cases

from .chromium import CHROMIUM, tab
from .made import By, long_form

NODE = shutil.which("node") or shutil.which("nodejs")
FOLDER = Path(module.__file__).parent
MODELS = ["gpt [a]", "cedar", "pine"]
WORDS = ["asthma", "copd", "angina", "gout", "sepsis", "asthma, acute", "none"]
ROLES = {"truth": "reference", **dict.fromkeys(MODELS, "algorithm")}


def probability(x, y):
    """Equal, likely (near the threshold of 0.5), or less so."""
    return 1.0 if x == y else 0.6 if x[:3] == y[:3] else 0.4 if {x, y} == {"gout", "sepsis"} else 0.1


class Knowing(By):
    def relations(self, a, b, why=False):
        kinds = ["same" if x == y else "narrower" if x[:3] == y[:3] else "unrelated" for x, y in zip(a, b, strict=True)]
        return SimpleNamespace(kinds=kinds, why=[f"{x} names {y}" if x == y else "" for x, y in zip(a, b, strict=True)])


def made_cases(n=137, seed=3):
    generator = np.random.default_rng(seed)
    cases = {}
    for i in range(n):
        lists = {m: list(generator.choice(WORDS, generator.integers(1, 5), replace=False)) for m in MODELS}
        if i % 11 == 0:
            del lists["pine"]
        if i % 13:
            lists["truth"] = list(generator.choice(WORDS[:-1], generator.integers(1, 3), replace=False))
        cases[f"case {i}"] = lists
    return cases


def made_frame(n=137):
    frame = long_form(made_cases(n), ROLES)
    number = frame["case_id"].str.removeprefix("case ").astype(int)
    return frame.assign(specialty=number.map(lambda i: ["heart", "lungs", None][i % 3]))


def made_table(n=137, k=3, ranks=4, **options):
    matcher = Knowing(probability)
    lists = read_lists(made_frame(n), by="specialty", **options)
    return CaseTable(lists, match_references(lists, matcher, ranks), matcher, k)


@pytest.fixture(scope="module")
def table():
    return made_table()


def said_by(data):
    """The rows of a table of matches, from the data of the page."""
    entries, rows = iter(data["entries"]), []
    pairs, strings = data["pairs"], data["strings"]
    lengths = np.array(data["lengths"]).reshape(len(data["cases"]), -1)
    for i, case in enumerate(data["cases"]):
        for j, model in enumerate(data["models"]):
            for rank in range(1, min(lengths[i, j], data["ranks"]) + 1):
                pair = next(entries)
                if pair < 0:
                    rows.append((case, model, rank, None, None, None, None, None, None, None))
                    continue
                reference, chance = pairs["right"][pair], pairs["probability"][pair]
                rows.append((
                    case, model, rank, strings[pairs["diagnosis"][pair]],
                    None if reference < 0 else strings[reference],
                    None if chance < 0 else chance / 1000,
                    None if reference < 0 else bool(pairs["match"][pair]),
                    None if pairs["relation"][pair] < 0 else data["relations"][pairs["relation"][pair]],
                    data["reasons"][pairs["why"][pair]] or None,
                    None if pairs["doubt"][pair] < 0 else data["doubts"][pairs["doubt"][pair]],
                ))  # fmt: skip
    assert next(entries, None) is None
    return rows


def test_the_page_holds_what_the_table_of_matches_holds(table):
    names = ["case_id", "algorithm", "rank", "diagnosis", "reference", "probability", "match", "relation", "why", "doubtful"]  # fmt: skip
    expected = [tuple(row[name] for name in names) for row in table.table.to_pylist() if row["rank"] is not None]
    told = {"no diagnosis is said", "the case has no right answer"}
    expected = [tuple(None if value in told else value for value in row) for row in expected]
    data = case_data(table)
    assert said_by(data) == expected
    assert data["right"] == [[data["strings"].index(text) for text in dict.fromkeys(r)] for r in table.lists.reference]
    assert len(set(data["strings"])) == len(data["strings"]) <= len(WORDS)
    assert json.loads(json.dumps(data)) == data


def test_a_list_that_is_out_is_told_from_an_empty_one():
    for missing, length in (("empty", 0), ("own", -1)):
        assert case_data(made_table(missing=missing))["lengths"][2] == length


@pytest.mark.parametrize("most", [1, 20, 136, 137, 500])
def test_of_too_many_cases_those_with_misses_and_doubts(table, most):
    chosen = chosen_cases(table, most).tolist()
    assert len(chosen) == min(most, 137) and chosen == sorted(set(chosen))
    data = case_data(table, most)
    assert data["cases"] == [table.lists.cases[i] for i in chosen] and data["total"] == 137
    found = table.matches.hits[:, :, :3].any((2, 3))
    trouble = ((table.matches.given.any(1)[:, None] & ~found) | table.doubtful).sum(1)
    out = [i for i in range(137) if i not in chosen]
    assert not out or min(trouble[chosen]) >= max(trouble[out])
    rows = [row for row in said_by(case_data(table)) if row[0] in data["cases"]]
    assert said_by(data) == rows


def test_the_page_says_that_cases_are_left_out(table, monkeypatch):
    assert "of 137 cases" not in case_browser(table).html
    monkeypatch.setattr(module, "case_data", lambda table: case_data(table, 20))
    assert "20 of 137 cases" in case_browser(table).html
    assert case_browser(None) == ("", "", "")


NASTY = ["</script><script>alert(1)</script>", "<!--", "]]>", "a & b <i>", "two\u2028lines", 'quote " and \\ back']


def test_hostile_names_stay_text():
    cases = {name: {name: [name], "truth": [name, "gout"]} for name in NASTY}
    lists = read_lists(long_form(cases, {"truth": "reference", **dict.fromkeys(NASTY, "algorithm")}))
    made = case_browser(CaseTable(lists, match_references(lists, By(), 1), By(), 1))
    (text,) = re.findall(r'<script type="application/json" id="case-data">(.*?)</script>', made.html, re.DOTALL)
    assert not set("<>&\u2028") & set(text)
    assert json.loads(text)["cases"] == json.loads(text)["models"] == NASTY
    assert "</script" not in made.script and "<!--" not in made.script and "</style" not in made.style


# the pure functions of the script, in Node


def in_node(table, program):
    """What `program` gives for the decoded `data`, as JSON."""
    parts = [(FOLDER / name).read_text("utf-8") for name in ("cases.js", "filters.js")]
    begin = f"const data = readCases({json.dumps(case_data(table))});"
    end = f"process.stdout.write(JSON.stringify((() => {{ {program} }})()));"
    done = subprocess.run(
        [NODE, "-"], input="\n".join([*parts, begin, end]), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


node = pytest.mark.skipif(NODE is None, reason="no Node to run the script's functions in")


def plain_loop(table, show, model, group, search):
    """The names of the cases that a filter shows, from the rows of the table of matches."""
    by_case = {case: {m: [] for m in MODELS} for case in table.lists.cases}
    for row in table.table.to_pylist():
        by_case[row["case_id"]][row["algorithm"]].append(row)
    shown = []
    for i, (case, lists) in enumerate(by_case.items()):
        right = table.lists.reference[i]
        found, doubtful = {}, {}
        for m, rows in lists.items():
            first = [row for row in rows if row["rank"] is not None and row["rank"] <= table.k]
            sure = any(row["match"] and not row["doubtful"] for row in first)
            if right and not table.lists.absent[i, table.lists.raters.index(m)]:
                found[m] = any(row["match"] for row in first)
                doubtful[m] = not sure and any(row["doubtful"] for row in first)
        of = [model] if model else list(found)
        both = len(set(found.values())) == 2
        there = {
            "all": not model or not table.lists.absent[i, table.lists.raters.index(model)],
            "missed": any(found.get(m) is False for m in of),
            "missed-by-all": bool(found) and not any(found.values()),
            "doubtful": any(doubtful.get(m) for m in of),
            "disagreements": both and all(m in found for m in of),
        }[show]
        texts = [case, *right, *(row["diagnosis"] or "" for rows in lists.values() for row in rows)]
        in_group = not group or table.lists.groups["specialty"][i] == group
        if there and in_group and any(search.strip().lower() in text.lower() for text in texts):
            shown.append(case)
    return shown


SHOWS = ["all", "missed", "missed-by-all", "doubtful", "disagreements"]
FILTERS = list(product(SHOWS, ["", *MODELS], ["", "lungs"], ["", " ASTHMA,", "case 13"]))


@node
@pytest.mark.parametrize("missing", ["empty", "own"])
def test_filters_and_their_counts_are_those_of_a_plain_loop(missing):
    table = made_table(missing=missing)
    states = [{"show": s, "model": m, "groups": {"specialty": g}, "search": q, "sort": "given"} for s, m, g, q in FILTERS]  # fmt: skip
    program = f"""
      return {json.dumps(states)}.map((state) => {{
        const {{ cases, counts }} = filtered(data, state);
        return {{ cases: cases.map((i) => data.cases[i]), counts }};
      }});"""
    for (show, model, group, search), got in zip(FILTERS, in_node(table, program), strict=True):
        assert got["cases"] == plain_loop(table, show, model, group, search), (show, model, group, search)
    by_filter = {f: len(got["cases"]) for f, got in zip(FILTERS, in_node(table, program), strict=True)}
    for (show, model, group, search), got in zip(FILTERS, in_node(table, program), strict=True):
        counts = got["counts"]
        assert counts["shows"] == {other: by_filter[other, model, group, search] for other in SHOWS}
        assert counts["models"] == [by_filter[show, other, group, search] for other in [*MODELS, ""]]
        assert [counts["groups"][0][i] for i in (1, 2)] == [by_filter[show, model, g, search] for g in ("lungs", "")]


@node
def test_orders(table):
    program = (
        """return SORTS.map((sort) => filtered(data, { ...unfiltered(), sort }).cases.map((i) => data.cases[i]));"""
    )
    given, by_name, missed = in_node(table, program)
    assert given == table.lists.cases
    assert by_name == sorted(given, key=lambda name: int(name.split()[1])), "case 9 stands before case 10"
    misses = {case: sum(case in plain_loop(table, "missed", m, "", "") for m in MODELS) for case in given}
    assert [misses[case] for case in missed] == sorted(misses.values(), reverse=True) and set(missed) == set(given)


@node
def test_the_address_holds_the_state(table):
    program = """
      const states = [unfiltered(), { ...unfiltered(), show: "missed", model: "gpt [a]", groups: { specialty: "heart" },
        search: "a & b = c #?", sort: "name", page: 2, open: "case 7" }];
      return { there: states.map((state) => asked(data, "#" + written(state) )), states,
        none: [asked(data, ""), asked(data, "#metrics")],
        unknown: asked(data, "#show=x&model=y&by.specialty=z&by.w=1&page=-4&case=nobody"), link: asked(data, "#case=case+7") };"""
    got = in_node(table, program)
    assert got["there"] == [None, got["states"][1]] and got["none"] == [None, None]
    assert got["unknown"] == got["states"][0]
    assert got["link"] == {**got["states"][0], "open": "case 7"}


# the whole page, in Chromium

browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page in")
SHOWN = "[...document.querySelectorAll('.cases-case')].map((item) => item.querySelector('.cases-name').textContent)"
STATUS = "document.querySelector('.cases-status').textContent"
FOCUS = "document.activeElement.closest('.cases-case')?.querySelector('.cases-name').textContent"
OPEN = "[...document.querySelectorAll('.cases-case[open] .cases-name')].map((name) => name.textContent)"


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    lists = read_lists(made_frame(), by="specialty")
    report = evaluate(lists, Knowing(probability), k=3, bootstrap=20, metrics="recall")
    return report.save(tmp_path_factory.mktemp("browser") / "report.html")


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    with tab(tmp_path_factory.mktemp("profile")) as opened:
        yield opened


@pytest.fixture
def opened(held, page):
    def go(address="", width=1400):
        held.open("about:blank")
        held.said.clear()
        held.ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 500)
        held.open(f"{page.as_uri()}{address}")
        return held

    return go


@browser
def test_by_keys_alone(opened):
    t = opened()
    assert t.value(STATUS) == "137 cases: 1 to 50" and len(t.value(SHOWN)) == 50
    t.press("j", "j", "j", "k")
    assert t.value(FOCUS) == "case 1" and t.value(OPEN) == []
    t.press("Enter")
    assert t.value(OPEN) == ["case 1"] and "case=case+1" in t.value("location.hash")
    told = t.value("document.querySelector('.cases-case[open]').innerText")
    assert all(model in told for model in MODELS) and "specialty: lungs" in told
    t.press("Escape", "ArrowDown", "ArrowDown", "ArrowUp")
    assert t.value(OPEN) == [] and t.value(FOCUS) == "case 2"
    t.press("n")
    assert t.value(FOCUS) == "case 50" and t.value(STATUS) == "137 cases: 51 to 100"
    t.press("k")
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
def test_filters_of_the_page_and_a_link_to_a_case(opened, table):
    t = opened("#show=disagreements&model=cedar&by.specialty=lungs&sort=missed")
    expected = plain_loop(table, "disagreements", "cedar", "lungs", "")
    assert sorted(t.value(SHOWN)) == sorted(expected)
    assert t.value(STATUS) == f"{len(expected)} of 137 cases"
    t.value("document.querySelector('.cases input[value=missed]').click()")
    counts = t.value("[...document.querySelectorAll('.cases-count')].map((count) => +count.textContent)")
    assert counts == [len(plain_loop(table, show, "cedar", "lungs", "")) for show in SHOWS]
    assert t.value("location.hash") == "#show=missed&model=cedar&sort=missed&by.specialty=lungs"
    t.value("location.hash = '#case=case+99'")
    t.wait(100)
    assert t.value(OPEN) == ["case 99"] and t.value(FOCUS) == "case 99" and t.value(STATUS) == "137 cases: 51 to 100"
    assert t.said == []


@browser
def test_every_control_has_a_name_and_nothing_is_wider_than_a_phone(opened):
    t = opened("#case=case+1", 390)
    assert t.value("document.documentElement.scrollWidth") == 390
    t.ask("Accessibility.enable")
    nodes = t.ask("Accessibility.getFullAXTree")["nodes"]
    for one in nodes:
        role, name = one.get("role", {}).get("value"), one.get("name", {}).get("value")
        if role in ("searchbox", "radio", "combobox", "button", "link", "status"):
            assert name or role == "status", one
    line = t.value("document.querySelector('.cases-case[open] summary').textContent")
    assert "case 1" in line and all(f"{model}: " in line for model in MODELS) and "rank" in line


@browser
def test_what_is_printed_is_said(opened):
    t = opened("#show=missed&page=2")
    many = int(t.value("document.querySelector('.cases input[value=missed] ~ span .cases-count').textContent"))
    assert many > 50
    t.value("dispatchEvent(new Event('beforeprint'))")
    assert len(t.value(OPEN)) == 50 and t.value(OPEN)[0] == "case 1"
    assert (
        t.value("document.querySelector('.cases-printed').textContent")
        == f"Printed are the first 50 of {many} cases (Missed by any)."
    )
    t.value("dispatchEvent(new Event('afterprint'))")
    assert t.value(OPEN) == [] and "51 to" in t.value(STATUS)


@browser
def test_without_scripts_the_page_says_where_the_cases_are(held, page):
    held.ask("Emulation.setScriptExecutionDisabled", value=True)
    try:
        held.open(f"{page.as_uri()}?plain")
        text = held.ask("Accessibility.getFullAXTree")["nodes"]
        said = " ".join(one["name"]["value"] for one in text if one.get("name", {}).get("value"))
        assert "The table of matches" in said
    finally:
        held.ask("Emulation.setScriptExecutionDisabled", value=False)
