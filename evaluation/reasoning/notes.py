"""Annotated notes, and what was predicted for them.

An annotation is one JSON file for each note: `input1` … `input6`, its sections (chief complaint, present illness, past
history, family history, examination, results), and one tree whose keys end in a kind:
`…$Intermedia_D` is a diagnosis (the outermost one is the primary discharge diagnosis, and each lies around the one before
it), `…$Cause_1` below it a rationale, `…$InputN` below that an observation from section N. A ` #` before the kind keeps keys
with one text apart.

A prediction is a file of the same place and name: `{observation: [rationale, section, diagnosis], …}`, and optionally
`"chain": [category, diagnosis, …]`, the path to the diagnosis, with or without the category.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from msgspec import Meta, ValidationError, convert

from ...errors import InputError, quoted
from ...files.json_records import read_json

_DIAGNOSIS, _RATIONALE, _OBSERVATION = "Intermedia", "Cause", "Input"
_BELOW = {"": {_DIAGNOSIS}, _DIAGNOSIS: {_DIAGNOSIS, _RATIONALE}, _RATIONALE: {_OBSERVATION}, _OBSERVATION: set[str]()}
"""What may stand below what."""
_KEY = re.compile(r"(.*)\$(?:(Intermedia|Cause)_\d+|(Input)([1-6]))", re.DOTALL)
_TWIN, WORD = re.compile(r"(?:\s*#)+\s*$"), re.compile(r"[^\W_]")
_SECTION = re.compile(r"input[1-6]", re.IGNORECASE)
_CHAIN = tuple[Annotated[str, Meta(pattern=r"\S")], ...] | None
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
    """What was predicted for a note. chain : the category and the path, or the path alone; None where none is given."""

    deductions: tuple[Deduction, ...] = ()
    chain: tuple[str, ...] | None = None

    @property
    def diagnoses(self) -> list[str]:
        """Lists the diagnoses that its observations speak for."""
        return [one.diagnosis for one in self.deductions if one.diagnosis]


def read_annotations(folder: Path) -> dict[str, Annotation]:
    """Reads annotated notes by place and name within the folder. Errors: as of `read_folder`."""
    allowed = "sections and one tree; TEXT$Cause_1 below TEXT$Intermedia_D, TEXT$InputN (N from 1 to 6) below that"
    return read_folder(folder, _annotation, allowed)


def _annotation(value: Any) -> Annotation:
    parts = convert(value, dict[str, Any])
    tree = {key: parts.pop(key) for key in list(parts) if not _SECTION.fullmatch(key)}
    if len(tree) != 1:
        raise ValidationError(f"no single tree beside the sections: {quoted(list(tree))}")
    below = list(_walked(tree, "", ()))
    path = [texts[-1] for kind, texts, _ in below if kind == _DIAGNOSIS]
    deductions = [Deduction(one[-1], one[-2], at, one[-3]) for kind, one, at in below if kind == _OBSERVATION]
    text = "\n".join(converted(key, parts[key], str) for key in sorted(parts))
    return Annotation(tuple(reversed(path)), tuple(deductions), text)


def _walked(tree: dict[str, Any], above: str, texts: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Each key below, diagnoses last: its kind, its text after those above it, and its section, 0 where it has none."""
    parted: list[tuple[str, str, int, Any]] = []
    for key, value in tree.items():
        found = _KEY.fullmatch(key)
        kind, text = (found[2] or found[3], _TWIN.sub("", found[1]).strip()) if found else ("", key)
        if found is None or kind not in _BELOW[above] or not WORD.search(text):
            raise ValidationError(f"a key of another kind, or in the wrong place: {quoted(key)}")
        parted.append((kind, text, int(found[4] or 0), converted(key, value, dict[str, Any])))
    if sum(kind == _DIAGNOSIS for kind, *_ in parted) > 1:
        raise ValidationError(f"two diagnoses side by side: {quoted(list(tree))}")
    for kind, text, section, value in sorted(parted, key=lambda one: one[0] == _DIAGNOSIS):
        yield kind, (*texts, text), section
        yield from _walked(value, kind, (*texts, text))


def read_predictions(folder: Path) -> dict[str, Prediction]:
    """Reads predictions by place and name within the folder. Errors: as of `read_folder`."""
    allowed = "observation: [rationale, section as input1 … input6, diagnosis], each null where it is not said; chain: a list of names"
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
