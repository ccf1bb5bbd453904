"""That no file is both read and written by one command, nor written twice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

WRITTEN = {
    "output", "rejects", "json", "csv", "pairs", "matches", "judgements", "held_out", "per_answer", "per_note", "deductions",
    "open_pairs", "review", "repair", "store", "public", "figures", "path",
}  # fmt: skip
"""Options that name a file to be written; every other path that a command is given is read."""


def check_apart(options: Mapping[str, Any], arguments: set[str]) -> None:
    """Errors: `InputError` where an output is what the command reads, or another of its outputs. arguments : names that are no options."""
    written = [
        path for name in sorted(WRITTEN - arguments) for path in every(options.get(name)) if isinstance(path, Path)
    ]
    if written:
        from ..files.tables import check_apart as check

        read = [one for name in options.keys() - (WRITTEN - arguments) for one in every(options[name])]
        named = [one.partition("=")[2] for one in read if isinstance(one, str)]  # NAME=FILE
        check(written, [one for one in (*read, *named) if one and isinstance(one, str | Path)])


def every(value: Any) -> Sequence[Any]:
    """The values of an option that may be repeated, or the one."""
    return value if isinstance(value, list | tuple) else [value]
