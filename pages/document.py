"""A whole HTML document: nothing is fetched, no script runs but its own; light, dark and on paper."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from .style import css_variables
from .templates import template

_CSS = Path(__file__).with_name("page.css")
_MANNERS = Path(__file__).with_name("page.js")


class Part(NamedTuple):
    """A part of a page: HTML under a title. folded : whether it opens when asked to."""

    name: str
    title: str
    html: str
    folded: bool = False


def manners() -> str:
    """The script of a page without charts: a folded part opens where a link leads to it, a wide table says that it is."""
    return _MANNERS.read_text("utf-8")


def base_style() -> str:
    """The style of every page."""
    return css_variables() + _CSS.read_text("utf-8")


def document(
    title: str,
    opening: str,
    answer: Sequence[Sequence[str]],
    parts: Sequence[Part],
    footer: str,
    *,
    warnings: Sequence[str] = (),
    script: str = "",
    style: str = "",
) -> str:
    """Draws the page. All texts are escaped, but for the HTML of the parts.

    opening : the line above the title. answer : cards of sentences. parts : in order; those without HTML are left out. footer : the last
    line. warnings : what must be known before the answer. script : the one that may run. style : what goes behind that of all pages.
    """
    whole = base_style() + style
    page = template("document.html.j2").render(
        title=title,
        eyebrow=opening,
        answers=answer,
        parts=[part for part in parts if part.html],
        warnings=warnings,
        footer=footer,
        style=Markup(whole),
        script=Markup(script),
        policy={"style": _digest(whole), "script": _digest(script) if script else "none"},
    )
    return page + "\n"


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
