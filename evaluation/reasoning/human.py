"""How far M and the judge agree with people, and with each other, on pairs of observations and of rationales (DiReCT, Table 7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...errors import InputError
from ...files.did_you_mean import hint
from ...files.invisible import read_visible
from ...pages.rows import Row
from ...statistics.agreement import verdicts_agree
from ..match.judge import LABEL, NO_LABEL, label_columns, majority_of, read_labels
from ..score.scores import Score, Values
from .correspondence import JUDGE, OBSERVATION, RATIONALE, Likeness, M, TextPair
from .notes import Deduction
from .run import Run

_COLUMNS = {OBSERVATION: LABEL, RATIONALE: "rationale_label"}
_CELLS = ("both", "who_alone", "against_alone", "neither")
_MEASURES = ("accuracy", "kappa")
PEOPLE = "people"


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
    labels = {question: read_labels(table, label_columns(table, name).values()) for question, name in _COLUMNS.items()}
    most = {question: majority_of(of) for question, of in labels.items()}
    cells = {name: [str(cell).strip() for cell in table.column(name)] for name in ("note", "observation", "predicted")}
    of_run = table.column("run") if "run" in table.names else [runs[0].name] * len(table)
    found: list[Label] = []
    for row in range(len(table)):

        def named(column: str, name: Any, among: Sequence[str], row: int = row) -> int:
            if name not in among:
                problem = f"no such {column}{hint(str(name), among)}"
                raise table.error(problem, row, column, allowed=f"one of {', '.join(among[:4])}, …", got=name)
            return among.index(name)

        run = runs[named("run", str(of_run[row]), [run.name for run in runs])]
        note = cells["note"][row]
        at = named("note", note if note in run.notes else f"{note}.json", run.notes)
        one, other = (
            side[
                named(
                    column, " ".join(cells[column][row].split()), [" ".join(each.observation.split()) for each in side]
                )
            ]
            for column, side in zip(("observation", "predicted"), run.sides[at], strict=True)
        )
        for question, of in labels.items():
            if (of[row] != NO_LABEL).any():
                said = int(most[question][row])
                alike = None if said == NO_LABEL else bool(said)
                found.append(Label(run.notes[at], question, _texts(question, one, other), alike))
    if all(one.alike is None for one in found):
        raise InputError(
            "no pair has a label that most agree on", source=table.source, allowed="0 or 1 in label or rationale_label"
        )
    return found


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
        for judge in judges:
            judge.learn(question, [texts for _, texts, _ in own])
            scores += _scores(question, judge, PEOPLE, own, runs[0].notes)
        for judge in judges[1:]:
            every = [(note, texts, judges[0].alike(question, *texts)) for note, texts in _pairs_of_both(runs, question)]
            scores += _scores(question, judge, M, every, runs[0].notes)
    return scores


def _pairs_of_both(runs: Sequence[Run], question: str) -> Iterator[tuple[str, TextPair]]:
    """Of observations, every pair of a note; of rationales, those of the observations that correspond by both."""
    for run in runs:
        for at, (one, other) in enumerate(run.sides):
            pairs = {(i, j) for i in range(len(one)) for j in range(len(other))}
            if question == RATIONALE:
                pairs = {pair[:2] for pair in run.pairs[M][at]} & {pair[:2] for pair in run.pairs[JUDGE][at]}
            yield from ((run.notes[at], _texts(question, one[i], other[j])) for i, j in sorted(pairs))


def _scores(
    question: str, judge: Likeness, against: str, pairs: Sequence[tuple[str, TextPair, bool]], notes: Sequence[str]
) -> Iterator[Score]:
    counts = np.zeros((len(notes), 4))
    for note, texts, alike in pairs:
        if judge.said(question, *texts) is not None:
            counts[notes.index(note), 2 * (not judge.alike(question, *texts)) + (not alike)] += 1
    cases = np.flatnonzero(counts.any(1))
    labels = {"question": question, "who": judge.by if judge.by == M else judge.name, "against": against}
    labels |= dict(zip(_CELLS, counts.sum(0).astype(int).tolist(), strict=True))
    for measure in _MEASURES if len(cases) else ():

        def combine(means: Values, measure: str = measure) -> Values:
            return verdicts_agree(means, measure)

        yield Score(
            measure, [judge.name], cases, counts[cases], np.arange(4)[None], combine, compared=False, labels=labels,
            reason="both say the same of every pair",
        )  # fmt: skip


def agreement_rows(rows: Sequence[Row]) -> list[Row]:
    """Makes question, who, against, accuracy, low, high, kappa, kappa_low, kappa_high, both, who_alone, against_alone, neither, pairs, notes."""
    found: list[Row] = []
    for row in rows:
        named = {name: row[name] for name in ("question", "who", "against")}
        if row["metric"] == _MEASURES[0]:
            found.append(named | {"accuracy": row["value"], "low": row["low"], "high": row["high"]})
        else:
            found[-1] |= {"kappa": row["value"], "kappa_low": row["low"], "kappa_high": row["high"]}
            cells = {name: row[name] for name in _CELLS}
            found[-1] |= cells | {"pairs": sum(cells.values()), "notes": row["n_cases"]}
    return found
