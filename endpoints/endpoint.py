"""Where models are served: an address, the name of the variable that holds its key, and how hard it may be asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct
from msgspec.structs import replace

from ..errors import InputError
from ..files.toml import table_as, tables_of

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

    @classmethod
    def from_table(cls, name: str, table: Any, source: str) -> Endpoint:
        """`[endpoint.NAME]` of a TOML file. Raises `InputError`, which never quotes what may be a secret."""
        endpoint = table_as(cls, table, source, f"endpoint {name}", name=name)
        return replace(endpoint, url=endpoint.url.rstrip("/"))

    def key(self) -> str:
        """The key, read at each call and kept nowhere; "" where none is needed. Raises `InputError` where it is not set."""
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
    """The `[endpoint.NAME]` tables of a parsed TOML file. Raises `InputError`."""
    tables = tables_of(parsed, "endpoint", source)
    return {name: Endpoint.from_table(name, table, source) for name, table in tables.items()}
