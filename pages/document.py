"""A whole HTML document: nothing is fetched, no script runs but its own; light, dark and on paper."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from .style import css_variables
from .templates import template

_CSS = Path(__file__).with_name("page.css")


def document(
    title: str,
    eyebrow: str,
    answers: Sequence[Sequence[str]],
    parts: Sequence[tuple[str, str, str]],
    footer: str,
    script: str = "",
    style: str = "",
    skip: str = "Skip to the report",
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
    parts : sequence of (id, title, HTML)
        The sections, in order; those without HTML are left out.
    footer : str
        The last line.
    script : str
        The one script that may run.
    style : str
        What goes behind the style of all pages.
    skip : str
        Of the link for those who read by keyboard.
    """
    whole = css_variables() + _CSS.read_text("utf-8") + style
    page = template("document.html.j2").render(
        title=title,
        eyebrow=eyebrow,
        answers=answers,
        parts=[(name, heading, Markup(inside)) for name, heading, inside in parts if inside],
        footer=footer,
        style=Markup(whole),
        script=Markup(script),
        skip=skip,
        policy={"style": _digest(whole), "script": _digest(script) if script else "none"},
    )
    return page + "\n"


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
