"""The page: its structure, what it says and leaves out, its size; and that no text of the data runs in it."""

from __future__ import annotations

import base64
import hashlib
import http.server
import json
import re
import shutil
import subprocess
import threading
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.report.charts.all_figures import all_figures

VOID = {"meta", "br", "path", "line", "circle", "polyline", "img", "link", "base", "input", "hr"}
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium to open the page in")


class Reader(HTMLParser):
    """Tags that are open at the end, all tags seen with their attributes, the text, and the text of scripts by id."""

    def __init__(self, text):
        super().__init__()
        self.open, self.seen, self.text, self.scripts, self.style = [], [], [], {}, ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.seen.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open)
        self.open.pop()

    def handle_data(self, data):
        if self.open[-1:] == ["script"]:
            self.scripts[self.seen[-1][1].get("id")] = data
        elif self.open[-1:] == ["style"]:
            self.style += data
        else:
            self.text.append(data)

    def all(self, tag):
        return [attributes for name, attributes in self.seen if name == tag]

    @property
    def shown(self):
        return " ".join("".join(self.text).split())


@pytest.fixture(scope="module")
def page(full_report, tmp_path_factory):
    return full_report.save(tmp_path_factory.mktemp("page") / "r.html").read_text("utf-8")


@pytest.fixture(scope="module")
def read(page):
    return Reader(page)


ACTIVE = {"link", "img", "iframe", "object", "embed", "base", "form", "video", "input"}


def assert_inert(read):
    """Every tag is closed, one script runs, and nothing else could run or ask for something."""
    assert read.open == [] and [tag for tag, _ in read.seen].count("html") == 1
    assert [a.get("type") for a in read.all("script")].count(None) == 1
    assert not {tag for tag, _ in read.seen} & ACTIVE
    assert not [a for _, a in read.seen if {"src", "style"} & a.keys() or any(name.startswith("on") for name in a)]
    assert all(a["href"].startswith("#") for a in read.all("a"))


def test_the_page_is_whole_and_alone(read, page):
    assert_inert(read)
    assert not re.search(r"url\(|@import|https?:", read.style)
    outside = re.findall(r"https?://[^\s\"<>]+", page.replace(read.scripts[None], ""))
    assert all(address.startswith("https://vega.github.io/schema/") for address in outside), "a name, never fetched"
    assert len(page) < 2_000_000


