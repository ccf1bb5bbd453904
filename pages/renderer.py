"""Altair says what a chart is; vl-convert holds Vega and draws, without asking the network for anything."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

_SCRIPT = Path(__file__).with_name("show.js")
_NOTHING_FROM_OUTSIDE = ["http://127.0.0.1:9/"]
_SCALE = 2
_NOT_IN_XML = re.compile(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def image_of(spec: dict[str, Any], kind: str) -> bytes:
    """The chart as "svg" or "png" (two pixels for each of its units)."""
    import vl_convert

    spec = _in_xml(spec)  # vl-convert ends the process where a text holds a zero
    options: dict[str, Any] = {"vl_version": _version(), "allowed_base_urls": _NOTHING_FROM_OUTSIDE}
    if kind == "svg":
        return vl_convert.vegalite_to_svg(spec, **options).encode()
    return vl_convert.vegalite_to_png(spec, scale=_SCALE, **options)


def _version() -> str:
    """Of Vega-Lite, as Altair writes it."""
    import altair

    return "v" + ".".join(altair.SCHEMA_VERSION.removeprefix("v").split(".")[:2])


def _in_xml(value: Any) -> Any:
    """The same with U+FFFD for each character that no SVG can hold."""
    if isinstance(value, str):
        return _NOT_IN_XML.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_in_xml(key): _in_xml(one) for key, one in value.items()}
    return [_in_xml(one) for one in value] if isinstance(value, list | tuple) else value


@cache
def charts_script() -> str:
    """Vega, Vega-Lite, Vega-Embed and the few lines that draw the charts of a page: one script, all inside."""
    import vl_convert

    script = vl_convert.javascript_bundle(_SCRIPT.read_text("utf-8"), vl_version=_version())
    # the end of a script inside a string of the script would end it for the page
    return script.replace("</script", "<\\/script").replace("<!--", "<\\!--")
