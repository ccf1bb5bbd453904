"""The two pages, their style and their script: all from this server, nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..pages.document import base_style
from ..pages.templates import template
from .messages import MAX_BODY, MOST_CANDIDATES, MOST_PAIRS, MOST_TERMS, MOST_TEXTS

if TYPE_CHECKING:
    from ..matcher.match_function import MatchFunction
    from .labels import LabelFile

_HERE = Path(__file__).parent
_LIMITS = {
    "terms": MOST_TERMS,
    "pairs": MOST_PAIRS,
    "texts": MOST_TEXTS,
    "candidates": MOST_CANDIDATES,
    "bytes": MAX_BODY,
}


def page(m: MatchFunction, kept: LabelFile | None) -> str:
    labels = None if kept is None else {"file": kept.path.name, "column": kept.column}
    return template("page.html.j2", _HERE).render(model=m.identity, policy=m.policy, labels=labels, limits=_LIMITS)


def docs_page(description: Mapping[str, Any]) -> str:
    """The addresses of the API, what they take and give, and an example of each, from its OpenAPI document."""
    schemas = description["components"]["schemas"]
    shown = []
    for path, methods in description["paths"].items():
        for method, entry in methods.items():
            body = entry.get("requestBody", {}).get("content", {}).get("application/json")
            answer = entry["responses"]["200"]["content"]["application/json"]
            shown.append(
                {
                    "path": path, "method": method.upper(), "summary": entry["summary"], "gives": _fields(answer, schemas),
                    "takes": body and _fields(body, schemas), "example": body and json.dumps(body["example"]),
                }
            )  # fmt: skip
    used = json.dumps(description["paths"])
    inner = {name: _message(schema) for name, schema in schemas.items() if f'schemas/{name}"' not in used}
    return template("docs.html.j2", _HERE).render(
        operations=shown, inner=inner, info=description["info"], limits=_LIMITS
    )


def _fields(content: Mapping[str, Any], schemas: Mapping[str, Any]) -> dict[str, Any]:
    return _message(schemas[content["schema"]["$ref"].rpartition("/")[2]])


def _message(schema: Mapping[str, Any]) -> dict[str, Any]:
    """What a message is, and its fields with their types in words."""
    fields = [(name, _kind(field), name in schema.get("required", ())) for name, field in schema["properties"].items()]
    return {"meaning": schema.get("description", ""), "fields": fields}


def _kind(field: Mapping[str, Any]) -> str:
    """`string or null`, `list of Link`."""
    if "anyOf" in field:
        return " or ".join(map(_kind, field["anyOf"]))
    if "$ref" in field:
        return field["$ref"].rpartition("/")[2]
    if "enum" in field:
        return " or ".join("null" if value is None else str(value) for value in field["enum"])
    if "const" in field:
        return str(field["const"])
    if field.get("type") == "array":
        return f"list of {_kind(field['items'])}" if field.get("items") else "list"
    return str(field.get("type", "any"))


def style() -> str:
    return base_style() + (_HERE / "style.css").read_text("utf-8")


def script() -> str:
    return (_HERE / "script.js").read_text("utf-8")
