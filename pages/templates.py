"""Jinja templates beside the code that fills them. Every text is escaped; HTML goes in as `Markup` alone."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

_HERE = Path(__file__).parent


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
