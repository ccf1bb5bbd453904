"""The page: its structure, what it says, its policy; that no text of the data runs in it."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import replace
from itertools import pairwise

import pytest

from dxmatch.evaluation.read.findings import Finding

from ...chromium import CHROMIUM, tab
from ..made import lists_of_everything, scored
from .pages import Page

browser = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium to open the page in")
ACTIVE = {"link", "img", "iframe", "object", "embed", "base", "form", "video", "input"}


def assert_inert(read):
    """Every tag is closed, one script runs, and nothing else could run or ask for something."""
    assert read.open == [] and [tag for tag, _ in read.seen].count("html") == 1
    assert [a.get("type") for a in read.all("script")].count(None) == 1
    assert not {tag for tag, _ in read.seen} & ACTIVE
    assert not [a for _, a in read.seen if {"src", "style"} & a.keys() or any(name.startswith("on") for name in a)]
    assert all(a["href"].startswith("#") for a in read.all("a"))


def test_the_page_is_whole_and_alone_and_its_policy_allows_its_own_script_and_style_only(page, page_file):
    assert_inert(page)
    assert not re.search(r"url\(|@import|https?:", page.style)
    text = page_file.read_text("utf-8")
    outside = re.findall(r"https?://[^\s\"<>]+", text.replace(page.scripts[None], ""))
    assert all(address.startswith("https://vega.github.io/schema/") for address in outside), "a name, never fetched"
    assert len(text) < 2_000_000
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    (script,) = re.findall(r"<script>(.*?)</script>", text, re.DOTALL)
    for own, part in ((script, "script-src"), (page.style, "style-src")):
        digest = base64.b64encode(hashlib.sha256(own.encode()).digest()).decode()
        assert f"{part} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert "base-uri 'none'" in policy and "form-action 'none'" in policy


def test_readers_of_all_kinds(page):
    """Landmarks, a language, one h1, captions, text alternatives, regions that scroll by keyboard."""
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == len(page.all("main")) == len(page.all("header")) == len(page.all("nav")) == 1
    ids = [a["id"] for _, a in page.seen if "id" in a]
    assert len(ids) == len(set(ids)) and {a["href"][1:] for a in page.all("a")} <= set(ids)
    assert len(page.all("caption")) == len(page.all("table"))
    assert {a["scope"] for a in page.all("th")} == {"col", "row", "rowgroup"}
    for attributes in page.all("div"):
        if attributes.get("class") == "scroll":
            assert attributes["tabindex"] == "0" and attributes["role"] == "region" and attributes["aria-label"]
        if attributes.get("class") == "chart":
            assert attributes["role"] == "img" and len(attributes["aria-label"]) > 40
    assert len(page.all("figure")) == len(page.all("figcaption")) == len(page.specs) == 10
    levels = [int(tag[1]) for tag, _ in page.seen if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1 and all(after - before <= 1 for before, after in pairwise(levels))
    assert "prefers-color-scheme:dark" in page.style and "@media print" in page.style


def test_the_page_says_what_the_report_says(page, full_report):
    report = full_report
    told = [*str(report).split("\n"), "same text", "60 resamples", "seed 0"]
    told += [family.title for family in report.families] + [one.sentence for one in report.findings]
    told += [f"{row['value']:.3f}" for row in report.rows if row["value"] is not None]
    assert [text for text in told if text not in page.shown] == []
    parts = [a["id"] for tag, a in page.seen if tag in ("section", "details") and "id" in a]
    assert parts[:5] == ["leaderboard", "differences", "subgroups", "every-case", "relative"]
    assert parts[-1] == "made"


def test_at_most_three_findings_stand_above_the_answer_none_that_touches_under_2_percent(models, tmp_path):
    findings = [Finding("reading", int(i == 1), 51, example=f"Doubt {i}.") for i in range(5)]
    shown = Page(replace(models, findings=findings).save(tmp_path / "r.html").read_text("utf-8")).shown
    answer = shown.index("Over 40 cases, the first")
    assert [shown.index(f"Doubt {i}.") < answer for i in range(5)] == [True, False, True, True, False]


def attacks(address: str) -> list[str]:
    """Texts that would run, or ask for something, wherever a text is taken for more than a text."""
    run = f"document.title='ran';fetch('{address}/x')"
    return [
        f"<script>{run}</script>", f"</script><script>{run}</script>", f"--></script><script>{run}</script>", f"]]><script>{run}</script>",
        f"</style><script>{run}</script>", f"</title><script>{run}</script>", f'"><script>{run}</script>', f"'><script>{run}</script>",
        f"<scr\0ipt>{run}</scr\0ipt>", f"<img src=x onerror=\"{run}\">", f'" onmouseover="{run}" x="', f"<svg><image href={address}/x /></svg>",
        f"<iframe srcdoc=\"<script>{run}</script>\"></iframe>", f"<link rel=stylesheet href={address}/x>", f"<style>@import url({address}/x);</style>",
        f"<meta http-equiv=refresh content=\"0;url={address}/x\">", f"<a href=\"javascript:{run}\" id=main>x</a>", f"javascript:{run}",
        f"&lt;script&gt;{run}&lt;/script&gt;", f"\\u003cscript\\u003e{run}\\u003c/script\\u003e", f"\u2028{run}\u2029a", f"`${{{run}}}`a",
        f'{{"signal": "{run}"}}', f'{{"expr": "{run}"}}', "datum.x", f"toString.constructor(\"{run}\")()", f'{{"url": "{address}/x"}}', f'"; {run}; var a="',
    ]  # fmt: skip


@pytest.fixture
def attacked(same_text, loopback):
    """A report whose cases, raters, diagnoses, groups and question are attacks."""
    texts = attacks(loopback.url)
    names = [f"c{case:02}" for case in range(len(texts) - 11)]
    names += ["X", "Y", "A", "Z", "B", "pneumonia", "pulmonary embolism", "asthma", "gout", "sepsis"]
    frame = lists_of_everything(len(texts) - 11, dict(zip(names, texts[1:], strict=True)))
    frame["ward"] = frame["case_id"].map(lambda case: texts[texts.index(case) % 3])
    report = scored(frame, None, same_text, k=3, resamples=20, by="ward")
    findings = [*report.findings, *(Finding("origin", example=text) for text in texts)]
    lines = [*report.setup.lines, (texts[2], texts[3])]
    return replace(report, findings=findings, setup=replace(report.setup, question=texts[0], opening=texts[1], lines=lines))  # fmt: skip


def test_markup_stays_text(attacked, loopback):
    read = Page(attacked.to_html())
    assert_inert(read)
    data = "".join(text for name, text in read.scripts.items() if name)
    assert not set("<>&\u2028\u2029") & set(data), "no parser takes the data of charts and cases for markup"
    shown = "".join(read.text)
    for attack in attacks(loopback.url):
        assert attack.replace("\0", "\ufffd") in shown or attack in shown


@browser
def test_nothing_runs_and_nothing_is_asked_for(attacked, loopback, tmp_path):
    """In a browser: all charts are drawn, the title stays, no request leaves, the policy has nothing to refuse."""
    page = attacked.save(tmp_path / "r.html")
    with tab(tmp_path / "profile") as opened:
        opened.open(page.as_uri())
        opened.wait(1500)
        drawn = opened.value("[...document.querySelectorAll('.vega-embed.drawn')].length")
        assert drawn == len(Page(page.read_text("utf-8")).specs) == 10
        assert opened.value("document.title") != "ran" and opened.said == [] and loopback.log()["calls"] == 0
