"""TOML, read and checked against declared tables, with the errors that a user can mend."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from typing import Any, TypeVar, cast

import msgspec
from msgspec import inspect

from ..errors import InputError
from .wording import hint

T = TypeVar("T")

_FIELD = re.compile(r"(?:field `|\$\.)(\w+)")


def read_toml(file: Any, source: str) -> dict[str, Any]:
    """A TOML file, parsed.

    Parameters
    ----------
    file : a path, or a file of the package.
    source : its name in errors.

    Raises
    ------
    InputError
        The file cannot be read, is not UTF-8 or not TOML.
    """
    try:
        return tomllib.loads(file.read_text("utf-8"))
    except OSError as error:
        problem = f"cannot be read ({error.strerror or error})"
    except UnicodeDecodeError:
        problem = "text that is not UTF-8"
    except tomllib.TOMLDecodeError as error:
        problem = f"not TOML ({error})"
    raise InputError(problem, source=source)


def table_as(kind: type[T], table: Any, source: str, place: str, **given: Any) -> T:
    """One table of a TOML file as a msgspec struct, checked against its types and constraints.

    Parameters
    ----------
    kind : the struct. The `description` of a field's `msgspec.Meta` says in errors what is allowed; a field marked
        `extra={"secret": True}` is never quoted.
    table : what was parsed.
    source, place : the file and the table, for errors.
    given : fields that the table does not hold itself, such as its own name.

    Raises
    ------
    InputError
        Not a table, an unknown key (with the nearest right one), a missing key, a value of another type or outside
        its constraints.
    """
    fields = {field.name: field.type for field in cast(inspect.StructType, inspect.type_info(kind)).fields}
    keys = [name for name in fields if name not in given]
    if not isinstance(table, Mapping):
        raise InputError(f"{place}: not a table", source=source, allowed=f"a table of {', '.join(keys)}")
    for key in table:
        if key not in keys:
            problem = f"{place}: an unknown key{hint(key, keys)}"
            raise InputError(problem, source=source, allowed=", ".join(keys), got=key)
    try:
        return msgspec.convert({**table, **given}, kind)
    except msgspec.ValidationError as error:
        found = _FIELD.search(str(error))
        if found is None or found[1] not in fields:
            raise InputError(f"{place}: {error}", source=source) from None
        key, allowed, secret = found[1], "", False
        for part in getattr(fields[key], "types", (fields[key],)):
            if isinstance(part, inspect.LiteralType):
                allowed = ", ".join(map(str, part.values))
            if isinstance(part, inspect.Metadata):
                allowed = (part.extra_json_schema or {}).get("description", allowed)
                secret = bool((part.extra or {}).get("secret"))
        problem = f"{place}: no {'usable ' if key in table else ''}{key!r}"
        got = {"got": table[key]} if key in table and not secret else {}
        raise InputError(problem, source=source, allowed=allowed, **got) from None


def tables_of(parsed: Mapping[str, Any], key: str, source: str) -> Mapping[str, Any]:
    """The tables `[key.NAME]` by name; none where the file has none. Raises `InputError` for what is not such tables."""
    tables = parsed.get(key, {})
    if not isinstance(tables, Mapping):
        raise InputError(f"{key!r} is not a table of tables", source=source, allowed=f"[{key}.NAME]", got=tables)
    return tables
