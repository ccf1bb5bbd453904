"""How far M and the judge agree with people, and with each other, on pairs of observations and of rationales (DiReCT, Table 7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...files.did_you_mean import hint
from ...files.invisible import read_visible
from ...files.pair_labels import labels_of_people
from ...files.tables import Table
from ...pages.rows import Row
from ...stats.agreement import verdicts_agree
from ..match.judge import LABEL, NO_LABEL, majority_of
from ..score.scores import Score
from .correspondence import JUDGE, OBSERVATION, RATIONALE, Likeness, M, TextPair
from .notes import Deduction
from .run import Run

_COLUMNS = {OBSERVATION: LABEL, RATIONALE: "rationale_label"}
_CELLS = ("both", "who_alone", "against_alone", "neither")
_MEASURES = ("accuracy", "kappa")
PEOPLE, _SHOWN = "people", 4


class Label(NamedTuple):
    """A pair of texts of a note that people labelled, and whether most say that they are alike; None where they are divided."""

    note: str
    question: str
    texts: TextPair
    alike: bool | None


def human_labels(given: Any, runs: Sequence[Run]) -> list[Label]:
    """Reads a table: note, observation (annotated), predicted (observation), label; and run, where there are several.

    note : its place and name, with or without .json. label : 0 or 1 (no or yes, false or true), whether the observations are alike;
    rationale_label : likewise of the rationales of the two. Or a column label_NAME (rationale_label_NAME) for each person: most decide.
    Blank is no label.

    Raises
    ------
    InputError
        For a note, an observation or a prediction that is not there, with its row; for what is no label; for no label at all.
    """
    table = read_visible(given)
    for name in ("note", "observation", "predicted", *(["run"] if len(runs) > 1 else [])):
        table.require(name, "of the labelled pairs")
    people = {question: labels_of_people(table, name).values() for question, name in _COLUMNS.items()}
    labels = {question: np.array([*of], np.int8).reshape(len(of), len(table)).T for question, of in people.items()}
    most = {question: majority_of(of) for question, of in labels.items()}
    cells = {name: [" ".join(str(cell).split()) for cell in table.column(name)] for name in table.names}
    found: list[Label] = []
    for row in range(len(table)):
        run = runs[_place(table, row, "run", cells, [run.name for run in runs])] if "run" in cells else runs[0]
        at = _place(table, row, "note", cells, run.notes)
        pair = [
            side[_place(table, row, column, cells, [" ".join(one.observation.split()) for one in side])]
            for column, side in zip(("observation", "predicted"), run.sides[at], strict=True)
        ]
        for question, of in labels.items():
            if (of[row] != NO_LABEL).any():
                alike = {NO_LABEL: None, 0: False, 1: True}[int(most[question][row])]
                found.append(Label(run.notes[at], question, _texts(question, *pair), alike))
    if all(one.alike is None for one in found):
        allowed = "0 or 1 in label or rationale_label"
        raise InputError("no pair has a label that most agree on", source=table.source, allowed=allowed)
    return found


def _place(table: Table, row: int, column: str, cells: Mapping[str, list[str]], among: Sequence[str]) -> int:
    """Where the name in a cell stands. Errors: `InputError` where it is not there."""
    given = cells[column][row]
    for name in (given, f"{given}.json"):
        if name in among:
            return among.index(name)
    allowed = f"{', '.join(among[:_SHOWN])}, …{hint(given, among)}"
    raise table.error(f"no such {column}", row, column, allowed=allowed, got=given)


def _texts(question: str, one: Deduction, other: Deduction) -> TextPair:
    if question == OBSERVATION:
        return one.observation, other.observation
    return one.rationale or "", other.rationale or ""


def agreement(runs: Sequence[Run], labels: Sequence[Label], judges: Sequence[Likeness]) -> list[Score]:
    """Makes accuracy and kappa of M and the judge against people, where they labelled pairs; and of the judge against M, on all pairs
    that both were asked about.

    Notes are resampled with all their pairs. Labels of the rows: question, who, against, and of the pairs how many are alike by both, by one
    alone, by neither.
    """
    scores: list[Score] = []
    for question in _COLUMNS:
        own = [(one.note, one.texts, one.alike) for one in labels if one.question == question and one.alike is not None]
        every = _pairs_of_both(runs, question) if len(judges) > 1 else []
        for judge in judges:
            judge.learn(question, [texts for _, texts, _ in own])
            scores += _scores(question, judge, PEOPLE, own, runs[0].notes)
            if judge.by != M:
                by_m = [(note, texts, judges[0].alike(question, *texts)) for note, texts in every]
                scores += _scores(question, judge, M, by_m, runs[0].notes)
    return scores


def _pairs_of_both(runs: Sequence[Run], question: str) -> list[tuple[str, TextPair]]:
    """Of observations, every pair of a note; of rationales, those of the observations that correspond by both."""
    found: list[tuple[str, TextPair]] = []
    for run in runs:
        for at, (one, other) in enumerate(run.sides):
            pairs = set(product(range(len(one)), range(len(other))))
            if question == RATIONALE:
                pairs = {pair[:2] for pair in run.pairs[M][at]} & {pair[:2] for pair in run.pairs[JUDGE][at]}
            found += [(run.notes[at], _texts(question, one[i], other[j])) for i, j in sorted(pairs)]
    return found


def _scores(
    question: str, judge: Likeness, against: str, pairs: Sequence[tuple[str, TextPair, bool]], notes: Sequence[str]
) -> list[Score]:
    counts, place = np.zeros((len(notes), len(_CELLS))), {note: at for at, note in enumerate(notes)}
    for note, texts, alike in pairs:
        if judge.probability(question, *texts) is not None:
            counts[place[note], 2 * (not judge.alike(question, *texts)) + (not alike)] += 1
    cases, who = np.flatnonzero(counts.any(1)), M if judge.by == M else judge.name
    cells = dict(zip(_CELLS, counts.sum(0).astype(int).tolist(), strict=True))
    return [
        Score(
            measure, [judge.name], cases, counts[cases], np.arange(4)[None], partial(verdicts_agree, measure=measure), compared=False,
            reason="both say the same of every pair", labels={"question": question, "who": who, "against": against, **cells},
        )
        for measure in (_MEASURES if len(cases) else ())
    ]  # fmt: skip


def agreement_rows(rows: Sequence[Row]) -> list[Row]:
    """Makes question, who, against, accuracy, low, high, kappa, kappa_low, kappa_high, both, who_alone, against_alone, neither, pairs, notes."""
    ends = ("value", "low", "high")
    return [
        {
            **{name: one[name] for name in ("question", "who", "against")},
            **dict(zip(("accuracy", "low", "high"), map(one.get, ends), strict=True)),
            **dict(zip(("kappa", "kappa_low", "kappa_high"), map(other.get, ends), strict=True)),
            **{name: one[name] for name in _CELLS},
            "pairs": sum(one[name] for name in _CELLS),
            "notes": one["n_cases"],
        }
        for one, other in zip(rows[::2], rows[1::2], strict=True)
    ]
