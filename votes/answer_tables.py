"""Votes that were made elsewhere, out of a plain table: a, b, model, verdict or probability."""

from __future__ import annotations

from typing import Any

from ..errors import InputError, OptionError, quoted
from ..files.pair_labels import ALLOWED, conflicts, label_of
from ..files.pairs import check_text
from ..files.tables import read_table, sound_rows
from ..options import Output
from ..terms.icd.naming import Naming
from .asking_options import AskSummary
from .prompts.questions import IMPORTED, Answer, ModelConfig, Question
from .store.store import VoteStore

_VERDICT, _PROBABILITY = "verdict", "probability"


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
) -> AskSummary:
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
    sides = [table.text(column) for column in (a, b)]
    for column, values in zip((a, b), sides, strict=True):
        check_text(table, column, values, problems)
    pairs = list(zip(*(values.to_pylist() for values in sides), strict=True))
    texts = list(dict.fromkeys(text for row, pair in enumerate(pairs) if row not in problems for text in pair))
    name = dict(zip(texts, naming(texts), strict=True))
    models = [model] * len(table) if model is not None else table.text(model_column).to_pylist()
    verdicts = shares = [None] * len(table)
    if verdict in table.names:
        verdicts = table.parsed(verdict, label_of, "a verdict of no known kind", ALLOWED, problems)
    if probability in table.names:
        shares = table.parsed(probability, _probability, "not a probability", "0 to 1, or blank", problems)
    votes: dict[int, tuple[Question, Answer]] = {}
    for row, (pair, who, said, share) in enumerate(zip(pairs, models, verdicts, shares, strict=True)):
        if who is None:
            blank = table.error("the model is blank", row, model_column, allowed="the name of who voted")
            problems.setdefault(row, blank)
        elif row not in problems and name[pair[0]] != name[pair[1]]:
            said = int(share >= 0.5) if said is None and share is not None else said
            first, second = sorted(name[text] for text in pair)
            question = Question(ModelConfig(str(who), IMPORTED), first, second)
            votes[row] = question, Answer(said, "empty" if said is None else None, probability=share)
    for question, rows in conflicts(votes):
        shown = "; ".join(f"row {table.row_number(row)}: {_said(votes[row][1])}" for row in rows[:4])
        problem = f"the pair {quoted(question.first)}, {quoted(question.second)} has two votes of {question.config.model} ({shown})"
        allowed = "one vote of a model on a pair, in either order"
        problems.update((row, table.error(problem, row, a, allowed=allowed)) for row in rows)
    sound_rows(table, problems, rejects)
    first_rows = {vote: row for row, vote in reversed(votes.items()) if row not in problems}
    held = dict(zip(first_rows.values(), store.stored(question for question, _ in first_rows), strict=True))
    for row, old in held.items():
        question, answer = votes[row]
        if old is not None and _said(old) != _said(answer) and not replace:
            problem = f"the store holds another vote of {question.config.model}: {_said(answer)} here, {_said(old)} there. Nothing was stored"
            allowed = "votes that the store does not contradict, or the option 'replace'"
            raise table.error(problem, row, verdict if verdict in table.names else probability, allowed=allowed)
    store.add_many(first_rows, replace=replace)
    summary = AskSummary()
    for row in range(len(table)):
        if row in held and (held[row] is None or replace):
            summary.count(votes[row][0].config.model, votes[row][1])
        elif row not in problems:
            known = "known already" if row in votes else "two names that are equal"
            summary.skipped[known].append(f"row {table.row_number(row)}")
    return summary


def _probability(value: Any) -> float | None:
    if value is None or value != value or not str(value).strip():
        return None
    if isinstance(value, bool) or not 0 <= float(value) <= 1:
        raise ValueError
    return float(value) + 0.0  # SQLite keeps no sign of a zero


def _said(answer: Answer) -> str:
    return ", ".join(str(value) for value in (answer.verdict, answer.probability) if value is not None) or "blank"
