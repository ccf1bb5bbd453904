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
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...errors import InputError
from ...files.limits import MAX_CHARACTERS
from .json_file import Keys, at, items, json_files, read_object, text

CHAIN = "chain"
DIAGNOSIS, RATIONALE, OBSERVATION = "Intermedia", "Cause", "Input"
_KIND = re.compile(r"(?P<text>.*)\$(?P<kind>Intermedia_\d+|Cause_\d+|Input[1-6])", re.DOTALL)
_TWIN = re.compile(r"(?:\s*#)+\s*$")
_INPUT = re.compile(r"input[1-6]")
_SECTION = re.compile(r"input[1-6]", re.IGNORECASE)
_FEWEST_WORDS = 20
"""Of two notes with the same sections: fewer, and two patients may well share them."""
_NOTHING_SAID = ("", "none", "n/a", "unknown")
_WORD = re.compile(r"[^\W_]")
_KEY = "TEXT$Intermedia_D, TEXT$Cause_1 or TEXT$InputN, N from 1 to 6"


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
    """One note. path : from the suspected disease to the primary discharge diagnosis. sections : N -> text."""

    path: tuple[str, ...]
    deductions: tuple[Deduction, ...]
    sections: dict[int, str]

    @property
    def said(self) -> tuple[str, ...]:
        """The sections that say something, without the blanks that do not matter; "None" says nothing."""
        plain = (" ".join(self.sections[n].split()) for n in sorted(self.sections))
        return tuple(text for text in plain if text.casefold() not in _NOTHING_SAID)

    @property
    def length(self) -> int:
        """Words of all sections."""
        return sum(len(text.split()) for text in self.sections.values())


@dataclass(frozen=True)
class Prediction:
    """chain : the category and the path, or the path alone; None where none is given."""

    deductions: tuple[Deduction, ...]
    chain: tuple[str, ...] | None


def read_annotations(folder: Path) -> dict[str, Annotation]:
    """By place and name within the folder, "Stroke/note1.json". Errors: `InputError` with the file and the keys."""
    notes = {name: _annotation(file) for name, file in _files(folder).items()}
    claimed: dict[tuple[str, ...], str] = {}
    for name, note in notes.items():
        said = note.said
        if note.length >= _FEWEST_WORDS and (other := claimed.setdefault(said, name)) != name:
            raise InputError(
                f"a note that {other} claims too: the two have the same sections", source=str(folder / name),
                allowed="one file for each note",
            )  # fmt: skip
    return notes


def read_predictions(folder: Path) -> dict[str, Prediction]:
    """By place and name within the folder. Errors: `InputError` with the file and the keys."""
    return {name: _prediction(file) for name, file in _files(folder).items()}


def _files(folder: Path) -> dict[str, Path]:
    """By place and name. Errors: `InputError` where two differ in nothing but case or the way that letters are stored."""
    files = {file.relative_to(folder).as_posix(): file for file in json_files(folder)}
    plain: dict[str, str] = {}
    for name, file in files.items():
        if (other := plain.setdefault(unicodedata.normalize("NFC", name).casefold(), name)) != name:
            raise InputError(
                f"a note that {other} claims too: the two names differ in case or in how letters are stored alone",
                source=str(file), allowed="one file for each note",
            )  # fmt: skip
    return files


def told_apart_by_folder(names: Iterable[str]) -> list[str]:
    """The file names that stand in several folders: their notes are told apart by the folder."""
    held = Counter(name.rpartition("/")[2] for name in names)
    return sorted(name for name, count in held.items() if count > 1)


def _annotation(file: Path) -> Annotation:
    sections: dict[int, str] = {}
    trees: dict[str, Any] = {}
    for key, value in read_object(file).items():
        if _INPUT.fullmatch(key):
            sections[int(key[-1])] = text(value, file, (key,))
        else:
            trees[key] = value
    if len(trees) != 1:
        raise InputError(
            "no single tree beside the sections", source=str(file),
            allowed="one key TEXT$Intermedia_D, the primary discharge diagnosis", got=list(trees),
        )  # fmt: skip
    path: list[str] = []
    deductions = tuple(_deductions(trees, file, (), path))
    return Annotation(tuple(reversed(path)), deductions, sections)


