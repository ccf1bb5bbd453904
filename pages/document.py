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
    eyebrow: str,
    answers: Sequence[Sequence[str]],
    parts: Sequence[tuple[str, str, str] | Part],
    footer: str,
    script: str = "",
    style: str = "",
    skip: str = "Skip to the report",
    *,
    warnings: Sequence[str] = (),
) -> str:
    """The page. All texts are escaped, but for the HTML of the parts.

    Parameters
    ----------
    title : str
        Of the page, its only h1.
    eyebrow : str
        The line above it.
    answers : sequence of sequences of str
        Cards of sentences: what was found.
    parts : sequence of (id, title, HTML) or Part
        The sections, in order; those without HTML are left out.
    footer : str
        The last line.
    script : str
        The one script that may run.
    style : str
        What goes behind the style of all pages.
    skip : str
        Of the link for those who read by keyboard.
    warnings : sequence of str
        What must be known before the answer.
    """
    whole = base_style() + style
    page = template("document.html.j2").render(
        title=title,
        eyebrow=eyebrow,
        answers=answers,
        parts=[part for part in (given if isinstance(given, Part) else Part(*given) for given in parts) if part.html],
        warnings=warnings,
        footer=footer,
        style=Markup(whole),
        script=Markup(script),
        skip=skip,
        policy={"style": _digest(whole), "script": _digest(script) if script else "none"},
    )
    return page + "\n"


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
