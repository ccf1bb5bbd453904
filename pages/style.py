"""The colours of the report, in the page (as variables that follow light, dark and paper) and in files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

# Told apart by people with any common colour blindness; at least 3:1 against their background.
LIGHT = {
    "ink": "#1b2430", "soft": "#566272", "line": "#dde2e8", "page": "#fbfbf9", "card": "#ffffff", "panel": "#6b7684",
    "s0": "#0067ad", "s1": "#c84e00", "s2": "#00805d", "s3": "#a3417b", "s4": "#806600", "s5": "#5a4fb5",
    "s6": "#2f8fc4", "s7": "#8c5a3c",
}  # fmt: skip
DARK = {
    "ink": "#e7eaee", "soft": "#a0abb9", "line": "#343d49", "page": "#12161b", "card": "#191f27", "panel": "#97a3b2",
    "s0": "#5cb3f0", "s1": "#f58f4e", "s2": "#35c49b", "s3": "#e08bc0", "s4": "#d9bc3c", "s5": "#aea2ff",
    "s6": "#9bd5f5", "s7": "#d3a184",
}  # fmt: skip
COLOURS = 8
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross", "triangle-down", "triangle-right", "triangle-left")


@dataclass(frozen=True)
class Style:
    """What a chart is drawn with.

    ink, soft, line, panel, card, series : colours as SVG takes them; `panel` is for experts, `series` for algorithms,
        `card` what the charts stand on.
    background : "transparent" lets the page show through. width : pixels, or "container" for the width of what holds it.
    titled : whether the chart says itself what it is called.
    """

    ink: str
    soft: str
    line: str
    panel: str
    card: str
    series: tuple[str, ...]
    background: str
    width: int | str
    titled: bool


def _style(colour: dict[str, str], **more: Any) -> Style:
    named = {name: colour[name] for name in ("ink", "soft", "line", "panel", "card")}
    return Style(**named, series=tuple(colour[f"s{i}"] for i in range(COLOURS)), **more)


PAGE = _style({name: f"var(--{name})" for name in LIGHT}, background="transparent", width="container", titled=False)
FILE = _style(LIGHT, background="#ffffff", width=640, titled=True)


def css_variables() -> str:
    """`:root` rules that give every colour of `PAGE` its value: on paper always the light one."""
    light, dark = (";".join(f"--{name}:{value}" for name, value in colours.items()) for colours in (LIGHT, DARK))
    return f":root{{{light}}}\n@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}\n"
