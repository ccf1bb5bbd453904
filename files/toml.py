"""TOML, read with the errors that a user can mend."""

from __future__ import annotations

import tomllib
from typing import Any, Protocol

from ..errors import InputError


class _Readable(Protocol):
    def read_text(self, encoding: str) -> str: ...


def read_toml(file: _Readable, source: str) -> dict[str, Any]:
    """A TOML file, parsed. `source` names it in errors.

    Errors: `InputError` for a file that cannot be read, is not UTF-8 or not TOML.
    """
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except UnicodeDecodeError:
        raise InputError("text that is not UTF-8", source=source) from None
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror or error})", source=source) from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"not TOML ({error})", source=source) from None
