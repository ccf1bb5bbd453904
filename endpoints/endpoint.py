"""Where models are served and what they cost, as a TOML file says: an address, the variable that holds its key, how hard it may be asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from ..errors import InputError
from ..files.toml import read_toml, table_as, tables_of

_URL = Meta(
    pattern=r"\Ahttps?://([^\s/?#@:\[\]]+|\[[0-9a-fA-F:.]+\])(:[1-6]?[0-9]{1,4})?(/[^\s?#]*)?\Z",
    description='"http://host:port/v1" without name, password or query',
    extra={"secret": True},
)
_VARIABLE = Meta(
    pattern=r"\A[A-Za-z_][A-Za-z0-9_]{0,63}\Z",
    description="the name of an environment variable, never the key itself",
    extra={"secret": True},
)
Count = Annotated[int, Meta(ge=1, description="a whole number from 1")]
Cost = Annotated[float, Meta(ge=0, le=1e12, description="the cost of a million tokens, from 0")]
Amount = Annotated[float, Meta(ge=0.001, le=1e9, description="a number above 0")]


class Endpoint(Struct, frozen=True):
    """An OpenAI-compatible server, as a feature set declares it under `[endpoint.NAME]`.

    Parameters
    ----------
    url : the base, "http://localhost:8000/v1". It never holds a name or password.
    key_env : the environment variable with the key; None for a server that asks for none.
    concurrency : calls under way at once.
    timeout : seconds for one call, all of it.
    tries : of one call, the first included.
    per_minute : the most calls begun in a minute; None for no limit.
    proxy : "http://host:port"; only this one is used, never one of the environment.
    """

    name: str
    url: Annotated[str, _URL]
    key_env: Annotated[str, _VARIABLE] | None = None
    concurrency: Count = 16
    timeout: Amount = 60.0
    tries: Count = 6
    per_minute: Amount | None = None
    proxy: Annotated[str, _URL] | None = None

    def key(self) -> str:
        """The key, read at each call and kept nowhere; "" where none is needed. Raises `InputError` where it is not set."""
        if self.key_env is None:
            return ""
        if not (key := os.environ.get(self.key_env, "").strip()):
            raise InputError(
                f"the endpoint {self.name!r} takes its key from the environment variable {self.key_env}, which is not set",
                allowed=f"export {self.key_env}=…",
            )
        return key


def endpoints_of(parsed: Mapping[str, Any], source: str) -> dict[str, Endpoint]:
    """The `[endpoint.NAME]` tables of a parsed TOML file. Raises `InputError`, which never quotes what may be a secret."""
    tables = tables_of(parsed, "endpoint", source).items()
    found = {name: table_as(Endpoint, table, source, f"endpoint {name}", name=name) for name, table in tables}
    return {name: replace(one, url=one.url.rstrip("/")) for name, one in found.items()}


class Price(Struct, frozen=True):
    """Of a million tokens, in any one currency: those of the prompt, and those of the completion."""

    prompt: Cost
    completion: Cost

    def of(self, prompt_tokens: float, completion_tokens: float) -> float:
        """The cost of so many tokens."""
        return (prompt_tokens * self.prompt + completion_tokens * self.completion) / 1e6


def prices_of(parsed: Mapping[str, Any], source: str) -> dict[str, Price]:
    """The `[price."MODEL"]` tables of a parsed TOML file, by model. Raises `InputError`."""
    tables = tables_of(parsed, "price", source)
    return {model: table_as(Price, table, source, f"price of {model}") for model, table in tables.items()}


def read_services(path: str | os.PathLike[str] | None) -> tuple[dict[str, Endpoint], dict[str, Price]]:
    """The endpoints of a TOML file, which may be a whole feature set, and its prices; neither without a file.

    Raises `InputError` for a file that is absent or not TOML, has no endpoint, or one that cannot be right.
    """
    parsed = {} if path is None else read_toml(Path(path), os.fspath(path))
    if not (endpoints := endpoints_of(parsed, source := str(path))) and path is not None:
        raise InputError("no endpoints", source=source, allowed='[endpoint.NAME] with url = "…"')
    return endpoints, prices_of(parsed, source)
