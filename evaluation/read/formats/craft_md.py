"""CRAFT-MD: results in `MODEL/CASE.json`, with five trials of several experiments.

Only the experiments with a free answer (…_frq) are read: each is a rater, each of its trials a repeat of it, "gpt4_1106
vignette_frq [trial 1]". Where the name that its grader extracted is kept, that is the answer, else what the model wrote.
Its table of cases (case_id, case_vignette, answer, category) is one of right answers as any other.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from .answer import Answer, objects_below, told_by

TITLE = "CRAFT-MD"
_KEYS = (("trial_0", "case_vignette"),)
reads = told_by(_KEYS)
_TRIAL, _FREE = re.compile(r"trial_\d+"), re.compile(r"(?!extracted_ans_|evaluation_).*_frq")


def read(path: Path) -> Iterator[Answer]:
    """Errors: `InputError` for a file of anything else."""
    for file, _, held in objects_below(path, _KEYS, "*.json"):
        for trial in filter(_TRIAL.fullmatch, held):
            for experiment in filter(_FREE.fullmatch, held[trial]):
                model = f"{file.parent.resolve().name} {experiment} [trial {int(trial[6:]) + 1}]"
                said = str(held[trial].get(f"extracted_ans_{experiment}") or "").strip()
                names, text = ([said], None) if said else (None, str(held[trial][experiment] or "").strip())
                right = held.get("correct_ans")
                yield Answer(file.stem, model, names, text, references=right, source=file)
