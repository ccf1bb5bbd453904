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
from .answer import Answer, Head, files_below, references_in

TITLE = "CRAFT-MD"
_FREE = re.compile(r"(?!extracted_ans_|evaluation_).*_frq")


def reads(head: Head) -> bool:
    """A case's results, or the table of cases."""
    return {"case_id", "case_vignette", "answer"} <= head.keys or {"trial_0", "case_vignette"} <= head.keys


def read(path: Path) -> Iterator[Answer]:
    """Errors: `InputError` for a file that is no such results."""
    if path.suffix in (".csv", ".tsv"):
        table = read_table(path)
        for case, row in zip(table.data.to_pylist(), table.row_numbers().tolist(), strict=True):
            more = {"specialty": case["category"]} if case.get("category") else {}
            right = references_in(case["answer"])
            yield Answer(str(case["case_id"]), None, references=right, more=more, source=path, row=row)
        return
    for file in files_below(path, "*.json"):
        held = read_json(file).value
        if not isinstance(held, dict) or "trial_0" not in held:
            raise InputError("no results of a case", source=str(file), allowed='{"trial_0": {…}, …}')
        right, trials = references_in(held.get("correct_ans")), [key for key in held if re.fullmatch(r"trial_\d+", key)]
        for trial in trials:
            for experiment in filter(_FREE.fullmatch, held[trial]):
                model = f"{file.parent.resolve().name} {experiment} [trial {int(trial[6:]) + 1}]"
                said, text = (
                    str(held[trial].get(key) or "").strip() for key in (f"extracted_ans_{experiment}", experiment)
                )
                names, written = ([said], None) if said else (None, text)
                yield Answer(file.stem, model, names, written, references=right, source=file)
