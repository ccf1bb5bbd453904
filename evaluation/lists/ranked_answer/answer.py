"""The ranked diagnoses in what a language model wrote: a list, numbered or with bullets, JSON, or one diagnosis."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_WORDS = 25
"""Words; more of them are a sentence, not the name of a disease."""

_MAX_WORDS_OF_A_BARE_LINE, _MIN_WORDS_OF_A_REMARK, _MAX_WORDS_OF_A_LABEL = 12, 4, 6
_MAX_LINE = 500
"""Characters; no name is so long, and no pattern is slow on what is left."""

_THOUGHTS = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_FENCED = re.compile(r"```\w*\n(.*?)```", re.DOTALL)
_MARKS = re.compile(r"\*\*|__|`")
_HEADING = re.compile(r"^\s*#{1,6}\s+|^\s*>\s?")
_NUMBERED = re.compile(
    r"^(?:(?:diagnosis|rank|no\.|#)\s*(?P<ranked>\d{1,2})\b[.):]?|\(?(?P<plain>\d{1,2})[.):])(?!\d)\s*(?P<entry>.*)$",
    re.IGNORECASE,
)
_BULLET = re.compile(r"^(\s*)[-*•–+]\s+(.*)")
_BOLD = re.compile(r"^\*\*(.+?)\*\*")
_NO_NAME = tuple("[{|<")
_SPEAKS_OF_DIAGNOSES = re.compile(r"diagnos|differential|\bddx\b", re.IGNORECASE)
_LABELLED = re.compile(
    r"^(?P<label>.*?\b(?:diagnos[ie]s|answer))\b\s*(?:is|would be|:)\s*(?:most likely\s+|likely\s+|probably\s+)?(?P<name>.*\w.*)$",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"differential|diagnoses", re.IGNORECASE)
_REMARK = re.compile(r"\s+[-–—]\s+|:\s+")
_LIKELIHOOD = re.compile(r"[\s,:–—-]*\(?[~≈]?\d{1,3}(?:\.\d+)?\s?%\)?\s*$")
_NAME_KEYS = ("diagnosis", "name", "disease", "condition")


def ranked_diagnoses(text: str) -> list[str] | None:
    """The diagnoses, likeliest first; [] for a blank text, None where no names can be read from it.

    In this order: JSON (a list of names, or of objects with a "diagnosis" and perhaps a "rank"); the last list under a
    heading that speaks of diagnoses, else the first list, numbered rather than with bullets; lines without marks, if all
    are short. A line "Diagnosis: …" or "The diagnosis is …" goes first. What stands in `<think>` tags, likelihoods in
    percent, and the remark behind a name (from four words, after a dash or colon) are left out.

    >>> ranked_diagnoses("1. **STEMI** - raised troponin\\n2. Pericarditis (20%)")
    ['STEMI', 'Pericarditis']
    """
    if thoughts := _THOUGHTS.match(text):
        text = text[thoughts.end() :]
    if not text.strip():
        return []
    found = _from_json(text)
    if found is None:
        found = _from_lines([line[:_MAX_LINE] for line in text.splitlines()])
    if found is None:
        return None
    names = [name.strip() for name in map(_name, found) if any(map(str.isalpha, name))]
    if (found and not names) or any(len(name.split()) > MAX_WORDS for name in names):
        return None
    return names


def _from_json(text: str) -> list[str] | None:
    for piece in _json_pieces(text):
        try:
            names = _names_in(json.loads(piece))
        except (ValueError, RecursionError):
            continue
        if names is not None:
            return names
    return None


def _json_pieces(text: str) -> Iterator[str]:
    """Fenced blocks, the last first; then the text from its first bracket to its last."""
    yield from reversed(_FENCED.findall(text))
    brackets = [(text.find(left), text.rfind(right) + 1) for left, right in ("{}", "[]")]
    for start, end in sorted(b for b in brackets if 0 <= b[0] < b[1]):
        yield text[start:end]


def _names_in(value: Any) -> list[str] | None:
    """Of a list of names or objects, or of an object that holds one; None where a part is neither."""
    if isinstance(value, dict):
        inner = [v for k, v in value.items() if _SPEAKS_OF_DIAGNOSES.search(k)]
        if len(inner) != 1:
            return None
        value = inner[0] if isinstance(inner[0], list) else [inner[0]]
    if not isinstance(value, list):
        return None
    if value and all(isinstance(item, dict) and isinstance(item.get("rank"), int) for item in value):
        value = sorted(value, key=lambda item: item["rank"])
    names = [_named(item) if isinstance(item, dict) else item for item in value]
    return names if all(isinstance(name, str) for name in names) else None


def _named(item: dict[str, Any]) -> Any:
    return next((item[key] for key in _NAME_KEYS if key in item), None)


@dataclass
class _Block:
    """The entries of one list, and whether the line above it speaks of diagnoses."""

    announced: bool
    entries: list[str] = field(default_factory=list)


def _from_lines(lines: list[str]) -> list[str] | None:
    blocks = _numbered(lines) or _bulleted(lines)
    listed = next((b for b in reversed(blocks) if b.announced), None)
    labelled = _labelled(lines)
    if listed is None and blocks and not labelled:
        listed = blocks[0]
    if labelled or listed is not None:
        rest = [] if listed is None else listed.entries
        return [*labelled, *(entry for entry in rest if _name(entry) not in labelled)]
    bare = [line for line in map(_unmarked, lines) if line and not line.endswith(":")]
    longest = MAX_WORDS if len(bare) == 1 else _MAX_WORDS_OF_A_BARE_LINE
    unlike = any(line.startswith(_NO_NAME) or len(line.split()) > longest for line in bare)
    return None if unlike else bare


def _numbered(lines: list[str]) -> list[_Block]:
    blocks: list[_Block] = []
    above, last = "", 0
    for line in lines:
        number, entry = _numbered_entry(line) or (0, "")
        if blocks and number == last + 1:
            blocks[-1].entries.append(entry)
            last = number
        elif number == 1:
            blocks.append(_Block(bool(_SPEAKS_OF_DIAGNOSES.search(above)), [entry]))
            last = 1
        elif line.strip():
            above = line
    return blocks


def _numbered_entry(line: str) -> tuple[int, str] | None:
    """Its number and what stands behind it; only the bold part, where that holds the number and a name."""
    line = _without_bullet(_HEADING.sub("", line)).strip()
    bold = _BOLD.match(line)
    found = _NUMBERED.match(bold[1] if bold else line)
    if found is None:
        return None
    behind = line[bold.end() :].strip() if bold and not found["entry"] else found["entry"]
    return int(found["ranked"] or found["plain"]), behind


def _bulleted(lines: list[str]) -> list[_Block]:
    """Those of the outermost indentation; a line that is none ends a list."""
    blocks: list[_Block] = []
    above, open_at = "", -1
    for line in lines:
        if not line.strip():
            continue
        found = _BULLET.match(line)
        if found is None:
            above, open_at = line, -1
        elif open_at < 0 or len(found[1]) < open_at:
            blocks.append(_Block(bool(_SPEAKS_OF_DIAGNOSES.search(above)), [found[2]]))
            open_at = len(found[1])
        elif len(found[1]) == open_at:
            blocks[-1].entries.append(found[2])
    return blocks


def _labelled(lines: list[str]) -> list[str]:
    """Of the last line that says "Diagnosis: …"; "Differential: a, b" gives two."""
    for line in reversed(lines):
        found = None if _numbered_entry(line) else _LABELLED.match(_unmarked(line))
        if found and len(found["label"].split()) <= _MAX_WORDS_OF_A_LABEL:
            if _SEVERAL.search(found["label"]):
                return [name.strip() for name in found["name"].split(";" if ";" in found["name"] else ",")]
            return [_name(found["name"])]
    return []


def _plain(line: str) -> str:
    return _MARKS.sub("", _HEADING.sub("", line))


def _unmarked(line: str) -> str:
    return _plain(_without_bullet(line)).strip()


def _without_bullet(line: str) -> str:
    found = _BULLET.match(line)
    return found[2] if found else line


def _name(entry: str) -> str:
    """An entry without what is said about it."""
    entry = entry[:_MAX_LINE].strip()
    bold = _BOLD.match(entry)
    name = _plain(bold[1] if bold else entry).strip()
    if not bold and (labelled := _LABELLED.match(name)) and len(labelled["label"].split()) == 1:
        name = labelled["name"]
    remark = _REMARK.search(name)
    if remark and len(name[remark.end() :].split()) >= _MIN_WORDS_OF_A_REMARK:
        name = name[: remark.start()]
    return _LIKELIHOOD.sub("", name).strip(" \t.,;:\"'“”")
