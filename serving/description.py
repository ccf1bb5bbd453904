"""The API in OpenAPI's words, from its own messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import msgspec

from .messages import Message, Problem

_REFUSALS = {
    "400": "what came is no JSON", "403": "a page of another origin", "413": "too large", "415": "not sent as JSON",
    "421": "an unknown name of the server", "422": "JSON that cannot be right, or a diagnosis that is not understood",
}  # fmt: skip


@dataclass(frozen=True)
class Operation:
    """One address. takes : the message that is posted. gives : the message that comes back. answer : makes the one of the other."""

    method: str
    path: str
    summary: str
    takes: Message | None
    gives: Message
    answer: Callable[[Any], Any]
    example: dict[str, Any] | None = None


def described(operations: Sequence[Operation]) -> dict[str, Any]:
    """The OpenAPI 3.1 document."""
    types = [kind for each in operations for kind in (each.takes, each.gives) if kind is not None]
    _, components = msgspec.json.schema_components([*types, Problem], ref_template="#/components/schemas/{name}")
    paths: dict[str, Any] = {}
    for each in operations:
        entry: dict[str, Any] = {"summary": each.summary, "responses": {"200": _of(each.gives, "the answer")}}
        if each.takes is not None:
            body = _of(each.takes, "")["content"]
            body["application/json"]["example"] = each.example
            entry["requestBody"] = {"required": True, "content": body}
            entry["responses"] |= {status: _of(Problem, why) for status, why in _REFUSALS.items()}
        paths.setdefault(each.path, {})[each.method.lower()] = entry
    return {
        "openapi": "3.1.0",
        "info": {"title": "dxmatch", "version": metadata.version("dxmatch"), "description": "Do two free-text diagnoses name the same disease?"},
        "paths": paths,
        "components": {"schemas": components},
    }  # fmt: skip


def _of(kind: Message, why: str) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"description": why, "content": {"application/json": {"schema": schema}}}
