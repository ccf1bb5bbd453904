"""Where models are served: an address, the name of the variable that holds its key, and how hard it may be asked."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ..errors import InputError
from ..files.did_you_mean import check_keys
from ..files.toml import read_toml

_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible server, as a feature set declares it under `[endpoint.NAME]`.

    url : the base, "http://localhost:8000/v1". It never holds a name or password.
    key_env : the environment variable with the key; None for a server that asks for none.
    concurrency : calls under way at once. timeout : seconds for one call, all of it.
    tries : of one call, the first included. per_minute : the most calls begun in a minute; None for no limit.
    proxy : "http://host:port"; only this one is used, never one of the environment.
    """

    name: str
    url: str
    key_env: str | None = None
    concurrency: int = 16
    timeout: float = 60.0
    tries: int = 6
    per_minute: float | None = None
    proxy: str | None = None

    @classmethod
    def from_table(cls, name: str, table: Any, source: str) -> Endpoint:
        """`[endpoint.NAME]` of a TOML file. Errors: `InputError`; what may be a secret is never quoted in it."""
        place = f"endpoint {name}"
        if not isinstance(table, Mapping):
            raise InputError(f"{place}: not a table", source=source, allowed=f'[endpoint.{name}] with url = "…"')
        check_keys(table, [f.name for f in fields(cls) if f.name != "name"], source, place)
        for key, right, allowed in (
            ("url", _is_url, '"http://host:port/v1" without name, password or query'),
            ("proxy", _is_url, '"http://host:port" without name, password or query'),
            ("key_env", _is_variable, "the name of an environment variable, never the key itself"),
        ):
            if (key in table or key == "url") and not right(table.get(key)):
                raise InputError(f"{place}: no usable {key!r}", source=source, allowed=f"{key} = {allowed}")
        for key, lowest, kinds in (
            ("concurrency", 1, int),
            ("tries", 1, int),
            ("timeout", 0.001, (int, float)),
            ("per_minute", 0.001, (int, float)),
        ):
            value = table.get(key, lowest)
            if isinstance(value, bool) or not isinstance(value, kinds) or not lowest <= value < float("inf"):
                allowed = "a whole number from 1" if kinds is int else "a number above 0"
                raise InputError(f"{place}: no usable {key!r}", source=source, allowed=allowed, got=value)
        return cls(name, **{**table, "url": table["url"].rstrip("/")})

    def key(self) -> str:
        """The key, read at each call and kept nowhere; "" where none is needed.

        Errors: `InputError` naming the variable where it is not set.
        """
        if self.key_env is None:
            return ""
        key = os.environ.get(self.key_env, "").strip()
        if not key:
            raise InputError(
                f"the endpoint {self.name!r} takes its key from the environment variable {self.key_env}, which is not set",
                allowed=f"export {self.key_env}=…",
            )
        return key


def endpoints_of(parsed: Mapping[str, Any], source: str) -> dict[str, Endpoint]:
    """The `[endpoint.NAME]` tables of a parsed TOML file. Errors: `InputError`."""
    tables = parsed.get("endpoint", {})
    if not isinstance(tables, Mapping):
        raise InputError("'endpoint' is no table of endpoints", source=source, allowed='[endpoint.NAME] with url = "…"')
    return {name: Endpoint.from_table(name, table, source) for name, table in tables.items()}


def required_endpoints(parsed: Mapping[str, Any], source: str) -> dict[str, Endpoint]:
    """`endpoints_of`, with at least one. Errors: `InputError`."""
    if not (endpoints := endpoints_of(parsed, source)):
        raise InputError("no endpoints", source=source, allowed='[endpoint.NAME] with url = "…"')
    return endpoints


def read_endpoints(path: str | os.PathLike[str]) -> dict[str, Endpoint]:
    """The endpoints of a TOML file, which may be a whole feature set. Errors: `InputError`, also where it has none."""
    return required_endpoints(read_toml(Path(path), os.fspath(path)), os.fspath(path))


def _is_url(value: Any) -> bool:
    try:
        parts = urlsplit(value)
        _ = parts.port
    except (ValueError, TypeError, AttributeError):
        return False
    return (
        isinstance(value, str)
        and parts.scheme in ("http", "https")
        and bool(parts.hostname)
        and not (parts.username or parts.password or parts.query or parts.fragment or "@" in parts.netloc)
    )


def _is_variable(value: Any) -> bool:
    return isinstance(value, str) and _VARIABLE.fullmatch(value) is not None
