"""The pictures of docs/, drawn from the bundled example: every chart, and the head of a report.

python -m dxmatch.tests.docs.pictures      # writes docs/pictures/ and docs/gallery.md: make pictures
"""

from __future__ import annotations

import contextlib
import io
import re
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from PIL import Image

import dxmatch
from dxmatch import MatchFunction, audit, evaluate, explain, load, train
from dxmatch.evaluation.report.contents import document_of
from dxmatch.evaluation.report.page import figures_of
from dxmatch.pages.figure import Figure
from dxmatch.pages.files import image

from ..chromium import CHROMIUM, tab
from .blocks import DOCS, ROOT

EXAMPLE = ROOT / "example"
PICTURES = DOCS / "pictures"
GALLERY, REPORT = DOCS / "gallery.md", DOCS / "pictures" / "report.png"
_NUMBERS = re.compile(r"(_\d+)+$")
"""Of charts that are drawn alike, of one metric or column after the other."""
SEVERITIES = ("mild", "moderate", "severe", "critical", "rare")

_TOP = """# Gallery

Every kind of chart that dxmatch draws, from the bundled example, each with the command that draws it. In a report (`-o report.html`) all stand on one page, follow light and dark, and have their figures in a table below;
`--charts FOLDER` (in Python `save_charts(folder)`) writes each as PNG and SVG. The example is made up: its figures say nothing of any model.

This page and its pictures are made by `make pictures`.
"""


class Part(NamedTuple):
    """One section of the gallery. command : what draws its charts."""

    title: str
    command: str
    figures: list[Figure]
    words: str = ""
    not_run: str = ""


def of_page(*arguments: Any, **options: Any) -> list[Figure]:
    return figures_of(document_of(evaluate(*arguments, **options), drawn=True))


def of_weights(m: MatchFunction) -> list[Figure]:
    """The example says of no disease how severe it is: drawn at random, with a fixed seed."""
    lists = pd.read_csv(EXAMPLE / "lists.csv")
    rng = np.random.default_rng(0)
    lists["severity"] = rng.choice(SEVERITIES, len(lists))
    per_case = dict(zip(names := lists["case_id"].unique(), rng.choice(SEVERITIES, len(names)), strict=True))
    lists["reference_severity"] = lists["case_id"].map(per_case)
    return of_page(lists, matcher=m, metrics="weighted", graded=dxmatch.Graded(relation="model"))


def of_audit() -> list[Figure]:
    pairs = pd.read_csv(EXAMPLE / "pairs.csv")
    seen = pairs["a"].map(len) % 4 != 0
    return figures_of(audit(train(pairs[seen]), pairs[~seen]).document(drawn=True))


def parts() -> Iterator[Part]:
    m, models, right, lists = load(), EXAMPLE / "models", EXAMPLE / "right_answers.csv", EXAMPLE / "lists.csv"
    yield Part(
        "Models against the right answers",
        "dxmatch evaluate example/models --references example/right_answers.csv --by specialty -o report.html",
        of_page(models, matcher=m, references=right, by="specialty", k={"hierarchical": 5}),
    )
    yield Part(
        "An algorithm against a panel", "dxmatch evaluate example/lists.csv -o report.html",
        of_page(lists, matcher=m, metrics="relative", k=3),
    )  # fmt: skip
    yield Part(
        "Semantic and severity scores",
        "dxmatch evaluate example/lists.csv --graded.relation model --graded.severity here:llama3.1:8b --endpoints my.toml -o report.html",
        of_weights(m),
        "The relation of each diagnosis to the right one is M's. How severe a disease is the example does not say: here it is drawn at random.",
    )
    yield Part(
        "What a model relies on, and where it errs", "dxmatch audit held_out.csv --matcher my-model -o audit", of_audit(),
        "Of a model that was trained on three quarters of the example's pairs, on the rest of them.", "the page on training does",
    )  # fmt: skip
    why = explain(m, "heart attack", "acute coronary syndrome")
    yield Part(
        "Why two diagnoses match", 'dxmatch explain "heart attack" "acute coronary syndrome" -o why.svg',
        figures_of(why.document(drawn=True)),
    )  # fmt: skip


def write_gallery() -> None:
    for old in {*PICTURES.glob("*.png")} - {REPORT}:
        old.unlink()
    lines, drawn = [_TOP], dict[str, str]()
    for part in parts():
        lines += [f"## {part.title}", "", *([part.words, ""] if part.words else [])]
        if part.not_run:
            lines += [f"<!-- not run: {part.not_run} -->"]
        lines += ["```sh", part.command, "```", ""]
        kinds = {_NUMBERS.sub("", figure.name): figure for figure in reversed(part.figures)}
        for figure in reversed(kinds.values()):
            if figure.title in drawn.values():
                continue
            name = f"{figure.name}_{len(drawn)}" if figure.name in drawn else figure.name
            drawn[name] = figure.title
            (PICTURES / f"{name}.png").write_bytes(_small(image(figure, "png")))
            lines += [
                f"### {figure.title}",
                "",
                f"![{_alt(figure)}](pictures/{name}.png)",
                "",
                *([figure.note, ""] if figure.note and figure.note not in lines else []),
            ]
    GALLERY.write_text("\n".join(lines).rstrip() + "\n", "utf-8")


def _small(png: bytes) -> bytes:
    """Half again as wide as it is shown, of colours by their coverage, so that those of a small mark stay."""
    drawn = Image.open(io.BytesIO(png)).convert("RGB")
    drawn = drawn.resize((drawn.width * 3 // 4, drawn.height * 3 // 4), Image.Resampling.LANCZOS)
    (packed := io.BytesIO()).name = "of.png"
    drawn.quantize(128, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE).save(packed, optimize=True)
    return packed.getvalue()


def _alt(figure: Figure) -> str:
    return textwrap.shorten(figure.title.replace("[", "(").replace("]", ")"), 120)


def take_report(path: Path) -> None:
    """The head of the report on the bundled example, as a browser shows it."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        with contextlib.chdir(ROOT):  # so that no machine's folders are on the page
            evaluate("example/models", references="example/right_answers.csv", by="specialty").save(page)
        with tab(Path(folder) / "profile", 920, 1080) as opened:
            opened.open(page.as_uri())
            opened.wait(500)
            opened.picture(path)


if __name__ == "__main__":
    PICTURES.mkdir(exist_ok=True)
    write_gallery()
    if CHROMIUM is None:
        raise SystemExit("no Chromium to take the picture of the report with")
    take_report(REPORT)
