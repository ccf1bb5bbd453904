"""How the command line answers what a user types first: help and version as words, a diagnosis in the place of a command, an option's old name."""

from __future__ import annotations

import difflib
import re
import shlex
from collections.abc import Collection, Mapping

from cyclopts import CycloptsError
from cyclopts.exceptions import MissingArgumentError, UnknownCommandError, UnknownOptionError

from ..options import RENAMED

_EVERYWHERE = ("--quiet", "-q", "--debug")
_TODAY = {
    "judge": "--judge.model", "train.threshold": "--threshold.rule", "train.target": "--threshold.rule", "import": "--results", "encoder_folder": "--encoders", "csv": "-o FILE.csv", "html": "-o FILE.html", "format": "the suffix of -o: -o -.jsonl",
    "hide_cells": "the variable DXMATCH_HIDE_CELLS=1", "shared_files": "the variable DXMATCH_SHARED_FILES=1", "spreadsheet": "the variable DXMATCH_SPREADSHEET=1",
}  # fmt: skip
"""What a command, and no function, called an option before -> what stands in its place."""


def as_typed(words: list[str]) -> list[str]:
    """The words of a command line with those in front that go with every command at its end; "help" and "version" are understood.

    A "-", or "-.jsonl", comes as a path, since it would be taken for an option.
    """
    words = [f"./{word}" if word == "-" or word.startswith("-.") else word for word in words]
    if words[:1] and words[0] in _EVERYWHERE:
        return [*as_typed(words[1:]), words[0]]
    if words[:1] == ["help"]:
        return [*words[1:], "--help"]
    return ["--version"] if words == ["version"] else words or ["--help"]


def wrong_usage(error: CycloptsError, words: list[str], commands: Collection[str], names: Mapping[str, str]) -> str:
    """The line of an error in how a command is typed. commands : there are. names : of the command's options, by parameter."""
    if isinstance(error, UnknownCommandError) and words[0] not in commands:
        near = difflib.get_close_matches(words[0], commands)
        hint = f"Did you mean {' or '.join(f'dxmatch {each}' for each in near)}?" if near else _meant(words)
        return f"No such command {words[0]!r}. {hint}"
    if isinstance(error, UnknownOptionError):
        old = (error.token.keyword or error.token.value).strip("-").replace("-", "_")
        own, today = f"{words[0]}.{old}", ""
        if (name := _TODAY.get(own)) is None:
            today = RENAMED.get(own, RENAMED.get(old, ""))
        if word := re.fullmatch(r'given as (\w+)=\["(\w+)"\]', today):
            name = f"{names.get(word[1], word[1])} {word[2]}"
        elif " " in today:
            return f"--{old.replace('_', '-')}: {today}"
        elif name is None:
            outer, _, field = today.rpartition(".")
            name = (
                names.get(field)
                or _TODAY.get(old)
                or (f"{names[outer]} FILE.toml, with {field} in it" if outer in names else None)
            )
        if name is not None:
            return f"--{old.replace('_', '-')} is now {name}."
    if isinstance(error, MissingArgumentError) and error.argument is not None:
        return f"{error.argument.name} is needed: dxmatch help {' '.join(error.command_chain or words[:1])}"
    return " ".join(str(error).split())


def _meant(words: list[str]) -> str:
    """What words that begin with no command may be for."""
    from ..files.file_names import is_file_name

    words = [word for word in words if not word.startswith("-")]
    if is_file_name(words[0]):
        file = shlex.quote(words[0])
        return f"For a table of pairs: dxmatch score {file}. For answers of models: dxmatch evaluate {file}. For codes: dxmatch icd {file}."
    texts = [word for word in words if " " in word]
    pair = texts[:2] if len(texts) >= 2 else [" ".join(words), "another diagnosis"]
    return f"For two diagnoses: dxmatch match {' '.join(map(_in_quotes, pair))}. For a code: dxmatch icd {_in_quotes(pair[0])}."


def _in_quotes(text: str) -> str:
    return f'"{text}"' if '"' not in text else shlex.quote(text)
