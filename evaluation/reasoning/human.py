"""How far M and the judge agree with people on pairs of observations and of rationales (DiReCT, Table 7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...errors import InputError
from ...files.invisible import read_visible
from ...files.pair_labels import BLANK, labels_of_people
from ..match.judge import LABEL, place_of
from ..score import human
from ..score.scores import FamilyScores
from .correspondence import OBSERVATION, RATIONALE, Likeness
from .run import Run

_COLUMNS = {OBSERVATION: LABEL, RATIONALE: "rationale_label"}


def agreement_with_people(given: Any, runs: Sequence[Run], judges: Sequence[Likeness]) -> FamilyScores:
    """Reads a table of labelled pairs, and compares judges with it: note, observation (annotated), predicted (observation), label.

    And run, where there are several. note : its place and name. label : 0 or 1 (no or yes, false or true), whether
    the observations are alike; rationale_label : likewise of the rationales of the two. Or a column label_NAME (rationale_label_NAME) for
    each person. Blank is no label. Notes are resampled with all their pairs.

    Raises
    ------
    InputError
        For a note, an observation or a prediction that is not there, with its row; for what is no label; for no label at all.
    """
    table = read_visible(given)
    named = {name: [" ".join(str(cell).split()) for cell in table.column(name)] for name in table.names}
    for name in ("note", "observation", "predicted", *(["run"] if len(runs) > 1 else [])):
        table.require(name, "of the labelled pairs")
    notes, pairs = [], []
    for row in range(len(table)):
        cell = {name: cells[row] for name, cells in named.items()}
        run = runs[place_of(table, row, "run", cell["run"], [run.name for run in runs])] if "run" in cell else runs[0]
        notes.append(place_of(table, row, "note", cell["note"], run.notes))
        pairs.append([
            side[place_of(table, row, column, cell[column], [" ".join(one.observation.split()) for one in side])]
            for column, side in zip(("observation", "predicted"), run.sides[notes[-1]], strict=True)
        ])  # fmt: skip
    found = []
    for question, column in _COLUMNS.items():
        labels = labels_of_people(table, column)
        kept = np.flatnonzero(np.any([of != BLANK for of in labels.values()], 0)) if labels else []
        if not len(kept):
            continue
        texts = [
            (getattr(one, question) or "", getattr(other, question) or "")
            for one, other in map(pairs.__getitem__, kept)
        ]
        verdicts = {judge.by: np.array(judge.verdicts(question, texts)) for judge in judges}
        humans = {who: of[kept] for who, of in labels.items()}
        found.append(human.of_labels(humans, verdicts, [notes[row] for row in kept], table.source, question=question))
    if not found:
        raise InputError("no pair is labelled", source=table.source, allowed="0 or 1 in label or rationale_label")
    return human.family(found, ("question", *human.COLUMNS))
