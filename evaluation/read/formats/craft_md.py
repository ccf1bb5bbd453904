"""CRAFT-MD: results in `MODEL/CASE.json`, with five trials of several experiments, and its table of cases.

Only the experiments with a free answer (…_frq) are read: each is a rater, each of its trials a repeat of it, "gpt4_1106
vignette_frq [trial 1]". Where the name that its grader extracted is kept, that is the answer, else what the model wrote.
The table of cases (case_id, case_vignette, answer, category) tells only the right answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ....errors import InputError
from ....files.tables import read_table
from .answer import Answer, references_in
from .files_of import files_below, has_keys, head, json_file, some_below

_TRIAL = re.compile(r"trial_(\d+)")
_EXTRACTED, _FREE = "extracted_ans_", "_frq"
_OF_A_TABLE = ("case_id", "case_vignette", "answer")


def reads(path: Path) -> bool:
    """A case's results, a folder that holds some, or the table of cases."""
    if path.is_file() and path.suffix in (".csv", ".tsv"):
        columns = re.split(r"[,;\t]", head(path).partition("\n")[0].replace('"', "").strip())
        return set(_OF_A_TABLE) <= set(columns)
    return any(has_keys(file, "trial_0", "case_vignette") for file in some_below(path, "*.json")[:3])


def read(path: Path) -> Iterator[Answer]:
    """Errors: `InputError` for a file that is no such results."""
    if path.is_file() and path.suffix in (".csv", ".tsv"):
        yield from _cases(path)
        return
    for file in files_below(path, "*.json"):
        value = json_file(file)
        if not isinstance(value, dict) or "trial_0" not in value:
            raise InputError("no results of a case", source=str(file), allowed='{"trial_0": {…}, …}')
        right = references_in(value.get("correct_ans"))
        for key, trial in value.items():
            number = _TRIAL.fullmatch(key)
            if number is None or not isinstance(trial, dict):
                continue
            for experiment, text in trial.items():
                if experiment.endswith(_FREE) and not experiment.startswith((_EXTRACTED, "evaluation_")):
                    model = f"{file.parent.resolve().name} {experiment} [trial {int(number[1]) + 1}]"
                    said = trial.get(_EXTRACTED + experiment)
                    yield _answer(file, model, said, text, right)


def _answer(file: Path, model: str, extracted: Any, text: Any, right: tuple[str, ...]) -> Answer:
    names = [extracted.strip()] if isinstance(extracted, str) and extracted.strip() else None
    written = None if names else text if isinstance(text, str) else ""
    return Answer(file.stem, model, diagnoses=names, text=written, references=right, source=str(file))


def _cases(path: Path) -> Iterator[Answer]:
    table = read_table(path)
    groups = table.column("category") if "category" in table.names else [None] * len(table)
    for i, (case, right) in enumerate(zip(table.column("case_id"), table.column("answer"), strict=True)):
        more = {} if groups[i] is None else {"specialty": groups[i]}
        yield Answer(
            str(case), None, references=references_in(right), more=more, source=str(path), row=table.row_number(i)
        )
