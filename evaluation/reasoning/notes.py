"""Annotated notes, and what was predicted for them.

An annotation is one JSON file for each note: `input1` … `input6`, its sections (chief complaint, present illness, past
history, family history, examination, results), and one tree whose keys end in a kind:
`…$Intermedia_D` is a diagnosis (the outermost one is the primary discharge diagnosis, and each lies around the one before
it), `…$Cause_1` below it a rationale, `…$InputN` below that an observation from section N. A ` #` before the kind keeps keys
with one text apart.

A prediction is a file of the same place and name: `{observation: [rationale, section, diagnosis], …}`, and `"chain": [category,
diagnosis, …]`, the path to the diagnosis, with or without the category; [] for none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta, ValidationError, convert

from ...errors import InputError, quoted
from ...files.json_records import read_json

_DIAGNOSIS, _RATIONALE, _OBSERVATION = r"Intermedia_\d+", r"Cause_\d+", r"Input[1-6]"
_RATIONALES = dict[str, dict[str, Annotated[dict[str, Any], Meta(max_length=0)]]]
"""What lies within a diagnosis beside the one before it: rationales, in them observations."""
WORD = re.compile(r"[^\W_]")
_SECTION = re.compile(r"input[1-6]", re.IGNORECASE)
_CHAIN = tuple[Annotated[str, Meta(pattern=r"\S")], ...]
_DEDUCTION = tuple[str | None, Annotated[str, Meta(pattern=r"^(?i:input)[1-6]$")] | None, str | None]

T = TypeVar("T")


@dataclass(frozen=True)
class Deduction:
    """An observation from a section of the note (1 to 6), the diagnosis that it speaks for, and why.

    In a prediction the last three can be None: not said.
    """

    observation: str
    rationale: str | None
    section: int | None
    diagnosis: str | None


@dataclass(frozen=True)
class Annotation:
    """An annotated note. path : from the suspected disease to the primary discharge diagnosis. text : its sections."""

    path: tuple[str, ...]
    deductions: tuple[Deduction, ...]
    text: str


@dataclass(frozen=True)
class Prediction:
    """What was predicted for a note. chain : the category and the path, or the path alone."""

    deductions: tuple[Deduction, ...] = ()
    chain: tuple[str, ...] = ()


def read_annotations(folder: Path) -> dict[str, Annotation]:
    """Reads annotated notes by place and name within the folder. Errors: as of `read_folder`."""
    allowed = "sections and one tree; TEXT$Cause_1 below TEXT$Intermedia_D, TEXT$InputN (N from 1 to 6) below that"
    return read_folder(folder, _annotation, allowed)


def _annotation(value: Any) -> Annotation:
    parts = convert(value, dict[str, Any])
    below = {key: parts.pop(key) for key in list(parts) if not _SECTION.fullmatch(key)}
    path: list[str] = []
    deductions: list[Deduction] = []
    while below or not path:
        if len(below) != 1:
            raise ValidationError(f"no single diagnosis, the outermost or the one before: {quoted(list(below))}")
        ((key, value),) = below.items()
        path.insert(0, _text(key, _DIAGNOSIS))
        inner = converted(key, value, dict[str, Any])
        below = {one: inner.pop(one) for one in list(inner) if re.search(rf"\${_DIAGNOSIS}$", one)}
        for why, seen in converted(key, inner, _RATIONALES).items():
            rationale = _text(why, _RATIONALE)
            deductions += [Deduction(_text(one, _OBSERVATION), rationale, int(one[-1]), path[0]) for one in seen]
    text = "\n".join(converted(key, parts[key], str) for key in sorted(parts))
    return Annotation(tuple(path), tuple(deductions), text)


def _text(key: str, kind: str) -> str:
    """The text before the kind in a key. Errors: `ValidationError` for a key of another kind."""
    found = re.fullmatch(rf"(.*?)(?:\s*#)*\s*\${kind}", key, re.DOTALL)
    if found is None or not WORD.search(found[1]):
        raise ValidationError(f"a key of another kind, or in the wrong place: {quoted(key)}")
    return found[1].strip()


def read_predictions(folder: Path) -> dict[str, Prediction]:
    """Reads predictions by place and name within the folder. Errors: as of `read_folder`."""
    allowed = "observation: [rationale, section as input1 … input6, diagnosis], each null where it is not said; and chain, a list of names"
    return read_folder(folder, _prediction, allowed)


def _prediction(value: Any) -> Prediction:
    parts = convert(value, dict[str, Any])
    chain = converted("chain", parts.pop("chain", None), _CHAIN)
    said = [(what, converted(what, of, _DEDUCTION)) for what, of in parts.items()]
    deductions = [Deduction(what, why, int(section[-1]) if section else None, of) for what, (why, section, of) in said]
    return Prediction(tuple(deductions), chain)


def read_folder(folder: Path, read: Callable[[Any], T], allowed: str) -> dict[str, T]:
    """Reads the .json files of a folder and all below it, in order of their paths, by their place within it: "Stroke/note1.json".

    read : raises `ValidationError` for what cannot be right; `allowed` says what can.

    Raises
    ------
    InputError
        With the file, for one that cannot be right; where there is none.
    """
    files = sorted(path for path in folder.rglob("*.json") if path.is_file())
    if not files:
        problem = "a folder without a .json file" if folder.is_dir() else "no such folder"
        raise InputError(problem, source=str(folder), allowed="a folder with one .json file or more")
    found: dict[str, T] = {}
    for file in files:
        try:
            found[file.relative_to(folder).as_posix()] = read(read_json(file).value)
        except ValidationError as error:
            raise InputError(str(error), source=str(file), allowed=allowed) from None
    return found


def converted(key: str, value: Any, kind: Any) -> Any:
    """Gives the value of a key where it is of a type. Errors: `ValidationError` with the key where it is not."""
    try:
        return convert(value, kind)
    except ValidationError as error:
        raise ValidationError(f"{quoted(key)}: {error}") from None
