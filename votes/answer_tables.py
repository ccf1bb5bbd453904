"""Votes that were made elsewhere, out of a plain table: a, b, model, verdict or probability."""

from __future__ import annotations

from typing import Any

from ..errors import InputError, quoted
from ..files.pair_labels import ALLOWED, conflicts, label_of
from ..files.pairs import check_text
from ..files.tables import read_table, sound_rows
from ..options import Output
from ..terms.icd.naming import Naming
from .asking_options import AskSummary
from .prompts.questions import IMPORTED, Answer, ModelConfig, Question
from .store.store import VoteStore


def import_table(
    source: Any,
    store: VoteStore,
    *,
    naming: Naming,
    a: str = "a",
    b: str = "b",
    verdict: str = "verdict",
    model: str | None = None,
    rejects: Output | None = None,
    encoding: str | None = None,
) -> AskSummary:
    """Stores the votes of a table under `ModelConfig(model, "imported")`, all or none.

    Its other columns: `model`, and `probability`, of a match, in [0, 1], which without a verdict gives the verdict, at 0.5.

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
    model
        Of a table without a column of models: the model's name.
    rejects
        A file for the rows that cannot be right, and for lines of JSON that are no object; without it the first is an `InputError`.
    encoding
        Of a text file that is not UTF-8.
    """
    table = read_table(source, encoding, set_aside=rejects is not None)
    purposes = {a: "a diagnosis", b: "a diagnosis", verdict: "0 or 1", "model": "who voted"}
    without = {"model" if model else "", verdict if verdict == "verdict" and "probability" in table.names else ""}
    for column in (one for one in purposes if one not in without):
        table.require(column, purposes[column])
    problems: dict[int, InputError] = {}
    sides = [table.text(column) for column in (a, b)]
    for column, values in zip((a, b), sides, strict=True):
        check_text(table, column, values, problems)
    pairs = list(zip(*(values.to_pylist() for values in sides), strict=True))
    texts = list(dict.fromkeys(text for row, pair in enumerate(pairs) if row not in problems for text in pair))
    name = dict(zip(texts, naming(texts), strict=True))
    models = [model] * len(table) if model else table.text("model").to_pylist()
    verdicts = shares = [None] * len(table)
    if verdict in table.names:
        verdicts = table.parsed(verdict, label_of, "a verdict of no known kind", ALLOWED, problems)
    if "probability" in table.names:
        shares = table.parsed("probability", _probability, "not a probability", "0 to 1, or blank", problems)
    votes: dict[int, tuple[Question, Answer]] = {}
    for row, (pair, who, said, share) in enumerate(zip(pairs, models, verdicts, shares, strict=True)):
        if who is None:
            blank = table.error("the model is blank", row, "model", allowed="the name of who voted")
            problems.setdefault(row, blank)
        elif row not in problems and name[pair[0]] != name[pair[1]]:
            said = int(share >= 0.5) if said is None and share is not None else said
            first, second = sorted(name[text] for text in pair)
            question = Question(ModelConfig(str(who), IMPORTED), first, second)
            votes[row] = question, Answer(said, "empty" if said is None else None, probability=share)
    asked = dict.fromkeys(question for question, _ in votes.values())
    held = {one: answer for one, answer in zip(asked, store.stored(asked), strict=True) if answer is not None}
    both = votes | {-1 - at: vote for at, vote in enumerate(held.items())}
    for question, rows in conflicts(both):
        places = {row: "the store" if row < 0 else f"row {table.row_number(row)}" for row in sorted(rows)[:4]}
        shown = "; ".join(f"{place}: {_said(both[row][1])}" for row, place in places.items())
        problem = f"the pair {quoted(question.first)}, {quoted(question.second)} has two votes of {question.config.model} ({shown})"
        allowed = "one vote of a model on a pair, in either order; another name of the model for other votes"
        problems |= {row: table.error(problem, row, a, allowed=allowed) for row in rows if row >= 0}
    sound_rows(table, problems, rejects)
    summary, new = AskSummary(), dict[Question, Answer]()
    for row in (row for row in range(len(table)) if row not in problems):
        if row in votes and votes[row][0] not in held and votes[row][0] not in new:
            new |= [votes[row]]
            summary.count(votes[row][0].config.model, votes[row][1])
        else:
            known = "known already" if row in votes else "two names that are equal"
            summary.skipped[known].append(f"row {table.row_number(row)}")
    store.add_many(new.items())
    return summary


def _probability(value: Any) -> float | None:
    if value is None or value != value or not str(value).strip():
        return None
    if isinstance(value, bool) or not 0 <= float(value) <= 1:
        raise ValueError
    return float(value) + 0.0  # SQLite keeps no sign of a zero


def _said(answer: Answer) -> str:
    return ", ".join(str(value) for value in (answer.verdict, answer.probability) if value is not None) or "blank"
