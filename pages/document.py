"""A whole HTML document: nothing is fetched, no script runs but its own; light, dark and on paper."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from html import escape
from pathlib import Path

from .style import css_variables

_CSS = Path(__file__).with_name("page.css")


def document(
    title: str,
    eyebrow: str,
    answers: Sequence[Sequence[str]],
    parts: Sequence[tuple[str, str, str]],
    footer: str,
    script: str = "",
    skip: str = "Skip to the report",
) -> str:
    """The page. All texts are escaped here, but for the HTML of the parts.

    title : of the page, its only h1. eyebrow : the line above it. answers : cards of sentences, what was found.
    parts : (id, title, HTML) of each section, in order; those without HTML are left out.
    script : the one script that may run. skip : of the link for those who read by keyboard.
    """
    parts = [(name, heading, inside) for name, heading, inside in parts if inside]
    links = "".join(f'<li><a href="#{escape(name)}">{escape(heading)}</a></li>' for name, heading, _ in parts)
    body = "\n".join(
        f'<section id="{escape(name)}" aria-labelledby="{escape(name)}-h">'
        f'<h2 id="{escape(name)}-h">{escape(heading)}</h2>\n{inside}</section>'
        for name, heading, inside in parts
    )
    return _whole(
        title,
        f'<a class="skip" href="#main">{escape(skip)}</a>\n'
        f'<header class="wide"><p class="eyebrow">{escape(eyebrow)}</p>\n<h1>{escape(title)}</h1></header>\n'
        f'<main id="main" class="wide" tabindex="-1">\n{_cards(answers)}\n'
        f'<nav aria-label="Contents"><ul>{links}</ul></nav>\n{body}\n</main>\n'
        f'<footer class="wide">{escape(footer)} This page fetches nothing.</footer>',
        script,
    )


def _cards(answers: Sequence[Sequence[str]]) -> str:
    cards = "".join(
        f'<div class="answer">{"".join(f"<p>{escape(line)}</p>" for line in lines)}</div>' for lines in answers if lines
    )
    return f'<section aria-label="The answer" class="answers">{cards}</section>'


def _whole(title: str, body: str, script: str) -> str:
    style = css_variables() + _CSS.read_text("utf-8")
    policy = (
        f"default-src 'none'; style-src '{_hash(style)}'; script-src {_quoted_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(title)}</title>\n<style>{style}</style>\n</head>\n<body>\n{body}\n"
        + (f"<script>{script}</script>\n" if script else "")
        + "</body>\n</html>\n"
    )


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _quoted_hash(script: str) -> str:
    return f"'{_hash(script)}'" if script else "'none'"
