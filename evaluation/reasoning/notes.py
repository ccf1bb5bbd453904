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
from typing import TypeVar

from ...files.limits import MAX_CHARACTERS
from .json_tree import Branch, json_files

_DIAGNOSIS, _RATIONALE, _OBSERVATION = "Intermedia", "Cause", "Input"
_BELOW = {"": {_DIAGNOSIS}, _DIAGNOSIS: {_DIAGNOSIS, _RATIONALE}, _RATIONALE: {_OBSERVATION}, _OBSERVATION: set[str]()}
"""What may stand below what."""
_KEY = re.compile(r"(.*)\$(?:(Intermedia)_\d+|(Cause)_\d+|(Input)([1-6]))", re.DOTALL)
_TWIN, WORD = re.compile(r"(?:\s*#)+\s*$"), re.compile(r"[^\W_]")
_SECTION = re.compile(r"input[1-6]", re.IGNORECASE)
_PREDICTED = "[rationale, section, diagnosis]: texts, or null where nothing is said; the section as input1 … input6"
Read = TypeVar("Read")


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
    """One note. path : from the suspected disease to the primary discharge diagnosis. text : its sections, a line each."""

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


def read_notes(folder: Path, read: Callable[[Branch], Read]) -> dict[str, Read]:
    """Reads files by place and name within the folder, "Stroke/note1.json". Errors: `InputError` with the file and the keys.

    read : `annotation` or `prediction`.
    """
    return {file.relative_to(folder).as_posix(): read(Branch.read(file)) for file in json_files(folder)}


def annotation(whole: Branch) -> Annotation:
    """Reads an annotated note. Errors: as of `read_notes`."""
    parts = dict(whole.items("{…}"))
    sections = {key: parts.pop(key).text for key in sorted(parts) if _SECTION.fullmatch(key)}
    if len(parts) != 1:
        allowed = "one key TEXT$Intermedia_D, the primary discharge diagnosis"
        raise whole.error("no single tree beside the sections", allowed, list(parts))
    found = list(_walked(parts, "", ()))
    path = [texts[-1] for kind, texts, _ in found if kind == _DIAGNOSIS]
    deductions = [Deduction(one[-1], one[-2], section, one[-3]) for kind, one, section in found if kind == _OBSERVATION]
    return Annotation(tuple(reversed(path)), tuple(deductions), "\n".join(sections.values()))


def _walked(tree: dict[str, Branch], above: str, texts: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Each key below, diagnoses last: its kind, its text after those above it, and its section, 0 where it has none."""
    parted = [(*_parted(key, value, above), value) for key, value in tree.items()]
    if sum(kind == _DIAGNOSIS for kind, *_ in parted) > 1:
        raise next(iter(tree.values())).error("two diagnoses side by side", "one path", list(tree))
    for kind, text, section, value in sorted(parted, key=lambda one: one[0] == _DIAGNOSIS):
        yield kind, (*texts, text), section
        yield from _walked(dict(value.items("an object")), kind, (*texts, text))


def _parted(key: str, at: Branch, above: str) -> tuple[str, str, int]:
    """The kind of a key, its text without what keeps twins apart, and its section."""
    found = _KEY.fullmatch(key)
    if found is None:
        raise at.error("a key without a kind", "TEXT$Intermedia_D, TEXT$Cause_1 or TEXT$InputN, N from 1 to 6")
    kind, text = found[2] or found[3] or found[4], _TWIN.sub("", found[1]).strip()
    if kind not in _BELOW[above]:
        raise at.error(
            f"{kind} in the wrong place", " or ".join(sorted(_BELOW[above])) or "nothing below an observation"
        )
    if not WORD.search(text) or len(text) > MAX_CHARACTERS:
        allowed = f"a text with a letter or digit, of at most {MAX_CHARACTERS:,} characters"
        raise at.error("a key that says nothing, or too much", allowed)
    return kind, text, int(found[5] or 0)


def prediction(whole: Branch) -> Prediction:
    """Reads what was predicted for a note. Errors: as of `read_notes`."""
    parts = dict(whole.items("{…}"))
    if (chain := parts.pop("chain", None)) is None:
        return Prediction(tuple(_predicted(*one) for one in parts.items()))
    if not isinstance(chain.value, list) or not all(isinstance(name, str) and name.strip() for name in chain.value):
        raise chain.error("no chain", "a list of names, the category first")
    return Prediction(tuple(_predicted(*one) for one in parts.items()), tuple(chain.value))


def _predicted(observation: str, at: Branch) -> Deduction:
    parts = at.value
    if (
        not isinstance(parts, list)
        or len(parts) != 3
        or not all(part is None or isinstance(part, str) for part in parts)
    ):
        raise at.error("no deduction", _PREDICTED)
    rationale, section, diagnosis = parts
    if section is not None and not _SECTION.fullmatch(section):
        raise at.error("no section", _PREDICTED)
    if (longest := max(len(observation), len(rationale or ""))) > MAX_CHARACTERS:
        raise at.error(f"a text of {longest:,} characters", f"at most {MAX_CHARACTERS:,} characters")
    return Deduction(observation, rationale, None if section is None else int(section[-1]), diagnosis)
