"""What `choice` returns: the figures of every model, by subset, with the ways to print and save them."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import InputError
from ...files.atomic import whole_file
from ...files.counted import counted
from ...files.tables import write_table
from ...pages.rows import Row, arrow_table, json_rows, plain_number
from ...pages.words import in_markdown
from .answers import ChoiceAnswer

if TYPE_CHECKING:
    import pyarrow as pa

    from ...votes.ask_summary import AskSummary

ALL, MEAN_OF_SUBSETS = "all (weighted by questions)", "mean of subsets"
SUFFIXES = (".md", ".json", ".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")
_FIRST = ("model", "subset", "metric", "value", "low", "high", "reason", "n_questions", "n_answers", "n_unread")
_SHOWN = {
    "choice_accuracy": "mean",
    "choice_spread": "SD",
    "choice_all_right": "all right",
    "choice_any_right": "any right",
}


@dataclass(frozen=True)
class Choice:
    """The answers of models to multiple-choice questions, scored.

    warnings : what its reader must know before the figures. plan : what would be asked, (model, questions, unknown); of a dry run all there is.
    summaries : what came of asking.
    """

    rows: list[Row]
    answers: Sequence[ChoiceAnswer] = field(repr=False)
    warnings: list[str]
    made_with: dict[str, Any]
    plan: list[tuple[str, int, int]] = field(default_factory=list)
    summaries: list[AskSummary] = field(default_factory=list)

    @cached_property
    def table(self) -> pa.Table:
        """model, subset, metric, value, low, high, reason, n_questions, n_answers, n_unread: a row for each figure."""
        return arrow_table(self.rows, _FIRST)

    @cached_property
    def per_answer(self) -> pa.Table:
        """model, question_id, subset, shift, repeat, chosen and right (letters in the question's own order), correct, unread, response."""
        return arrow_table(
            [
                {
                    "model": one.model, "question_id": one.question.name, "subset": one.question.subset, "shift": one.shift, "repeat": one.repeat,
                    "chosen": None if one.chosen is None else _letters(one.chosen), "right": _letters(one.question.right), "correct": one.is_right,
                    "unread": one.chosen is None, "response": one.response,
                }
                for one in self.answers
            ]
        )  # fmt: skip

    @property
    def prompt_line(self) -> str:
        """With which prompts was asked; "" where nobody was."""
        prompts: dict[str, int] = self.made_with.get("prompts", {})
        if len(prompts) < 2:
            return "".join(f"Prompt: {version}." for version in prompts)
        told = [f"{version} for {counted(n, 'question')}" for version, n in prompts.items()]
        return f"Prompts: {', '.join(told)}."

    def lines(self) -> list[str]:
        """For a terminal: warnings, then a line for each model and subset."""
        out = [*self.warnings, *([self.prompt_line] if self.prompt_line else [])]
        for model, subset in dict.fromkeys((row["model"], row["subset"]) for row in self.rows):
            figures = [row for row in self.rows if (row["model"], row["subset"]) == (model, subset)]
            parts = [f"{_SHOWN[row['metric']]} {_number(row)}" for row in figures]
            questions, answers = figures[0]["n_questions"], figures[0]["n_answers"]
            counts = f"{counted(questions, 'question')}, {counted(answers, 'answer')}"
            out.append(f"{model}, {subset}: {', '.join(parts)} ({counts})")
        return out

    def to_markdown(self) -> str:
        names = list(_SHOWN)
        lines = [
            "| model | questions | " + " | ".join(_SHOWN.values()) + " | number |",
            "| --- | --- " + "| ---: " * (len(names) + 1) + "|",
        ]
        for model, subset in dict.fromkeys((row["model"], row["subset"]) for row in self.rows):
            figures = {row["metric"]: row for row in self.rows if (row["model"], row["subset"]) == (model, subset)}
            cells = [_number(figures[name]) for name in names]
            lines.append(
                f"| {in_markdown(model)} | {in_markdown(subset)} | {' | '.join(cells)} | {figures[names[0]]['n_questions']:,} |"
            )
        return (
            "\n".join(
                [
                    *[f"> {in_markdown(warning)}\n" for warning in self.warnings],
                    *lines,
                    *(["", in_markdown(self.prompt_line)] if self.prompt_line else []),
                ]
            )
            + "\n"
        )

    def to_json(self) -> str:
        held = {"warnings": self.warnings, "made_with": self.made_with, "table": json_rows(self.rows)}
        return json.dumps(held, ensure_ascii=False, allow_nan=False, indent=1, default=plain_number)

    def save(self, path: str | os.PathLike[str]) -> None:
        """By the suffix: .md and .json hold the warnings too, the others the table alone. Whole or not at all."""
        suffix = Path(path).suffix.lower()
        if suffix not in SUFFIXES:
            raise InputError("a file of an unknown kind", source=os.fspath(path), allowed=", ".join(SUFFIXES))
        if suffix not in (".md", ".json"):
            write_table(self.table, path)
            return
        with whole_file(Path(path)) as temporary:
            temporary.write_text(self.to_markdown() if suffix == ".md" else self.to_json(), encoding="utf-8")


def _letters(places: Sequence[int]) -> str:
    return "".join(chr(ord("A") + place) for place in places)


def _number(row: Row) -> str:
    if row["value"] is None:
        return "–"
    interval = "" if row["low"] is None else f" [{row['low']:.3f}, {row['high']:.3f}]"
    return f"{row['value']:.3f}{interval}"
