"""Jinja templates beside the code that fills them. Every text is escaped; HTML goes in as `Markup` alone."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

_HERE = Path(__file__).parent
_NO_MARKUP = {ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"}


@cache
def template(name: str, folder: Path = _HERE) -> Template:
    """A template of `folder`; it may import those of `pages`."""
    environment = Environment(
        loader=FileSystemLoader([folder, _HERE]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template(name)


def macros(name: str, folder: Path = _HERE) -> Any:
    """The macros of a template, to be called as functions; each returns `Markup`."""
    return template(name, folder).module


def json_in_html(value: Any) -> Markup:
    """JSON that no HTML parser can take for markup."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_NO_MARKUP))
