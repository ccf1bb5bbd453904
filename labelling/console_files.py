"""What experts labelled in the console, each in a file of their own or several in one: brought together, pair by pair."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import InputError
from ..files.pair_labels import BLANK, parsed_labels
from ..files.tables import read_table
from .answer_file import UNSURE, key_of
from .sheet import Answered
from .suggestion import Suggestion

_PREFIX = "label_"


@dataclass(frozen=True)
class ConsoleLabels:
    """pairs : the two diagnoses by `key_of`. labels : expert -> label, 0 or 1, by `key_of`. unsure : expert -> keys of pairs."""

    pairs: Mapping[tuple[str, ...], tuple[str, str]]
    labels: Mapping[str, Mapping[tuple[str, ...], int]]
    unsure: Mapping[str, set[tuple[str, ...]]]

    @property
    def suggestion(self) -> Suggestion:
        """What was asked, where no folder says it."""
        a, b = zip(*self.pairs.values(), strict=True) if self.pairs else ((), ())
        text = pa.string()
        key = {"id": pa.array(map(str, range(1, len(a) + 1)), text), "a": pa.array(a, text), "b": pa.array(b, text)}
        return Suggestion(pa.table(key), {"seed": 0, "experts": [*self.labels]})

    def of_key(self, key: pa.Table, expert: str) -> Answered:
        """An expert's answers to the pairs of a suggestion's key."""
        own, unsure = self.labels[expert], self.unsure[expert]
        asked = {row["id"]: key_of(row["a"], row["b"]) for row in key.select(["id", "a", "b"]).to_pylist()}
        answers = {identity: own.get(pair, BLANK) for identity, pair in asked.items()}
        doubted = sum(pair in unsure and pair not in own for pair in asked.values())
        return Answered(answers, doubted, sum(answer == BLANK for answer in answers.values()) - doubted)


def read_console(paths: Sequence[str | os.PathLike[str]], encoding: str | None = None) -> ConsoleLabels:
    """Reads what `dxmatch label` wrote: a, b, `label_<expert>`, and who was unsure.

    Raises
    ------
    InputError
        For a table without a column `label_<expert>`, an expert in two files, an expert's pair twice, a label that is none.
    """
    pairs: dict[tuple[str, ...], tuple[str, str]] = {}
    labels: dict[str, dict[tuple[str, ...], int]] = {}
    unsure: dict[str, set[tuple[str, ...]]] = {}
    for path in paths:
        table = read_table(Path(path), encoding)
        sides = [table.required_text(name).to_pylist() for name in ("a", "b")]
        keys = [key_of(a, b) for a, b in zip(*sides, strict=True)]
        experts = [name for name in table.names if name.startswith(_PREFIX) and name != _PREFIX]
        if not experts:
            raise InputError(
                "no expert's labels", source=table.source, got=table.names,
                allowed="a column label_<expert>, as dxmatch label writes it",
            )  # fmt: skip
        doubted = table.column(UNSURE) if UNSURE in table.names else [None] * len(keys)
        first = {key: row for row, key in reversed(list(enumerate(keys)))}
        for row, key in enumerate(keys):
            if first[key] != row:
                raise table.error(
                    "a pair twice", row, "a", allowed="each pair once, in either order", got=sides[0][row]
                )
            pairs.setdefault(key, (sides[0][row], sides[1][row]))
        for name in experts:
            expert = name.removeprefix(_PREFIX)
            if expert in labels:
                raise InputError(
                    f"labels of {expert} in two files", source=table.source, allowed="one file for each expert"
                )
            problems: dict[int, Any] = {}
            values = parsed_labels(table, name, problems)
            if problems:
                raise problems[min(problems)]
            labels[expert] = {key: int(value) for key, value in zip(keys, values, strict=True) if value is not None}
            unsure[expert] = {
                key for key, who in zip(keys, doubted, strict=True) if who and expert in str(who).split(", ")
            }
    return ConsoleLabels(pairs, labels, unsure)
