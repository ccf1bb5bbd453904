"""Where models are served: an address, the name of the variable that holds its key, and how hard it may be asked."""

from __future__ import annotations

import os
from dataclasses import dataclass

from .errors import InputError


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
