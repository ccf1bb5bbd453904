"""What every format is told by, the first bytes of its files, and what it is read into: an answer of one model to one case."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from ....errors import InputError
from ....files.tables import objects_in

Keys = Sequence[Sequence[str]]  # of the objects of a format: each holds all of any of these
_HEAD = 65_536
_LOOKED_AT = 200  # files of a folder, to recognise it
_STRING = re.compile(r'"((?:[^"\\]|\\.)*)"(\s*:)?')


@dataclass(frozen=True)
class Answer:
    """One model's answer to one case.

    Attributes
    ----------
    case_id : the case.
    model : who answered; None where only the right answers of the case are told.
    diagnoses : the answer as a list, likeliest first; None where it is in `text`, or there is none.
    text : the answer as it was written; None where it is in `diagnoses`.
    references : the right answers of the case as they were written, a list or a text that may hold several; None where they are not told.
    more : what else is told of the case; what is short may be a group that figures are given for.
    source, row : the file, and where in it, as its reader sees it.
    doubt : what is doubtful in that file, in a sentence.
    held : the object that it was read from, of formats whose cases are asked about.
    """

    case_id: str
    model: str | None
    diagnoses: list[str] | None = None
    text: str | None = None
    references: Any = None
    more: Mapping[str, Any] = field(default_factory=dict)
    source: str | Path = ""
    row: int = 0
    doubt: str = ""
    held: Mapping[str, Any] = field(default_factory=dict, repr=False)


def value_in(text: str) -> Any:
    """What a text holds in JSON, or in Python's form as pandas writes it into a cell; None for anything else."""
    for read in (json.loads, lambda python: json.loads(json.dumps(ast.literal_eval(python)))):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            return read(text)
    return None


def listed(value: Any) -> list[Any] | None:
    """A list, or one in a text; None for anything else."""
    is_text = isinstance(value, str) and value.startswith("[") and value.endswith("]")
    found = value_in(value) if is_text else value
    return found if isinstance(found, list) else None


class Head(NamedTuple):
    """The first 64 KiB of a file, and the columns of a CSV or the keys of JSON in them."""

    path: Path
    text: str
    keys: set[str]


def heads_of(path: Path) -> Iterator[Head]:
    """Of the file itself, or of the first files of a folder and of its folders, as they come."""
    files = [path] if path.is_file() else path.rglob("*") if path.is_dir() else []
    for file in islice(filter(Path.is_file, files), _LOOKED_AT):
        with file.open("rb") as handle:
            text = handle.read(_HEAD).decode("utf-8-sig", errors="replace")
        keys = {*re.split(r"[,;\t]", text.partition("\n")[0].replace('"', "").strip())}
        if text.lstrip()[:1] in ("{", "["):
            keys = {name for name, colon in _STRING.findall(text) if colon}
        yield Head(file, text, keys)


def files_below(path: Path, *patterns: str) -> list[Path]:
    """The file itself; or the files of a folder, and of its folders to any depth, of the first pattern that any has, by name."""
    of = [sorted(filter(Path.is_file, path.rglob(pattern))) for pattern in patterns if path.is_dir()]
    return next(filter(None, of), [] if of else [path])


def told_by(keys: Keys) -> Callable[[Head], bool]:
    """Whether a file holds all of any of these keys."""
    return lambda head: any({*of} <= head.keys for of in keys)


def objects_below(path: Path, keys: Keys, *patterns: str) -> Iterator[tuple[Path, int, dict[str, Any]]]:
    """The objects of JSON files, or the rows of tables, of `files_below`, each with its file and row.

    Errors: `InputError` for one that does not hold all of any of `keys`.
    """
    for file in files_below(path, *patterns):
        for row, item in objects_in(file):
            if not any({*of} <= item.keys() for of in keys):
                allowed = " or ".join(map(", ".join, keys))
                raise InputError("keys are missing", source=str(file), row=row, allowed=allowed, got=[*item])
            yield file, row, item
