"""An explanation that draws itself: a picture, or a page to read."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from markupsafe import Markup

from ..errors import DxmatchError, InputError, OptionError
from ..files.atomic import whole_file
from ..pages.blocks import figure, how_made, script_chart
from ..pages.document import document
from ..pages.facts import facts
from ..pages.figure import Figure, spec_of
from ..pages.files import image
from ..pages.renderer import Renderer
from ..pages.style import PAGE
from ..settings import cells_hidden
from .charts.waterfall import waterfall
from .results.decision import Decision

SUFFIXES = (".svg", ".png", ".html")


@dataclass(frozen=True)
class Explanation(Decision):
    """What `explain` returns."""

    @property
    def figure(self) -> Figure:
        """The waterfall: from the start to the score, feature by feature. Errors: `InputError` for identical names."""
        if self.base is None or self.raw is None:
            raise InputError(
                "the two are equal after normalisation, so no tree was asked and there is nothing to draw",
                allowed="two names that differ; a page (.html) says it in words",
                got=self.names[0],
            )
        return waterfall(self, self.base, self.raw)

    def _repr_html_(self) -> str:
        """For a notebook: the verdict and the words, with the waterfall; nothing but the verdict where cells are hidden."""
        if cells_hidden():
            return facts(self.verdict, [])
        drawn = Markup("") if self.identical else Markup(image(self.figure, "svg").decode())
        return facts(self.verdict, [], [line for line in self.words if line != self.verdict]) + drawn

    def save(self, path: str | os.PathLike[str]) -> Path:
        """The picture as .svg or .png, or a page to read as .html; whole or not at all.

        Errors: `OptionError` for another suffix.
        """
        target = Path(path)
        kind = check_picture_path(target).removeprefix(".")
        content = _page(self).encode() if kind == "html" else image(self.figure, kind)
        with whole_file(target) as temporary:
            temporary.write_bytes(content)
        return target


def check_picture_path(path: str | os.PathLike[str]) -> str:
    """The suffix of a picture, checked before any work begins."""
    target = Path(path)
    if target.suffix.lower() not in SUFFIXES:
        raise OptionError("path", f"a file that ends in {', '.join(SUFFIXES)}", str(path))
    if not target.parent.is_dir():
        raise DxmatchError(f"{target.parent}: no such folder (for {target.name}).")
    return target.suffix.lower()


def _page(explanation: Explanation) -> str:
    """A whole HTML document. Every text is escaped."""
    chart, script = "", ""
    if not explanation.identical:
        drawn = explanation.figure
        chart = f'<div class="figures">{figure(drawn, script_chart(drawn, spec_of(drawn, PAGE)))}</div>'
        script = Renderer().script()
    lines = [
        ("First", f"{explanation.a}, compared as {explanation.names[0]}"),
        ("Second", f"{explanation.b}, compared as {explanation.names[1]}"),
        ("Shared", ", ".join(explanation.shared) or "no word"),
        ("Only in the first", ", ".join(explanation.only_a) or "no word"),
        ("Only in the second", ", ".join(explanation.only_b) or "no word"),
    ]
    if explanation.opposed:
        lines.append(("Exclude each other", "; ".join(f"{one}, {other}" for one, other in explanation.opposed)))
    if explanation.reason:
        lines.append(("Decisive" if explanation.excluded else "Known", explanation.reason))
    lines += [
        ("Nearest name", f"{link.name}: {link.disease} ({link.source}), cosine {link.certainty:.2f}")
        for link in explanation.links
    ]
    if explanation.relations:
        lines.append(("Relation", ", ".join(f"{name} {p:.2f}" for name, p in explanation.relations.items())))
    return document(
        f"{explanation.a} and {explanation.b}: {'a match' if explanation.match else 'no match'}",
        explanation.model,
        explanation.answers,
        [("why", "Feature by feature", chart), ("words", "Word by word", how_made(lines, [], []))],
        "Made by dxmatch.",
        script,
        skip="Skip to the explanation",
    )
