"""CRAFT-MD: results in `MODEL/CASE.json`, with five trials of several experiments, and its table of cases.

Only the experiments with a free answer (…_frq) are read: each is a rater, each of its trials a repeat of it, "gpt4_1106
vignette_frq [trial 1]". Where the name that its grader extracted is kept, that is the answer, else what the model wrote.
The table of cases (case_id, case_vignette, answer, category) tells only the right answers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ....errors import InputError
from ....files.json_records import read_json
from ....files.tables import read_table
from .answer import Answer, references_in
from .files_of import Head, files_below

TITLE = "CRAFT-MD"
_TRIAL = re.compile(r"trial_(\d+)")
_FREE = re.compile(r"(?!extracted_ans_|evaluation_).*_frq")


def reads(head: Head) -> bool:
    """A case's results, or the table of cases."""
    return {"case_id", "case_vignette", "answer"} <= head.keys or {"trial_0", "case_vignette"} <= head.keys


def read(path: Path) -> Iterator[Answer]:
    """Errors: `InputError` for a file that is no such results."""
    if path.suffix in (".csv", ".tsv"):
        table = read_table(path)
        for i, row in enumerate(table.data.to_pylist()):
            more = {"specialty": row["category"]} if row.get("category") else {}
            right = references_in(row["answer"])
            yield Answer(
                str(row["case_id"]), None, references=right, more=more, source=str(path), row=table.row_number(i)
            )
        return
    for file in files_below(path, "*.json"):
        value = read_json(file).value
        if not isinstance(value, dict) or "trial_0" not in value:
            raise InputError("no results of a case", source=str(file), allowed='{"trial_0": {…}, …}')
        right = references_in(value.get("correct_ans"))
        trials = [(int(number[1]) + 1, trial) for key, trial in value.items() if (number := _TRIAL.fullmatch(key))]
        for number, trial in trials:
            for experiment in filter(_FREE.fullmatch, trial):
                model = f"{file.parent.resolve().name} {experiment} [trial {number}]"
                said, text = (str(trial.get(key) or "").strip() for key in (f"extracted_ans_{experiment}", experiment))
                names, written = ([said], None) if said else (None, text)
                yield Answer(file.stem, model, diagnoses=names, text=written, references=right, source=str(file))
