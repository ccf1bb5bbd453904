"""Pages whose names are attacks, in Chromium: models, cases, diagnoses, references, groups, columns and their values, files.

Reports, and the pages of `more_pages.py`. Each is opened at a case by its address, driven by keys, searched for the attack, and every
control of it is clicked. No script runs, nothing is asked for, the console stays silent; and on a control page, without escaping, the
script does run.
"""

from __future__ import annotations

import http.server
import json
import re
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import dxmatch
from dxmatch.evaluation.evaluate import evaluate
from dxmatch.evaluation.report.report import Report

from ..chromium import CHROMIUM, Tab, tab
from ..evaluation.made import By, long_form
from ..evaluation.report.test_page import attacks
from .more_pages import as_file_name, more_pages

BATCH = 51
_A_PAGE = 17
"""Attacks in one report: each is a model of it, and models are compared two by two."""
_CLICK = """(() => { let clicked = 0;
for (const one of document.querySelectorAll('summary, button, select, input, th, [role=button], [tabindex]')) {
  if (one.tagName === 'SELECT') { one.selectedIndex = one.options.length - 1; one.dispatchEvent(new Event('change', {bubbles: true})); }
  else one.click();
  one.dispatchEvent(new MouseEvent('mouseover', {bubbles: true})); clicked += 1; }
return clicked })()"""


@contextmanager
def listener() -> Iterator[tuple[str, list[str]]]:
    """An address on loopback, and what was asked for there."""
    asked: list[str] = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_error(404)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Listener) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}", asked
        server.shutdown()


def payloads(address: str) -> list[str]:
    run = f"document.title='ran';fetch('{address}/x')"
    return [*attacks(address), f'</tspan></text><script>{run}</script><text x="']


def report_of(texts: list[str], metrics: str | None = None) -> Report:
    """A report in which each text is a model, a case, a diagnosis, a reference, a group, a value of a column; the first its name."""
    cases = {
        text: {"truth": [other], **{model: [other if (i + j) % 3 else text, model] for j, model in enumerate(texts)}}
        for i, (text, other) in enumerate(zip(texts, texts[1:] + texts[:1], strict=True))
    }
    frame = long_form(cases, {"truth": "reference", **dict.fromkeys(texts, "algorithm")})
    frame[texts[0]] = frame["case_id"]
    names = {text: [text.strip()] for text in texts}  # blanks at the ends of a name are taken off
    return evaluate(
        frame,
        matcher=By(lambda a, b: len({a, b}) == 1),
        k=2,
        resampling=dxmatch.Resampling(resamples=20),
        by=texts[0],
        groups=names,
        metrics=metrics,
    )


def driven(shown: Tab, page: Path, attack: str) -> bool:
    """Whether there was a box to search in."""
    shown.open(f"{page.as_uri()}#case={quote(attack, safe='')}")
    shown.wait(300)
    shown.press("j", "j", "Enter", "k", "Enter", "n", "Escape")
    reached = shown.value(
        "(() => { const box = document.querySelector('input[type=search], .cases-tools input'); if (box) {"
        f" box.value = {json.dumps(attack)}; box.dispatchEvent(new Event('input', {{bubbles: true}})) }} return !!box }})()"
    )
    shown.wait(300)
    return bool(reached)


def run(number: int, seed: int) -> list[str]:
    """The same attacks at every seed: there are 51."""
    if CHROMIUM is None:
        raise RuntimeError("no Chromium to open pages in")
    found: list[str] = []
    with listener() as (address, asked), tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        texts = payloads(address)[:number]
        control = Path(folder, "control.html")
        control.write_text(f"<title>still</title><main>{texts[0]}</main>", "utf-8")
        with tab(Path(folder, "profile")) as shown:
            shown.open(control.as_uri())
            shown.wait(300)
            if shown.value("document.title") != "ran" or not asked:
                found.append("the script of the control page did not run: nothing is shown by this browser")
            found += latex_findings(report_of([*IN_LATEX, *texts[:4]]).to_latex())
            for start in range(0, len(texts), _A_PAGE):
                some = texts[start : start + _A_PAGE]
                place = Path(folder, str(start))
                place.mkdir()
                report = report_of(some)
                (place / "notebook.html").write_text(report._repr_html_(), "utf-8")
                page = report.save(place / f"report {as_file_name(some[-1])}.html")
                clicked = _look(shown, page, some, asked, found, searched=True)
                clicked += _look(shown, place / "notebook.html", some[:1], asked, found)
                others = list(more_pages(place, some, report))
                clicked += sum(_look(shown, other, some[:1], asked, found) for other in others)
                print(f"{len(some)} attacks, {2 + len(others)} pages, {clicked:,} controls clicked")
    return found


def _look(
    shown: Tab, page: Path, some: list[str], asked: list[str], found: list[str], *, searched: bool = False
) -> int:
    """How many controls were clicked. searched : the page has a box to search in, and controls."""
    asked.clear()
    shown.open("about:blank")
    shown.said.clear()
    title = None
    for attack in some:
        if not driven(shown, page, attack) and searched:
            found.append(f"{page.name}: no box to search in")
        if (now := shown.value("document.title")) == "ran" or asked or shown.said:
            found.append(f"{page.name}, {attack!r}: title {now!r}, asked {asked}, console {shown.said[:3]}")
            asked.clear()
            shown.said.clear()
        title = title or now
    clicked = shown.value(_CLICK)
    shown.wait(500)
    if shown.value("document.title") != title or asked or shown.said:
        found.append(f"{page.name}, {clicked} controls clicked: asked {asked}, console {shown.said[:3]}, {some!r}")
    if searched and clicked < len(some):
        found.append(f"{page.name}: only {clicked} controls")
    return int(clicked)


IN_LATEX = (
    r"\input{/etc/passwd}",
    r"\immediate\write18{id}",
    r"^^5cinput{x}",
    r"}\end{tabular}\openout1=x",
    r"\\ \hline & x",
    "a\n\n\\def\\x{y}",
)
_COMMAND = re.compile(r"\^\^|\\(?:input|include|write18|immediate|openin|openout|read|csname|catcode|def)\b")


def latex_findings(text: str) -> list[str]:
    """Commands that no table of ours holds: a name brought them in."""
    return [f"LaTeX: {found[0]} in {text[max(0, found.start() - 60) : found.end() + 60]!r}" for found in _COMMAND.finditer(text)]  # fmt: skip
