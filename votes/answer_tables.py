"""Votes that were made elsewhere, out of a plain table: a, b, model, verdict or probability."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from ..errors import InputError, OptionError, quoted
from ..files.pair_labels import ALLOWED, conflicts, label_of
from ..files.tables import Table, read_table, sound_rows
from ..files.wording import counted
from ..options import Output
from ..terms.icd.naming import Naming
from .prompts.questions import IMPORTED, Answer, ModelConfig, Question
from .store.store import VoteStore

_VERDICT, _PROBABILITY = "verdict", "probability"


@dataclass
class TableSummary:
    """What became of n rows.

    stored : new votes. unscored : of the votes in the table, those without verdict and probability.
    equal : rows whose two names are one, which no model needs to be asked about. known : rows that say again what an earlier one or the
    store says, or, where they may, something else than the store. rejected : rows set aside.
    """

    rows: int
    stored: int = 0
    unscored: int = 0
    equal: int = 0
    known: int = 0
    rejected: int = 0
    by_model: Counter[str] = field(default_factory=Counter)

    def lines(self) -> list[str]:
        models = ", ".join(f"{model} {count:,}" for model, count in sorted(self.by_model.items())) or "none"
        counts = {
            "without a verdict": self.unscored, "known already": self.known, "rows whose two names are equal": self.equal,
            "rows set aside": self.rejected,
        }  # fmt: skip
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
    rejects: Output | None = None,
    encoding: str | None = None,
    replace: bool = False,
) -> TableSummary:
    """Stores the votes of a table under `ModelConfig(model, "imported")`, all or none.

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
    replace
        Of a table: its votes take the place of other ones of that model on the same pairs; without it, one that differs from the store is an error.
    """
    table = read_table(source, encoding, set_aside=rejects is not None)
    if model is not None and not model.strip():
        raise OptionError("model", "the name of who voted", model)
    needed = {a: "a diagnosis", b: "a diagnosis"} | ({} if probability in table.names else {verdict: "0 or 1"})
    needed |= {column: "a vote" for column in (verdict, probability) if column not in (_VERDICT, _PROBABILITY)}
    needed |= {} if model is not None else {model_column: "who voted"}
    for column, what in needed.items():
        table.require(column, what)
    problems: dict[int, InputError] = {}
    firsts, seconds = (_names(table, column, naming, problems) for column in (a, b))
    models = [model] * len(table) if model is not None else table.text(model_column).to_pylist()
    verdicts = shares = [None] * len(table)
    if verdict in table.names:
        verdicts = table.parsed(verdict, label_of, "a verdict of no known kind", ALLOWED, problems)
    if probability in table.names:
        shares = table.parsed(probability, _probability, "not a probability", "0 to 1, or blank", problems)
    votes: dict[int, tuple[Question, Answer]] = {}
    for row, (one, other, who, said, share) in enumerate(zip(firsts, seconds, models, verdicts, shares, strict=True)):
        if who is None:
            blank = table.error("the model is blank", row, model_column, allowed="the name of who voted")
            problems.setdefault(row, blank)
        elif row not in problems and one != other:
            said = int(share >= 0.5) if said is None and share is not None else said
            question = Question(ModelConfig(str(who), IMPORTED), min(one, other), max(one, other))
            votes[row] = question, Answer(said, "empty" if said is None else None, probability=share)
    for question, rows in conflicts(votes):
        shown = "; ".join(f"row {table.row_number(row)}: {_said(votes[row][1])}" for row in rows[:4])
        problem = f"the pair {quoted(question.first)}, {quoted(question.second)} has two votes of {question.config.model} ({shown})"
        allowed = "one vote of a model on a pair, in either order"
        problems.update((row, table.error(problem, row, a, allowed=allowed)) for row in rows)
    sound_rows(table, problems, rejects)
    kept = {vote: row for row, vote in reversed(votes.items()) if row not in problems}
    held = list(store.stored(question for question, _ in kept))
    for (question, answer), old, row in zip(kept, held, kept.values(), strict=True):
        if old is not None and _said(old) != _said(answer) and not replace:
            problem = f"the store holds another vote of {question.config.model}: {_said(answer)} here, {_said(old)} there. Nothing was stored"
            allowed = "votes that the store does not contradict, or the option 'replace'"
            raise table.error(problem, row, verdict if verdict in table.names else probability, allowed=allowed)
    store.add_many(kept, replace=replace)
    stored, equal = held.count(None), len(table) - len(votes.keys() | problems.keys())
    return TableSummary(
        len(table) + len(table.broken), stored, sum(answer.verdict is None for _, answer in kept), equal,
        len(votes.keys() - problems.keys()) - stored, len(problems) + len(table.broken),
        Counter(question.config.model for question, _ in kept),
    )  # fmt: skip


def _names(table: Table, column: str, naming: Naming, problems: dict[int, InputError]) -> list[str]:
    """The name of each row; "" for one with a problem."""

    @cache
    def name_of(text: str | None) -> str | InputError:
        try:
            return naming([text or ""])[0]
        except InputError as error:
            return error

    out = []
    for row, text in enumerate(table.text(column).to_pylist()):
        if isinstance(name := name_of(text), InputError):
            problem = name.problem if text else "the diagnosis is blank"
            problems.setdefault(row, table.error(problem, row, column, allowed=name.allowed, got=text))
        out.append(name if isinstance(name, str) else "")
    return out


def _probability(value: Any) -> float | None:
    if value is None or value != value or not str(value).strip():
        return None
    if isinstance(value, bool) or not 0 <= float(value) <= 1:
        raise ValueError
    return float(value)


def _said(answer: Answer) -> str:
    return ", ".join(str(value) for value in (answer.verdict, answer.probability) if value is not None) or "blank"
