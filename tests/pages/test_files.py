"""Charts as files of their own, whatever their names hold."""

from __future__ import annotations

from xml.etree import ElementTree

import altair as alt
import pytest

from dxmatch.pages.renderer import image_of


@pytest.mark.parametrize("kind", ["svg", "png"])
@pytest.mark.parametrize("name", ["gpt\0four", "\x1b[2J", "a\ufffeb", "\x08", "\ud800"])
def test_a_character_that_no_svg_can_hold_is_replaced(name: str, kind: str) -> None:
    """vl-convert 1 aborts the process on it."""
    rows = [{f"model {name}": f"x{name}", "value": 1.0}]
    chart = alt.Chart(alt.Data(values=rows), title=name).mark_bar().encode(x=f"model {name}:N".replace(".", "").replace("[", "\\["), y="value:Q")  # fmt: skip
    made = image_of(chart.to_dict(validate=False), kind)
    if kind == "svg":
        assert "\ufffd" in "".join(ElementTree.fromstring(made).itertext())
