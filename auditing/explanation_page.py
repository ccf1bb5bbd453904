"""One decision as a page to read."""

from __future__ import annotations

from ..pages.blocks import figure, how_made, script_chart
from ..pages.document import document
from ..pages.figure import Figure, spec_of
from ..pages.renderer import Renderer
from ..pages.style import PAGE
from .results.decision import Decision


def page(explanation: Decision, drawn: Figure | None) -> str:
    """A whole HTML document. Every text is escaped. drawn : the waterfall, None where the two are identical."""
    chart, script = "", ""
    if drawn is not None:
        chart, script = figure(drawn, script_chart(drawn, spec_of(drawn, PAGE))), Renderer().script()
    return document(
        f"{explanation.a} and {explanation.b}: {'a match' if explanation.match else 'no match'}",
        explanation.model,
        explanation.answers,
        [
            ("why", "Feature by feature", f'<div class="figures">{chart}</div>' if chart else ""),
            ("words", "Word by word", _wording(explanation)),
        ],
        "Made by dxmatch.",
        script,
        skip="Skip to the explanation",
    )


def _wording(explanation: Decision) -> str:
    lines = [
        ("First", f"{explanation.a}, compared as {explanation.names[0]}"),
        ("Second", f"{explanation.b}, compared as {explanation.names[1]}"),
        ("Shared", ", ".join(explanation.shared) or "no word"),
        ("Only in the first", ", ".join(explanation.only_a) or "no word"),
        ("Only in the second", ", ".join(explanation.only_b) or "no word"),
    ]
    if explanation.opposed:
        lines.append(("Exclude each other", "; ".join(f"{one}, {other}" for one, other in explanation.opposed)))
    return how_made(lines, [], [])
