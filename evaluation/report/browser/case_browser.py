"""The case browser as parts of the page: its HTML with the data, its script, its style."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from ....pages.blocks import json_in_html
from ....pages.templates import template
from ...matches.case_table import CaseTable
from .data import case_data

_HERE = Path(__file__).parent
_SCRIPTS = ("cases.js", "filters.js", "drawing.js", "browser.js")


class CaseBrowser(NamedTuple):
    """html : the section, with the data that the script reads. script, style : to be joined to those of the page."""

    html: str
    script: str
    style: str


def case_browser(table: CaseTable | None) -> CaseBrowser:
    """Of the cases of a report; three empty texts where there is no case with a right answer."""
    if table is None:
        return CaseBrowser("", "", "")
    data = case_data(table)
    html = template("browser.html.j2", _HERE).render(
        data=Markup(json_in_html(data)),
        shown=len(data["cases"]),
        total=data["total"],
        k=table.k,
        final=table.lists.has_final,
        judged="" if not table.judged else "shown" if data["judged"] else "too many",
    )
    script = "\n".join((_HERE / name).read_text("utf-8") for name in _SCRIPTS)
    return CaseBrowser(html, f"(() => {{\n{script}}})();\n", (_HERE / "browser.css").read_text("utf-8"))
