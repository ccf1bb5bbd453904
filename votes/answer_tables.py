"""Votes that were made elsewhere, out of a plain table: a, b, model, verdict or probability."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from ..errors import InputError, OptionError, Remedy, quoted
from ..files.pair_labels import ALLOWED, conflicts, label_of
from ..files.tables import Table, check_keeps_input, read_table, sound_rows
from ..files.wording import counted
from ..terms.icd.naming import Naming
from .prompts.questions import Answer, ModelConfig, Question
from .store.store import VoteStore
from .voters import IMPORTED

_CHANGED = ("refuse", "keep", "replace")
_VERDICT, _PROBABILITY = "verdict", "probability"


@dataclass
class TableSummary:
    """What became of n rows.

    stored : new votes. unscored : of the votes in the table, those without verdict and probability.
    equal : rows whose two names are one, which no model needs to be asked about. repeated : rows that say again what an
    earlier one says. known : votes on pairs that the store holds the same vote of that model on already.
    kept, replaced : votes on pairs that it held another vote of that model on, which stayed, or gave way.
    rejected : rows set aside.
    """

    rows: int
    stored: int = 0
    unscored: int = 0
    equal: int = 0
    repeated: int = 0
    known: int = 0
    kept: int = 0
    replaced: int = 0
    rejected: int = 0
    by_model: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        models = ", ".join(f"{model} {count:,}" for model, count in sorted(self.by_model.items())) or "none"
        counts = {
            "without a verdict": self.unscored,
            "known already": self.known,
            "known with another vote, which stays": self.kept,
            "known with another vote, which was replaced": self.replaced,
            "rows that repeat another": self.repeated,
            "rows whose two names are equal": self.equal,
            "rows set aside": self.rejected,
        }
        rest = "".join(f"; {count:,} {what}" for what, count in counts.items() if count)
        return [f"{counted(self.rows, 'row')}, {counted(self.stored, 'new vote')}; votes by model: {models}{rest}."]


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
    encoding: str | None = None,
    changed: str = "refuse",
) -> TableSummary:
    """Stores the votes of a table under `ModelConfig(model, "imported")`, all or none (with "replace", new ones first, then those replaced).

    Parameters
    ----------
    source
        A path or a data frame.
    naming
        As that of the feature set that will read the votes.
    a, b
        Of a table: the columns of the diagnoses.
    verdict
        Of a table: the column of 0 or 1, yes or no, true or false; blank for a model that gave none. It or the probability is needed.
    probability
        Of a table: the column of the probability of a match, in [0, 1]; without a verdict it gives the verdict, at 0.5.
    model_column
        Of a table: the column of the model's name.
    model
        Of a table without a column of models: the model's name.
    rejects
        A file for the rows that cannot be right, and for lines of JSON that are no object; without it the first is an `InputError`.
    encoding
        Of a text file that is not UTF-8.
    changed
        What becomes of a vote that the store holds already with another verdict or probability: "refuse" is an error, and nothing is
        stored; "keep" leaves the one of the store; "replace" puts that of the table in its place.
    """
    if changed not in _CHANGED:
        raise OptionError("changed", " or ".join(map(repr, _CHANGED)), changed)
    if isinstance(source, str | os.PathLike):
        check_keeps_input(source, rejects)
    table = read_table(source, encoding, set_aside=rejects is not None)
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
    firsts, seconds = (_names(table, column, naming, problems) for column in (a, b))
    models = verdicts = shares = [None] * len(table)
    if model is not None:
        models = [model] * len(table)
    else:
        models = table.text(model_column).to_pylist()
        for row in (row for row, name in enumerate(models) if name is None):
            blank = table.error("the model is blank", row, model_column, allowed="the name of who voted")
            problems.setdefault(row, blank)
    if verdict in table.names:
        verdicts = table.parsed(verdict, label_of, "a verdict of no known kind", ALLOWED, problems)
    if probability in table.names:
        shares = table.parsed(probability, _probability, "not a probability", "0 to 1, or blank", problems)

    votes: dict[int, tuple[Question, Answer]] = {}
    equal = 0
    for row, (one, other, who, said, share) in enumerate(zip(firsts, seconds, models, verdicts, shares, strict=True)):
        if row in problems:
            continue
        if one == other:
            equal += 1
            continue
        if said is None and share is not None:
            said = int(share >= 0.5)
        question = Question(ModelConfig(str(who), IMPORTED), min(one, other), max(one, other))
        votes[row] = question, Answer(said, "empty" if said is None else None, probability=share)
    for question, rows in conflicts(votes):
        shown = "; ".join(f"row {table.row_number(row)}: {_said(votes[row][1])}" for row in rows[:4])
        problem = f"the pair {quoted(question.first)}, {quoted(question.second)} has two votes of {question.config.model} ({shown})"
        allowed = "one vote of a model on a pair, in either order"
        problems.update((row, table.error(problem, row, a, allowed=allowed)) for row in rows)
    sound_rows(table, problems, rejects)
    row_of: dict[tuple[Question, Answer], int] = {}
    for row, vote in votes.items():
        if row not in problems:
            row_of.setdefault(vote, row)
    kept = list(row_of)
    held = store.stored(question for question, _ in kept)
    others = {vote: old for vote, old in zip(kept, held, strict=True) if old and _said(old) != _said(vote[1])}
    if others and changed == "refuse":
        vote, old = next(iter(others.items()))
        raise table.error(
            f"{len(others):,} of its votes are in the store already with another verdict or probability; the first, of "
            f"{vote[0].config.model} on {quoted(vote[0].first)}, {quoted(vote[0].second)}, is {_said(vote[1])} here and {_said(old)} there. "
            "Nothing was stored",
            row_of[vote],
            verdict if verdict in table.names else probability,
            remedy=Remedy(
                "puts those of the table in their place ('keep' leaves those of the store)", changed="replace"
            ),
        )
    replace = changed == "replace"
    stored = store.add_many([vote for vote in kept if vote not in others])
    if replace:
        store.add_many(others, replace=True)
    return TableSummary(
        rows=len(table) + len(table.broken),
        stored=stored,
        unscored=sum(answer.verdict is None for _, answer in kept),
        equal=equal,
        repeated=len(table) - equal - len(problems) - len(kept),
        known=len(kept) - stored - len(others),
        kept=0 if replace else len(others),
        replaced=len(others) if replace else 0,
        rejected=len(problems) + len(table.broken),
        by_model=Counter(question.config.model for question, _ in kept),
    )


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


def _probability(value: Any) -> float | None:
    if value is None or value != value or not str(value).strip():
        return None
    if isinstance(value, bool) or not 0 <= float(value) <= 1:
        raise ValueError
    return float(value)


def _said(answer: Answer) -> str:
    return ", ".join(str(value) for value in (answer.verdict, answer.probability) if value is not None) or "blank"
