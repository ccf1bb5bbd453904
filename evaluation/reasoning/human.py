"""How far M and the judge agree with people, and with each other, on pairs of observations and of rationales (DiReCT, Table 7)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import InputError
from ...files.did_you_mean import hint
from ...files.invisible import read_visible
from ...pages.rows import Row
from ..judges.labels import LABEL, NO_LABEL, label_columns, majority_of, read_labels
from ..statistics.section import Context
from ..statistics.two_verdicts import agreement_of
from .compared import JUDGE, M, Run
from .correspondence import OBSERVATION, RATIONALE, Similar
from .judge import Judge
from .notes import Deduction

_COLUMNS = {OBSERVATION: LABEL, RATIONALE: "rationale_label"}

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
    columns = {question: label_columns(table, name) for question, name in _COLUMNS.items()}
    if not any(columns.values()):
        raise InputError(
            "no column of labels", source=table.source,
            allowed="label, or label_NAME for each person; rationale_label likewise", got=", ".join(table.names),
        )  # fmt: skip
    said_of = {question: read_labels(table, of.values()) for question, of in columns.items()}
    most = {question: majority_of(of) for question, of in said_of.items()}
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
        for question, of in said_of.items():
            if (of[i] == NO_LABEL).all():
                continue
            if most[question][i] == NO_LABEL:
                undecided[question] += 1
                continue
            labels.append(Label(note, question, *_asked(question, true, said), bool(most[question][i])))
    if not labels:
        raise InputError("no pair has a label that most agree on", source=table.source, allowed="0 or 1 in some row")
    return Labels(labels, undecided, table.source)


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
    found = agreement_of(
        [one for _, one, _ in verdicts], [other for _, _, other in verdicts], [note for note, _, _ in verdicts], context
    )
    row: Row = {"question": question, "who": who, "against": against}
    for name, prefix in (("accuracy", ""), ("kappa", "kappa_")):
        of = found.measures[name]
        row |= {name: of["value"], f"{prefix}low": of["low"], f"{prefix}high": of["high"]}
    cells = zip(("both", "who_alone", "against_alone", "neither"), found.counts, strict=True)
    return row | dict(cells) | {"pairs": len(verdicts), "notes": found.n_cases}
