"""The columns relation and severity of lists, from a language model, through the vote store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import numpy as np

from ...progress import Progress
from ...votes.prompts.class_prompts import RELATIONS, SEVERITIES
from ...votes.prompts.prompt import Prompt
from ...votes.prompts.questions import Answer
from ...votes.prompts.versions import PROMPTS, RELATION_PROMPT, SEVERITY_PROMPT
from ...votes.store.store import VoteStore
from ..lists.lists import Cell, Lists, as_text, looked_up
from ..metrics.relative import check_k
from ..metrics.weighted import RANKS
from .answers import Names, names_of
from ...votes.asking import Budget, LanguageModel

SAME = 1
"""The number of the class of a name that is the reference's own."""


def with_relations(
    lists: Lists,
    model: LanguageModel,
    store: VoteStore,
    *,
    prompt: Prompt | None = None,
    k: int = RANKS,
    naming: Names | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Lists:
    """The lists with the column relation: how the first k of each list are related to the reference of their case.

    Of several references the nearest counts. A cell that was given stays; one that the model gives no verdict on is blank.
    Equal names are exact synonyms and are not asked about.
    prompt : the built-in one by default. naming : raw diagnoses -> the names that are asked about; English normalisation by default.

    Errors: those of `ask`.
    """
    name = names_of(lists, naming)
    references = [tuple(dict.fromkeys(name[text] for text in reference)) for reference in lists.reference]
    open_ = [(i, at) for i, at in open_cells(lists, "relation", check_k(k)) if references[i]]
    wanted = {(reference, name[lists.strings[lists.entries[at]]]) for i, at in open_ for reference in references[i]}
    pairs = sorted(pair for pair in wanted if pair[0] != pair[1])
    answers = model.answers(prompt or PROMPTS[RELATION_PROMPT], pairs, store, budget or Budget(), progress)
    number: dict[tuple[str, str], int | None] = dict.fromkeys(wanted, SAME)
    number.update(zip(pairs, map(_verdict, answers), strict=True))

    words = {
        at: nearest_relation([number[reference, name[lists.strings[lists.entries[at]]]] for reference in references[i]])
        for i, at in open_
    }
    return filled_cells(lists, "relation", words)


def nearest_relation(numbers: Sequence[int | None]) -> str | None:
    """The nearest of the classes to several references; None where an unknown one may be nearer than those that are known."""
    known = [one for one in numbers if one is not None]
    return RELATIONS[min(known) - 1] if len(known) == len(numbers) or SAME in known else None


def with_severities(
    lists: Lists,
    model: LanguageModel,
    store: VoteStore,
    *,
    prompt: Prompt | None = None,
    k: int = RANKS,
    naming: Names | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Lists:
    """The lists with the column severity, of the first k of each list and of every reference diagnosis.

    A cell that was given stays; one that the model gives no verdict on is blank. prompt, naming : as for `with_relations`.

    Errors: those of `ask`.
    """
    name = names_of(lists, naming)
    open_ = [at for _, at in open_cells(lists, "severity", check_k(k))]
    wanted = {name[lists.strings[e]] for e in lists.entries[open_].tolist()}
    names = sorted(wanted | {name[text] for text in chain.from_iterable(lists.reference)})
    answers = model.answers(
        prompt or PROMPTS[SEVERITY_PROMPT], [(one, "") for one in names], store, budget or Budget(), progress
    )
    word: dict[str, str | None] = {
        one: None if (number := _verdict(answer)) is None else SEVERITIES[number - 1]
        for one, answer in zip(names, answers, strict=True)
    }
    filled = filled_cells(lists, "severity", {at: word[name[lists.strings[lists.entries[at]]]] for at in open_})
    cells = [
        _reference_severity(lists, i, [word[name[text]] for text in reference])
        for i, reference in enumerate(lists.reference)
    ]
    return replace(filled, reference_more={**lists.reference_more, "severity": cells})


def _verdict(answer: Answer | None) -> int | None:
    return None if answer is None else answer.verdict


def open_cells(lists: Lists, column: str, k: int) -> list[tuple[int, int]]:
    """(case, place in `entries`) of each diagnosis among the first k whose cell is blank."""
    codes, _ = lists.cells(column)
    at = lists.places(k)
    open_ = (at >= 0) & (lists.top(k) >= 0) & (looked_up(codes, at) < 0)
    return list(zip(np.nonzero(open_)[0].tolist(), at[open_].tolist(), strict=True))


def filled_cells(lists: Lists, column: str, words: Mapping[int, str | None]) -> Lists:
    cells: list[Any] = list(lists.more.get(column, [None] * len(lists.entries)))
    for at, word in words.items():
        cells[at] = word
    return replace(lists, more={**lists.more, column: cells})


def _reference_severity(lists: Lists, case: int, words: list[str | None]) -> tuple[Cell, ...]:
    """One cell for each reference diagnosis of a case; what was given stays, on its row."""
    given = lists.reference_more.get("severity", [()] * len(lists.cases))[case]
    row = int(lists.rows[min(lists.offsets[case, 0], len(lists.rows) - 1)])
    cells = [*given, *[Cell(None, row)] * (len(words) - len(given))]
    said = [*words, *[None] * (len(cells) - len(words))]
    return tuple(
        cell if as_text(cell.value) else cell._replace(value=word) for cell, word in zip(cells, said, strict=True)
    )
