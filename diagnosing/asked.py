"""What came of asking models for diagnoses: the lists, counts, and what is still open."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..errors import quoted
from ..files.counted import counted
from ..files.tables import write_table
from ..votes.asking import Planned, plan_lines
from ..votes.prompts.questions import REASONS
from .case_questions import CaseQuestions
from .read_answers import AnsweredLists, RaterAnswers

if TYPE_CHECKING:
    from ..votes.ask_summary import AskSummary
    from ..votes.batch_files import BatchFile, BatchSummary

_REASONS = {**REASONS, "unclear": "no list of diagnoses could be read"}
NO_LIST = "a list of diagnoses"
"""What an answer lacks that is kept without a verdict."""


@dataclass(frozen=True)
class Asked:
    """What `dxmatch.ask` gives.

    Attributes
    ----------
    plan : each model under each prompt, with what the store did not hold before, tokens and cost.
    notes : sentences that belong above the figures.
    lists : the answers, read; None where nothing was asked or taken in.
    summary : calls, tokens, cost and failures of asking. imported : of result files that were taken in.
    files : batch files that were written.
    """

    asked: CaseQuestions
    plan: Sequence[Planned]
    notes: Sequence[str] = ()
    lists: AnsweredLists | None = None
    summary: AskSummary | None = None
    imported: BatchSummary | None = None
    files: Sequence[BatchFile] = field(default_factory=tuple)

    @cached_property
    def table(self) -> Any:
        """The lists in the long form, as `diagnosing.read_answers.lists_of` says; None where nothing was asked.

        A frame of the kind that held the cases; of lists and dicts pandas where it is installed; else an Arrow table.
        """
        return None if self.lists is None else self.asked.cases.read.native(self.lists.table)

    @property
    def raters(self) -> list[RaterAnswers]:
        """One for each model, prompt and repeat."""
        return [] if self.lists is None else self.lists.raters

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
            write_table(self.lists.table, path)

    def plan_lines(self) -> list[str]:
        """What was to be asked before anything was, with tokens and cost, for the user to read."""
        return list(plan_lines(self.plan))

    def lines(self) -> list[str]:
        """All of it for the user to read: first what is doubtful."""
        lines = [*self.notes]
        if self.summary is not None:
            lines += self.summary.lines(NO_LIST)
        if self.imported is not None:
            lines += self.imported.lines(NO_LIST)
        lines += [f"Written: {file}" for file in self.files]
        if self.lists is not None:
            lines += [*self._of_missing(), *self._of_unread(), *self._of_raters()]
        return lines

    def _of_raters(self) -> Iterator[str]:
        """A line for each model and prompt, its repeats together."""
        for (model, prompt), repeats in self._by_prompt().items():
            lists = sum(one.lists for one in repeats)
            named = sum(one.diagnoses for one in repeats)
            parts = [counted(lists, "list") + (f" of {named / lists:.1f} diagnoses on average" if lists else "")]
            if nothing := [one for one in repeats if one.nothing]:
                n, says = sum(one.nothing for one in nothing), nothing[0].first_nothing
                first = f" (the first: {quoted(says)})" if says else ""
                parts.append(f"{n:,} that name{'s' if n == 1 else ''} no diagnosis{first}")
            unread = sum((one.unread for one in repeats), Counter[str]())
            if unread:
                parts.append(
                    f"{unread.total():,} not read ({', '.join(f'{n:,} {why}' for why, n in unread.most_common())})"
                )
            parts += [f"{n:,} not answered" for n in [sum(one.missing for one in repeats)] if n]
            of = f", {len(repeats)} repeats" if len(repeats) > 1 else ""
            yield f"{model} [{prompt}]{of}: {', '.join(parts)}."

    def _by_prompt(self) -> dict[tuple[str, str], list[RaterAnswers]]:
        found: dict[tuple[str, str], list[RaterAnswers]] = {}
        for one in self.raters:
            found.setdefault((one.model, one.prompt), []).append(one)
        return found

    def _of_unread(self) -> Iterator[str]:
        unread = sum((one.unread for one in self.raters), Counter[str]())
        if not unread:
            return
        why = "; ".join(f"{count:,}: {_REASONS[reason]}" for reason, count in unread.most_common())
        yield (
            f"No list could be read from {counted(unread.total(), 'answer')} ({why}). Each is an empty list, with what the model "
            "wrote in the column 'unread'."
        )
        if unread["truncated"]:
            yield "A higher limit lets truncated answers come to their end: the option 'max_tokens'."

    def _of_missing(self) -> Iterator[str]:
        if self.missing:
            of = sum(one.answers + one.missing for one in self.raters)
            yield (
                f"{self.missing:,} of {of:,} lists are missing, since nobody has answered yet: they have no rows, and are no empty "
                "lists. Run this again to ask for them. An evaluation counts them as empty answers, unless its option 'missing' is own."
            )
