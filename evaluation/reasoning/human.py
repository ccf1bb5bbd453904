"""How far M and the judge agree with people, and with each other, on pairs of observations and of rationales (DiReCT, Table 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.did_you_mean import hint
from ...files.invisible import read_visible
from ...files.tables import Table
from ...pages.rows import Row, known
from ...votes.answer_tables import VERDICTS_ALLOWED, verdict_of
from ..statistics.bootstrap import percentile_interval, resampled_means
from ..statistics.section import Context
from .compared import JUDGE, M, Run
from .correspondence import OBSERVATION, RATIONALE, Similar
from .judge import Judge
from .notes import Deduction

_COLUMNS = {OBSERVATION: "label", RATIONALE: "rationale_label"}

Verdicts = list[tuple[str, bool, bool]]
"""(note, one's verdict, the other's) of each pair."""


@dataclass(frozen=True)
class Label:
    """A pair that people labelled: of which note, its question, its two texts, whether most say that they are alike."""

    note: str
    question: str
    annotated: str
    predicted: str
    alike: bool


@dataclass(frozen=True)
class Labels:
    """labels : of both questions. undecided : pairs on which people were divided, by question."""

    labels: list[Label]
    undecided: dict[str, int]
    source: str


def human_labels(given: Any, runs: Sequence[Run]) -> Labels:
    """Reads a table: note, observation (annotated), predicted (observation), label; and run, where there are several.

    note : its place and name, with or without .json. label : 0 or 1 (no or yes, false or true), whether the observations are alike; rationale_label : likewise of the rationales of the two. Or a column
    label_NAME (rationale_label_NAME) for each person: most decide. Blank is no label; a pair without a majority is left out, and told.

    Raises
    ------
    InputError
        For a note, an observation or a prediction that is not there, with its row; for what is no label; for no label at all.
    """
    table = read_visible(given)
    for name in ("note", "observation", "predicted", *(["run"] if len(runs) > 1 else [])):
        table.require(name, "of the labelled pairs")
    columns = {question: _people(table, name) for question, name in _COLUMNS.items()}
    if not columns[OBSERVATION] and not columns[RATIONALE]:
        raise InputError(
            "no column of labels", source=table.source,
            allowed="label, or label_NAME for each person; rationale_label likewise", got=", ".join(table.names),
        )  # fmt: skip
    by_name = {run.name: run for run in runs}
    texts = {name: table.column(name) for name in ("note", "observation", "predicted")}
    of_run = table.column("run") if "run" in table.names else [runs[0].name] * len(table)
    labels: list[Label] = []
    undecided = dict.fromkeys(_COLUMNS, 0)
    for i in range(len(table)):
        row = table.row_number(i)
        run = by_name.get(str(of_run[i]))
        if run is None:
            allowed = ", ".join(by_name)
            raise InputError("no such run", source=table.source, row=row, column="run", allowed=allowed, got=of_run[i])
        note, true, said = _place(
            run, texts["note"][i], texts["observation"][i], texts["predicted"][i], table.source, row
        )
        for question, people in columns.items():
            votes = [
                vote for name, values in people.items() if (vote := _vote(values[i], table, row, name)) is not None
            ]
            if not votes:
                continue
            if 2 * sum(votes) == len(votes):
                undecided[question] += 1
                continue
            pair = _asked(question, true, said)
            labels.append(Label(note, question, *pair, 2 * sum(votes) > len(votes)))
    if not labels:
        raise InputError("no pair has a label that most agree on", source=table.source, allowed="0 or 1 in some row")
    return Labels(labels, undecided, table.source)


def _people(table: Table, prefix: str) -> dict[str, list[Any]]:
    names = [name for name in table.names if name == prefix or name.startswith(f"{prefix}_")]
    return {name: table.column(name) for name in names}


def _vote(value: Any, table: Table, row: int, column: str) -> int | None:
    try:
        return verdict_of(value)
    except LookupError:
        raise InputError(
            "no label", source=table.source, row=row, column=column, allowed=VERDICTS_ALLOWED, got=value
        ) from None


def _place(
    run: Run, note: Any, observation: Any, predicted: Any, source: str, row: int
) -> tuple[str, Deduction, Deduction]:
    note = next((name for name in (str(note).strip(), f"{str(note).strip()}.json") if name in run.notes), note)
    if note not in run.notes:
        raise InputError(
            "no such note", source=source, row=row, column="note",
            allowed=f"the place and name of a note, with or without .json, such as {run.notes[0]}{hint(str(note), run.notes)}", got=note,
        )  # fmt: skip
    both = run.deductions[run.notes.index(note)]
    found = []
    for column, wanted, side in (("observation", observation, both[0]), ("predicted", predicted, both[1])):
        here = next((one for one in side if _plain(one.observation) == _plain(str(wanted))), None)
        if here is None:
            whose = "the note's annotation" if column == "observation" else f"the prediction of {run.name}"
            raise InputError(
                "no such observation", source=source, row=row, column=column, allowed=f"one of {whose}", got=wanted
            )
        found.append(here)
    return note, found[0], found[1]


def _plain(text: str) -> str:
    return " ".join(text.split())


def _asked(question: str, true: Deduction, said: Deduction) -> tuple[str, str]:
    if question == OBSERVATION:
        return true.observation, said.observation
    return true.rationale or "", said.rationale or ""


def agreement_of_judges(
    runs: Sequence[Run], labels: Labels | None, similar: Similar, judge: Judge | None, context: Context
) -> list[Row]:
    """question, who, against, accuracy, low, high, kappa, kappa_low, kappa_high, both, who_alone, against_alone, neither, pairs, notes.

    M and the judge against people, where they labelled pairs; and the judge against M, on all pairs that both were asked about.
    Intervals are over notes, which are resampled with all their pairs.
    """
    rows: list[Row] = []
    for question in (OBSERVATION, RATIONALE):
        own = [] if labels is None else [one for one in labels.labels if one.question == question]
        if own:
            similar.learn(question, [(one.annotated, one.predicted) for one in own])
            rows.append(_row(question, M, "people", _against(own, _said_by(similar, question)), context))
            if judge is not None:
                judge.learn(question, [(one.annotated, one.predicted) for one in own])
                rows.append(_row(question, judge.model.model, "people", _against(own, _said(judge, question)), context))
        if judge is not None:
            rows.append(_row(question, judge.model.model, M, _between(runs, question, similar, judge), context))
    return [row for row in rows if row["pairs"]]


def _said_by(similar: Similar, question: str) -> Callable[[str, str], bool | None]:
    return lambda a, b: similar(question, a, b) >= similar.threshold


def _said(judge: Judge, question: str) -> Callable[[str, str], bool | None]:
    def verdict(a: str, b: str) -> bool | None:
        said = judge.verdict(question, a, b)
        return None if said is None else said >= judge.threshold

    return verdict


def _against(labels: Sequence[Label], verdict: Callable[[str, str], bool | None]) -> Verdicts:
    found = [(one.note, verdict(one.annotated, one.predicted), one.alike) for one in labels]
    return [(note, said, alike) for note, said, alike in found if said is not None]


def _between(runs: Sequence[Run], question: str, similar: Similar, judge: Judge) -> Verdicts:
    """Of observations, every pair of a note; of rationales, those of the observations that correspond by both."""
    verdict, out = _said(judge, question), []
    for run in runs:
        for place, (true, said) in enumerate(run.deductions):
            pairs = [(i, j) for i in range(len(true)) for j in range(len(said))]
            if question == RATIONALE:
                pairs = sorted(set(run.by[M].pairs[place]) & set(run.by[JUDGE].pairs[place]))
            for i, j in pairs:
                texts = _asked(question, true[i], said[j])
                if (said_so := verdict(*texts)) is not None:
                    out.append((run.notes[place], said_so, similar(question, *texts) >= similar.threshold))
    return out


def _row(question: str, who: str, against: str, verdicts: Verdicts, context: Context) -> Row:
    notes = sorted({note for note, _, _ in verdicts})
    place = {note: i for i, note in enumerate(notes)}
    table = np.zeros((max(1, len(notes)), 4))
    for note, one, other in verdicts:
        table[place[note], 2 * (not one) + (not other)] += 1
    totals = table.sum(0)
    again = resampled_means(table, context.repeats, context.seed)
    row: Row = {"question": question, "who": who, "against": against}
    for name, of, prefix in (("accuracy", _accuracy, ""), ("kappa", _kappa, "kappa_")):
        interval = percentile_interval(of(again), context.level, len(notes))
        row |= {
            name: known(float(of(totals))), f"{prefix}low": interval.low, f"{prefix}high": interval.high,
        }  # fmt: skip
    cells = zip(("both", "who_alone", "against_alone", "neither"), totals.astype(int).tolist(), strict=True)
    return row | dict(cells) | {"pairs": len(verdicts), "notes": len(notes)}


def _accuracy(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """table : [..., 4], both, one alone, other alone, neither."""
    whole = table.sum(-1)
    return np.divide(table[..., 0] + table[..., 3], whole, out=np.full(whole.shape, np.nan), where=whole > 0)


def _kappa(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Cohen's; NaN where both say the same of every pair, so that chance leaves nothing open."""
    whole = table.sum(-1, keepdims=True)
    share = np.divide(table, whole, out=np.full(table.shape, np.nan), where=whole > 0)
    one, other = share[..., 0] + share[..., 1], share[..., 0] + share[..., 2]
    chance = one * other + (1 - one) * (1 - other)
    observed = share[..., 0] + share[..., 3]
    return np.divide(observed - chance, 1 - chance, out=np.full(np.shape(chance), np.nan), where=1 - chance > 1e-12)