def _deductions(tree: Any, file: Path, above: Keys, path: list[str]) -> Iterator[Deduction]:
    """Those of the diagnosis in `tree`, then those of the diagnoses within; `path` takes the diagnoses, outermost first."""
    (key,) = tree
    keys = (*above, key)
    diagnosis, kind = _parted(key, file, keys)
    if not kind.startswith(DIAGNOSIS):
        raise InputError("no diagnosis", source=at(file, *keys), allowed="TEXT$Intermedia_D")
    path.append(diagnosis)
    within: dict[str, Any] = {}
    for cause, observations in items(tree[key], file, keys, "an object"):
        below = (*keys, cause)
        rationale, kind = _parted(cause, file, below)
        if kind.startswith(DIAGNOSIS):
            within[cause] = observations
        elif kind.startswith(RATIONALE):
            for observation in _observations(observations, file, below):
                yield Deduction(observation[0], rationale, observation[1], diagnosis)
        else:
            raise InputError(
                "an observation without a rationale", source=at(file, *below), allowed="TEXT$Cause_1 around it"
            )
    if len(within) > 1:
        raise InputError("two diagnoses side by side", source=at(file, *keys), allowed="one path", got=list(within))
    if within:
        yield from _deductions(within, file, keys, path)


def _observations(value: Any, file: Path, above: Keys) -> Iterator[tuple[str, int]]:
    """(text, section)."""
    for key, below in items(value, file, above, "an object of observations"):
        keys = (*above, key)
        observation, kind = _parted(key, file, keys)
        if not kind.startswith(OBSERVATION):
            raise InputError("no observation below a rationale", source=at(file, *keys), allowed="TEXT$InputN")
        if below != {}:
            raise InputError("something below an observation", source=at(file, *keys), allowed="{}", got=below)
        yield observation, int(kind[-1])


def _parted(key: str, file: Path, keys: Keys) -> tuple[str, str]:
    """The text of a key, without what keeps twins apart, and its kind."""
    found = _KIND.fullmatch(key)
    if found is None:
        raise InputError("a key without a kind", source=at(file, *keys), allowed=_KEY)
    said = _TWIN.sub("", found["text"]).strip()
    if not _WORD.search(said) or len(said) > MAX_CHARACTERS:
        allowed = f"a text with a letter or digit, of at most {MAX_CHARACTERS:,} characters"
        raise InputError("a key that says nothing, or too much", source=at(file, *keys), allowed=allowed)
    return said, found["kind"]


def _prediction(file: Path) -> Prediction:
    deductions, chain = [], None
    for key, value in read_object(file).items():
        if key == CHAIN:
            chain = _chain(value, file)
        else:
            deductions.append(_predicted(key, value, file))
    return Prediction(tuple(deductions), chain)


def _chain(value: Any, file: Path) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(name, str) and name.strip() for name in value):
        raise InputError("no chain", source=at(file, CHAIN), allowed="a list of names, the category first", got=value)
    return tuple(value)


def _predicted(observation: str, value: Any, file: Path) -> Deduction:
    allowed = "[rationale, section, diagnosis]: texts, or null where nothing is said; the section as input1 … input6"
    if not isinstance(value, list) or len(value) != 3 or not all(v is None or isinstance(v, str) for v in value):
        raise InputError("no deduction", source=at(file, observation), allowed=allowed, got=value)
    rationale, section, diagnosis = value
    if section is not None and not _SECTION.fullmatch(section):
        raise InputError("no section", source=at(file, observation), allowed=allowed, got=section)
    for one in (observation, rationale):
        if one is not None and len(one) > MAX_CHARACTERS:
            raise InputError(
                f"a text of {len(one):,} characters", source=at(file, observation),
                allowed=f"at most {MAX_CHARACTERS:,} characters",
            )  # fmt: skip
    return Deduction(observation, rationale, None if section is None else int(section[-1]), diagnosis)