def test_the_policy_allows_the_page_s_own_script_and_style_only(read, page):
    policy = next(a["content"] for a in read.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    (script,) = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    for text, part in ((script, "script-src"), (read.style, "style-src")):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{part} 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'") and "unsafe" not in policy
    assert "base-uri 'none'" in policy and "form-action 'none'" in policy
    before = page[: page.index("Content-Security-Policy")]
    assert "<style" not in before and "<script" not in before


def test_vega_is_embedded_once_and_every_chart_has_its_specification(read, full_report):
    specs = {name: json.loads(text) for name, text in read.scripts.items() if name not in (None, "case-data")}
    figures = all_figures(full_report)
    assert set(specs) == {f"{figure.name}-spec" for figure in figures}
    assert len(read.scripts[None]) > 500_000
    holders = [a for a in read.all("div") if "data-chart" in a]
    assert [a["data-chart"] for a in holders] == [f"{figure.name}-spec" for figure in figures]


def test_readers_of_all_kinds(read, full_report):
    """Landmarks, a language, one h1, captions, text alternatives, regions that scroll by keyboard."""
    assert read.all("html") == [{"lang": "en"}]
    assert len(read.all("h1")) == len(read.all("main")) == len(read.all("header")) == len(read.all("nav")) == 1
    assert read.all("a")[0] == {"class": "skip", "href": "#main"}
    ids = [a["id"] for _, a in read.seen if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["href"][1:] for a in read.all("a")} <= set(ids)
    assert len(read.all("caption")) == len(read.all("table"))
    for attributes in read.all("th"):
        assert attributes["scope"] in ("col", "row", "rowgroup")
    for attributes in read.all("div"):
        if attributes.get("class") == "scroll":
            assert attributes["tabindex"] == "0" and attributes["role"] == "region" and attributes["aria-label"]
        if attributes.get("class") == "chart":
            assert attributes["role"] == "img" and len(attributes["aria-label"]) > 40
    assert len(read.all("figure")) == len(read.all("figcaption")) == len(all_figures(full_report))
    levels = [int(tag[1]) for tag, _ in read.seen if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1 and all(after - before <= 1 for before, after in pairwise(levels))
    assert "prefers-color-scheme:dark" in read.style and "@media print" in read.style


def test_the_page_says_what_the_report_says(read, full_report):
    told = [
        *str(full_report).split("\n"),
        "same text",
        "from 0.500 up",
        "n k²",
        "60 resamples",
        "seed 0",
        "icd10cm",
        "numpy",
    ]
    told += [section.title for section in full_report.sections if section.rows]
    told += [note for section in full_report.sections for note in section.notes]
    told += [
        f"{row['value']:.3f}"
        for row in full_report.rows
        if row["metric"] in ("RPAD", "HDF1", "Severity") and row["k"] in (3, None) and row["value"] is not None
    ]
    told += ["Cases to look at", *(row["case_id"] for row in full_report.rows_of("relative.disagreements"))]
    told += [row["nearest"] or "" for row in full_report.rows_of("relative.disagreements")]
    assert [text for text in told if text not in read.shown] == []


def test_what_was_left_out_and_what_is_undefined_have_their_reason(panel, to_frame, hand_matcher, tmp_path):
    report = evaluate(to_frame(panel), hand_matcher, k=1, hardness=0.0, algorithms=["A"], bootstrap=0)
    shown = Reader(report.save(tmp_path / "r.html").read_text("utf-8")).shown
    assert set(report.left_out) == {"ranking", "hierarchical", "weighted", "recall"}
    for family, reason in report.left_out.items():
        assert f"{family.capitalize()}: {reason}" in shown
    assert "column" in shown[shown.index("Left out") :]
    assert "undefined1" in shown and "X and Z match in no case at k = 1" in shown


def test_many_raters_stay_under_five_megabytes(to_frame, same_text, tmp_path):
    words = [f"disease {i}" for i in range(6)]
    cases = {f"c{i}": {f"rater {r}": [words[(i * r) % 6]] for r in range(40)} for i in range(4)}
    many = evaluate(to_frame(cases), same_text, k=1, in_turn=True, bootstrap=20, metrics="relative")
    assert many.save(tmp_path / "raters.html").stat().st_size < 5_000_000


@pytest.fixture
def listener():
    """(address, what was asked for there)"""
    asked = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_response(204)
            self.end_headers()

        do_POST = do_GET

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def opened(page: Path, folder: Path) -> tuple[str, str]:
    """The page as Chromium holds it after its scripts ran, and what the browser says of it."""
    command = [
        CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
        "--disable-background-networking", "--disable-component-update", "--disable-sync", "--enable-logging=stderr",
        "--virtual-time-budget=4000", f"--user-data-dir={folder / 'profile'}", "--dump-dom", page.as_uri(),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    said = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return done.stdout, "\n".join(said)


def attacks(address: str) -> list[str]:
    """Fifty texts that would run, or ask for something, wherever a text is taken for more than a text."""
    run = f"document.title='ran';fetch('{address}/x')"
    return [
        f"<script>{run}</script>", f"</script><script>{run}</script>", f"--></script><script>{run}</script>",
        f"<!--<script>{run}", f"]]><script>{run}</script>", f"</style><script>{run}</script>",
        f"</title><script>{run}</script>", f"</textarea><script>{run}</script>", f'"><script>{run}</script>',
        f"'><script>{run}</script>", f"<SCRIPT SRC={address}/x></SCRIPT>", f"<scr\0ipt>{run}</scr\0ipt>",
        f"<img src={address}/x>", f"<img src=x onerror=\"{run}\">", f'" onmouseover="{run}" x="', f"' onfocus='{run}' autofocus x='",
        f"<svg onload=\"{run}\">", f"<svg><script>{run}</script></svg>", f"<svg><image href={address}/x /></svg>",
        f"<math><mtext></mtext><script>{run}</script></math>", f"<body onload=\"{run}\">", f"<details open ontoggle=\"{run}\">",
        f"<iframe src={address}/x></iframe>", f"<iframe srcdoc=\"<script>{run}</script>\"></iframe>",
        f"<object data={address}/x></object>", f"<embed src={address}/x>", f"<link rel=stylesheet href={address}/x>",
        f"<style>@import url({address}/x);</style>", f"<style>*{{background:url({address}/x)}}</style>",
        f"</style><style>body{{background:url({address}/x)}}", f"<base href={address}/>", f"<meta http-equiv=refresh content=\"0;url={address}/x\">",
        f"<a href=\"javascript:{run}\" id=main>x</a>", f"javascript:{run}", f"<form action={address}/x><input autofocus onfocus=\"{run}\">",
        f"<video src={address}/x autoplay onerror=\"{run}\">", f"<input type=image src={address}/x>", f"<table background={address}/x>",
        f"&lt;script&gt;{run}&lt;/script&gt;", f"\\u003cscript\\u003e{run}\\u003c/script\\u003e", f"\u2028{run}\u2029a", f"`${{{run}}}`a",
        f'{{"signal": "{run}"}}', f'{{"expr": "{run}"}}', "datum.x", "datum['value'] + width", f"toString.constructor(\"{run}\")()",
        f"{{{{constructor.constructor(\"{run}\")()}}}}", f'{{"url": "{address}/x"}}', f'"; {run}; var a="',
    ]  # fmt: skip


@pytest.fixture
def attacked(everything, same_text, listener):
    """A report whose cases, raters and diagnoses are attacks, and what was asked for at their address."""
    address, asked = listener
    texts = attacks(address)
    assert len(texts) == len(set(texts)) == 50
    names = [f"c{case:02}" for case in range(39)] + list("XYAZB")
    names += ["pneumonia", "pulmonary embolism", "asthma", "gout", "sepsis"]
    rename = dict(zip(names, texts[1:], strict=True))
    frame = everything(39, rename).assign(source=texts[0])
    report = evaluate(frame, same_text, k=3, bootstrap=20)
    report = replace(
        report, question=texts[0], notes=[*report.notes, *texts], made_with=report.made_with | {"source": texts[0]}
    )
    return report, texts, asked


def test_markup_stays_text(attacked, tmp_path):
    report, texts, _ = attacked
    read = Reader(report.save(tmp_path / "r.html").read_text("utf-8"))
    assert_inert(read)
    shown = "".join(read.text)
    for attack in texts:
        assert attack.replace("\0", "\ufffd") in shown or attack in shown


@browser
def test_nothing_runs_and_nothing_is_asked_for(attacked, tmp_path):
    """In a browser: all charts are drawn, the title stays, no request leaves, the policy has nothing to refuse."""
    report, _, asked = attacked
    page = report.save(tmp_path / "r.html")
    held, said = opened(page, tmp_path)
    assert len(re.findall(r'class="vega-embed [^"]*drawn"', held)) == len(all_figures(report)) == 16
    assert held.count("<svg") > 14 and "could not be drawn" not in held.split("</main>")[0]
    assert "<title>ran</title>" not in held
    assert asked == [] and said == ""


@browser
def test_the_policy_stops_what_would_slip_through(full_report, listener, tmp_path):
    """Were a text not escaped, the policy would still stop it; without the policy the same text does run."""
    address, asked = listener
    page = full_report.save(tmp_path / "r.html")
    text = page.read_text("utf-8")
    slipped = f"<script>document.title='ran';fetch('{address}/script')</script><img src='{address}/image'>"
    holed = text.replace('<main id="main"', f'{slipped}<main id="main"')
    assert holed != text
    page.write_text(holed, "utf-8")
    held, said = opened(page, tmp_path)
    assert asked == [] and "<title>ran</title>" not in held and "Content Security Policy" in said
    assert len(re.findall(r'class="vega-embed [^"]*drawn"', held)) == 16
    page.write_text(re.sub(r"<meta http-equiv=.*?>\n", "", holed), "utf-8")
    held, _ = opened(page, tmp_path)
    assert "<title>ran</title>" in held and "/image" in asked
