"""The answers in the store as ranked lists, and what could not be read of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from ..evaluation.read.names import ANSWER
from ..votes.prompts.questions import Answer
from ..votes.store.store import VoteStore
from .case_prompt import read_again
from .case_questions import CaseQuestions

COLUMNS = ("case_id", "rater", "rank", "diagnosis", "model", "prompt", "repeat", "unread")
MAX_SHOWN = 10_000
"""Characters of an answer in the column "unread"; the store holds all of it."""


@dataclass
class RaterAnswers:
    """What became of the cases under one model, prompt and repeat.

    lists : answers that name a diagnosis. nothing : answers that say that there is none; `first_nothing` is what the first of them says.
    unread : answers that no list can be read from, by reason (a key of `votes.prompts.questions.REASONS`); they count as empty.
    missing : cases without an answer. diagnoses : in all lists together.
    """

    rater: str
    model: str
    prompt: str
    repeat: int
    lists: int = 0
    nothing: int = 0
    first_nothing: str = ""
    unread: Counter[str] = field(default_factory=Counter)
    missing: int = 0
    diagnoses: int = 0

    @property
    def answers(self) -> int:
        return self.lists + self.nothing + self.unread.total()


@dataclass(frozen=True)
class AnsweredLists:
    """table : the long form, see `lists_of`. raters : one for each model, prompt and repeat, in their order."""

    table: pa.Table
    raters: list[RaterAnswers]


def lists_of(asked: CaseQuestions, store: VoteStore, keep_answers: bool = False) -> AnsweredLists:
    """Every answer that the store holds, read anew, in the long form.

    The columns are case_id, rater ("MODEL [PROMPT]" or "MODEL [PROMPT #2]"), rank from 1, diagnosis, model, prompt, repeat
    from 1, unread, and the other columns of the cases. An answer without a diagnosis is one row whose rank and diagnosis are
    blank; where none could be read from it, `unread` is what the model wrote, up to 10,000 characters, and blank where it wrote nothing. A case without an answer has no row.

    keep_answers : a column "answer" after `unread`, with all that the model wrote in the first row of each list.
    """
    columns = (*COLUMNS, ANSWER) if keep_answers else COLUMNS
    rows: dict[str, list[object]] = {name: [] for name in columns}
    places: list[int] = []
    counts = []
    for rater in asked.raters:
        for repeat in range(rater.repeats):
            told = RaterAnswers(rater.name(repeat), rater.model.model, rater.label, repeat + 1)
            questions = [asked.question(rater, key, repeat) for key in asked.cases.keys]
            for place, answer in enumerate(store.stored(questions)):
                for at, (rank, diagnosis, unread) in enumerate(_rows_of(answer, told)):
                    places.append(place)
                    who = (told.rater, rank, diagnosis, told.model, told.prompt, told.repeat, unread)
                    written = (answer.raw.strip() or None,) if answer is not None and at == 0 else (None,)
                    of_row = (asked.cases.ids[place], *who, *(written if keep_answers else ()))
                    for name, value in zip(columns, of_row, strict=True):
                        rows[name].append(value)
            counts.append(told)
    return AnsweredLists(_table(rows, places, asked), counts)


def _rows_of(answer: Answer | None, told: RaterAnswers) -> Iterator[tuple[int | None, str | None, str | None]]:
    """(rank, diagnosis, unread) of each row of an answer, which is counted."""
    if answer is None:
        told.missing += 1
        return
    names, reason = read_again(answer)
    if reason is not None:
        told.unread[reason] += 1
        said = answer.raw.strip()
        yield None, None, f"{said[:MAX_SHOWN]}{'…' if len(said) > MAX_SHOWN else ''}" or None
    elif not names:
        told.nothing += 1
        told.first_nothing = told.first_nothing or answer.raw.strip()
        yield None, None, None
    else:
        told.lists += 1
        told.diagnoses += len(names)
        yield from ((rank, name, None) for rank, name in enumerate(names, 1))


def _table(rows: dict[str, list[object]], places: Sequence[int], asked: CaseQuestions) -> pa.Table:
    whole = ("rank", "repeat")
    data = {name: pa.array(values, pa.int64() if name in whole else pa.string()) for name, values in rows.items()}
    at = pa.array(np.array(places, np.int64))
    more = asked.cases.more
    return pa.table({**data, **{name: more.column(name).take(at) for name in more.column_names}})
