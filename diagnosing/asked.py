"""What came of asking models for diagnoses: the lists, counts, and what is still open."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..errors import quoted
from ..evaluation.read.names import ANSWER
from ..files.tables import with_columns, write_table
from ..files.wording import counted
from ..votes.asking import Planned
from ..votes.prompts.questions import Answer
from ..votes.store.store import VoteStore
from .case_questions import CaseQuestions, read_again
from .cases import Cases

if TYPE_CHECKING:
    from ..votes.asking_options import AskSummary

MAX_SHOWN = 10_000
"""Characters of an answer in the column "unread"; the store holds all of it."""


@dataclass
class RaterAnswers:
    """What became of the cases under one model and prompt, in all repeats.

    lists : answers that name a diagnosis. nothing : answers that say that there is none; `first_nothing` is what the first of them says.
    unread : answers that no list can be read from, by reason (a key of `votes.prompts.questions.REASONS`); they count as empty.
    missing : questions without an answer. diagnoses : in all lists together.
    """

    rater: str
    lists: int = 0
    nothing: int = 0
    first_nothing: str = ""
    unread: Counter[str] = field(default_factory=Counter)
    missing: int = 0
    diagnoses: int = 0

    @property
    def questions(self) -> int:
        return self.lists + self.nothing + self.unread.total() + self.missing

    def words(self) -> str:
        """Says it in a line."""
        parts = [counted(self.lists, "list")]
        if self.lists:
            parts[0] += f" of {self.diagnoses / self.lists:.1f} diagnoses on average"
        if self.nothing:
            first = f" (the first: {quoted(self.first_nothing)})" if self.first_nothing else ""
            parts.append(f"{self.nothing:,} that name{'s' if self.nothing == 1 else ''} no diagnosis{first}")
        if self.unread:
            reasons = ", ".join(f"{n:,} {why}" for why, n in self.unread.most_common())
            parts.append(f"{self.unread.total():,} not read ({reasons})")
        if self.missing:
            parts.append(f"{self.missing:,} not answered")
        return f"{self.rater}: {', '.join(parts)}."


@dataclass(frozen=True)
class Asked:
    """What `dxmatch.ask` gives.

    Attributes
    ----------
    plan : each model under each prompt, with what the store did not hold before, tokens and cost.
    notes : sentences that belong above the figures.
    lists : the answers in the long form, see `lists_of`; None where nothing was asked or taken in.
    raters : one for each model and prompt: what became of its questions.
    summary : calls, tokens, cost and failures of asking. imported : of result files that were taken in.
    files : batch files that were written, and how many requests each holds.
    """

    cases: Cases
    plan: Sequence[Planned]
    notes: Sequence[str] = ()
    lists: pa.Table | None = None
    raters: Sequence[RaterAnswers] = ()
    summary: AskSummary | None = None
    imported: AskSummary | None = None
    files: Mapping[Path, int] = field(default_factory=dict)

    @cached_property
    def table(self) -> Any:
        """The lists as a frame of the kind that held the cases; of files, lists and dicts an Arrow table."""
        return None if self.lists is None else self.cases.read.native(self.lists)

    @property
    def missing(self) -> int:
        """Lists that are not there, since their questions have no answer yet."""
        return sum(rater.missing for rater in self.raters)

    @property
    def complete(self) -> bool:
        """Whether every question has an answer."""
        return self.lists is not None and not self.missing

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the lists to a file (.parquet, .csv, .tsv, .jsonl, .xlsx), whole or not at all."""
        if self.lists is not None:
            write_table(self.lists, path)

    def lines(self) -> list[str]:
        """All of it for the user to read: first what is doubtful."""
        lines = [*self.notes]
        for counts in (self.summary, self.imported):
            lines += [] if counts is None else counts.lines("a list of diagnoses")
        lines += [f"Written: {file} ({counted(requests, 'request')})" for file, requests in self.files.items()]
        if self.missing:
            of = sum(rater.questions for rater in self.raters)
            lines.append(
                f"{self.missing:,} of {of:,} lists are missing, since nobody has answered yet: they have no rows, and are no empty "
                "lists. Run this again to ask for them. An evaluation counts them as empty answers, unless its option 'missing' is own."
            )
        if unread := sum(rater.unread.total() for rater in self.raters):
            lines.append(
                f"No list could be read from {counted(unread, 'answer')}. Each is an empty list, with what the model wrote in the column 'unread'."
            )
        if any(rater.unread["truncated"] for rater in self.raters):
            lines.append("A higher limit lets truncated answers come to their end: the option 'max_tokens'.")
        return [*lines, *(rater.words() for rater in self.raters)]


def lists_of(asked: CaseQuestions, store: VoteStore, keep_answers: bool = False) -> tuple[pa.Table, list[RaterAnswers]]:
    """Every answer that the store holds, read anew, in the long form; and the counts of each rater.

    The columns are case_id, rater ("MODEL [PROMPT]" or "MODEL [PROMPT #2]"), rank from 1, diagnosis, model, prompt, repeat
    from 1, unread, and the other columns of the cases. An answer without a diagnosis is one row whose rank and diagnosis are
    blank; where none could be read from it, `unread` is what the model wrote, up to 10,000 characters, and blank where it wrote nothing. A case without an answer has no row.

    keep_answers : a column "answer" after `unread`, with all that the model wrote in the first row of each list.
    """
    text, number = pa.string(), pa.int64()
    kinds = {
        "case_id": text, "rater": text, "rank": number, "diagnosis": text, "model": text, "prompt": text, "repeat": number, "unread": text,
        **({ANSWER: text} if keep_answers else {}),
    }  # fmt: skip
    schema, cases = pa.schema(kinds), asked.cases
    tables, places = [schema.empty_table()], list[int]()
    counts = [RaterAnswers(job.called) for job in asked.jobs]
    for (job, count), repeat in product(zip(asked.jobs, counts, strict=True), range(asked.repeats)):
        model, prompt = job.model.model, job.prompt.name
        called = f"{model} [{prompt} #{repeat + 1}]" if asked.repeats > 1 else job.called
        who = {"rater": called, "model": model, "prompt": prompt, "repeat": repeat + 1}
        rows = list[dict[str, Any]]()
        for place, answer in enumerate(store.stored(asked.questions(job.config, repeat))):
            said = [*_said(answer, count)]
            if said and answer and keep_answers:
                said[0][ANSWER] = answer.raw.strip() or None
            rows += [{"case_id": cases.ids[place], **who, **one} for one in said]
            places += [place] * len(said)
        tables.append(pa.Table.from_pylist(rows, schema))
    more = cases.more.take(pa.array(places, number))
    return with_columns(pa.concat_tables(tables), dict(zip(more.column_names, more.columns, strict=True))), counts


def _said(answer: Answer | None, count: RaterAnswers) -> Iterator[dict[str, Any]]:
    """What the rows of an answer say, which is counted."""
    if answer is None:
        count.missing += 1
        return
    names, reason = read_again(answer)
    said = answer.raw.strip()
    if reason is not None:
        count.unread[reason] += 1
        yield {"unread": f"{said[:MAX_SHOWN]}{'…' if len(said) > MAX_SHOWN else ''}" or None}
    elif not names:
        count.nothing += 1
        count.first_nothing = count.first_nothing or said
        yield {}
    else:
        count.lists += 1
        count.diagnoses += len(names)
        yield from ({"rank": rank, "diagnosis": name} for rank, name in enumerate(names, 1))
