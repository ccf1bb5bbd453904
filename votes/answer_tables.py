"""Votes that were made elsewhere, out of a plain table: a, b, model, verdict or probability."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError, OptionError
from ..files.tables import Table, read_table, write_rejects
from ..terms.icd.naming import Naming
from .prompts.questions import Answer, ModelConfig, Question
from .store.store import VoteStore
from .voters import IMPORTED

_VERDICTS = {"0": 0, "0.0": 0, "no": 0, "false": 0, "1": 1, "1.0": 1, "yes": 1, "true": 1}
_VERDICT, _PROBABILITY = "verdict", "probability"


@dataclass
class TableSummary:
    """What became of n rows.

    stored : new votes. unscored : of the votes in the table, those without verdict and probability.
    equal : rows whose two names are one, which no model needs to be asked about. repeated : rows that say again what an
    earlier one says. known : votes on pairs that the store holds a vote of that model on already, which stays.
    rejected : rows set aside.
    """

    rows: int
    stored: int = 0
    unscored: int = 0
    equal: int = 0
    repeated: int = 0
    known: int = 0
    rejected: int = 0
    by_model: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        models = ", ".join(f"{model} {count:,}" for model, count in sorted(self.by_model.items())) or "none"
        counts = {
            "without a verdict": self.unscored,
            "known already": self.known,
            "rows that repeat another": self.repeated,
            "rows whose two names are equal": self.equal,
            "rows set aside": self.rejected,
        }
        rest = "".join(f"; {count:,} {what}" for what, count in counts.items() if count)
        return [f"{self.rows:,} rows, {self.stored:,} new votes; votes by model: {models}{rest}."]


@dataclass(frozen=True)
class _Vote:
    """What one row says. first < second."""

    model: str
    first: str
    second: str
    verdict: int | None
    probability: float | None

    @property
    def on(self) -> tuple[str, str, str]:
        return self.model, self.first, self.second

    def __str__(self) -> str:
        said = [str(value) for value in (self.verdict, self.probability) if value is not None]
        return ", ".join(said) or "blank"


def import_table(
    source: Any,
    store: VoteStore,
    *,
    naming: Naming,
    a: str = "a",
    b: str = "b",
    verdict: str = _VERDICT,
    probability: str = _PROBABILITY,
    model_column: str = "model",
    model: str | None = None,
    rejects: str | os.PathLike[str] | None = None,
) -> TableSummary:
    """Stores the votes of a table under `ModelConfig(model, "imported")`; one that is there already stays.

    Parameters
    ----------
    source : a path or a data frame.
    naming : as that of the feature set that will read the votes.
    verdict : the column of 0 or 1, yes or no, true or false; blank for a model that gave none. probability : the column of
        the probability of a match, in [0, 1]. One of the two is needed; a probability alone gives the verdict, at 0.5.
    model_column : the column of the model's name, unless `model` names one for all rows.
    rejects : a file for the rows that cannot be right; without it the first such row is an `InputError`.
    """
    table = read_table(source)
    if model is not None and not model.strip():
        raise OptionError("model", "the name of who voted", model)
    for column in (a, b):
        table.require(column, "a diagnosis")
    for column, usual in ((verdict, _VERDICT), (probability, _PROBABILITY)):
        if column != usual:
            table.require(column)
    if probability not in table.names:
        table.require(verdict, "0 or 1")
    if model is None:
        table.require(model_column, "who voted")

    problems: dict[int, InputError] = {}
    names = {column: _names(table, column, naming, problems) for column in (a, b)}
    models = [model] * len(table) if model is not None else _models(table, model_column, problems)
    verdicts = _verdicts(table, verdict, problems) if verdict in table.names else [None] * len(table)
    shares = _probabilities(table, probability, problems) if probability in table.names else [None] * len(table)

    votes: dict[int, _Vote] = {}
    equal = 0
    for row, (one, other, who, said, share) in enumerate(
        zip(names[a], names[b], models, verdicts, shares, strict=True)
    ):
        if row in problems:
            continue
        if one == other:
            equal += 1
            continue
        if said is None and share is not None:
            said = int(share >= 0.5)
        votes[row] = _Vote(who, min(one, other), max(one, other), said, share)
    _check_conflicts(table, a, votes, problems)
    if problems and rejects is None:
        raise problems[min(problems)]
    kept = list(dict.fromkeys(vote for row, vote in votes.items() if row not in problems))
    if problems and rejects is not None:
        write_rejects(table, {row: str(error) for row, error in problems.items()}, rejects)
    if len(problems) == len(table):
        raise InputError(f"all {len(table):,} rows were refused; see {rejects}", source=table.source)
    stored = store.add_many((_question(vote), _answer(vote)) for vote in kept)
    return TableSummary(
        rows=len(table),
        stored=stored,
        unscored=sum(vote.verdict is None for vote in kept),
        equal=equal,
        repeated=len(table) - equal - len(problems) - len(kept),
        known=len(kept) - stored,
        rejected=len(problems),
        by_model=Counter(vote.model for vote in kept),
    )


def _question(vote: _Vote) -> Question:
    return Question(ModelConfig(vote.model, IMPORTED), vote.first, vote.second)


def _answer(vote: _Vote) -> Answer:
    reason = "empty" if vote.verdict is None else None
    return Answer(vote.verdict, reason, probability=vote.probability)


def _names(table: Table, column: str, naming: Naming, problems: dict[int, InputError]) -> list[str]:
    """The name of each row; "" for one with a problem."""
    known: dict[str | None, str | InputError] = {}
    out = []
    for row, text in enumerate(table.text(column).to_pylist()):
        if text not in known:
            try:
                known[text] = naming([text or ""])[0]
            except InputError as error:
                known[text] = error
        name = known[text]
        if isinstance(name, InputError):
            problem = name.problem if text else "the diagnosis is blank"
            problems.setdefault(row, table.error(problem, row, column, allowed=name.allowed, got=text))
            name = ""
        out.append(name)
    return out


def _models(table: Table, column: str, problems: dict[int, InputError]) -> list[str]:
    out = table.text(column).to_pylist()
    for row, name in enumerate(out):
        if name is None:
            problems.setdefault(row, table.error("the model is blank", row, column, allowed="the name of who voted"))
    return out


def _verdicts(table: Table, column: str, problems: dict[int, InputError]) -> list[int | None]:
    out: list[int | None] = []
    for row, value in enumerate(table.column(column)):
        said = None if _blank(value) else _VERDICTS.get(str(value).strip().casefold())
        if said is None and not _blank(value):
            allowed = "0 or 1, yes or no, true or false, or blank for no verdict"
            problems.setdefault(row, table.error("a verdict of no known kind", row, column, allowed=allowed, got=value))
        out.append(said)
    return out


def _probabilities(table: Table, column: str, problems: dict[int, InputError]) -> list[float | None]:
    out: list[float | None] = []
    for row, value in enumerate(table.column(column)):
        number = None if _blank(value) else _number(value)
        if number is not None and not 0 <= number <= 1:
            error = table.error("not a probability", row, column, allowed="0 to 1, or blank", got=value)
            problems.setdefault(row, error)
        out.append(number)
    return out


def _blank(value: Any) -> bool:
    return value is None or value != value or (isinstance(value, str) and not value.strip())


def _number(value: Any) -> float:
    """NaN for what is not a number."""
    try:
        return math.nan if isinstance(value, bool) else float(value)
    except (TypeError, ValueError):
        return math.nan


def _check_conflicts(table: Table, column: str, votes: dict[int, _Vote], problems: dict[int, InputError]) -> None:
    """One model has one vote on a pair, in either order. All rows of a pair with two votes are refused."""
    rows_of: dict[tuple[str, str, str], list[int]] = {}
    for row, vote in votes.items():
        rows_of.setdefault(vote.on, []).append(row)
    for (model, first, second), rows in rows_of.items():
        if len({votes[row] for row in rows}) > 1:
            problem = f"the pair {first!r}, {second!r} has two votes of {model} ({_shown(table, rows, votes)})"
            allowed = "one vote of a model on a pair, in either order; --rejects FILE sets such rows aside"
            for row in rows:
                problems[row] = table.error(problem, row, column, allowed=allowed)


def _shown(table: Table, rows: Sequence[int], votes: dict[int, _Vote]) -> str:
    return "; ".join(f"row {table.row_number(row)}: {votes[row]}" for row in rows[:4])
