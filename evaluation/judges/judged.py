"""The two-stage judge: does a list name a reference diagnosis, and at which place?

A strict stage looks first. The second stage is asked only about what the first finds in no place of the list. Each stage is a
language model, through the vote store, or M.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...matcher.protocol import Matcher
from ...progress import Progress
from ...terms.icd.naming import Naming
from ...terms.text.normalizer import Normalizer
from ...votes.prompts.judge_prompts import list_text
from ...votes.prompts.questions import Answer
from ...votes.prompts.versions import SECOND_JUDGE_PROMPT, STRICT_JUDGE_PROMPT
from ...votes.store.store import VoteStore
from ..families.recall import recall_section
from ..lists.lists import Lists
from ..matches.reference_matches import match_references
from ..metrics.relative import check_k
from ..statistics.section import Context, Section
from .language_model import Budget, LanguageModel

Stage = LanguageModel | Matcher
Names = Callable[[list[str]], list[str]]
Places = NDArray[np.int16]

NO_VERDICT, NOT_INCLUDED = -1, 0
NOT_ANSWERED = "not answered"


@dataclass(frozen=True)
class Judgements:
    """Verdicts on n cases, r raters and D reference diagnoses, the most that a case has.

    places : int16 [n, r, D], the place of the first diagnosis that names the reference, from 1; 0 where none does; -1 where
        there is no verdict, or the case has fewer references.
    given : bool [n, D], where a case has a reference diagnosis.
    k : diagnoses of each list that were looked at.
    unscored : why there is no verdict -> how often.
    """

    places: Places
    given: NDArray[np.bool_]
    k: int
    unscored: Counter[str]

    @property
    def hits(self) -> NDArray[np.bool_]:
        """bool [n, r, k, D]; of each reference diagnosis, its first place alone."""
        return self.places[:, :, None, :] == np.arange(1, self.k + 1)[:, None]

    @property
    def scored(self) -> NDArray[np.bool_]:
        """bool [n]: every rater has a verdict on every reference diagnosis of the case, and it has one."""
        known = (self.places != NO_VERDICT) | ~self.given[:, None, :]
        return known.all((1, 2)) & self.given.any(1)


def judged(
    lists: Lists,
    strict: Stage,
    second: Stage | None,
    store: VoteStore | None = None,
    *,
    k: int = 3,
    naming: Names | None = None,
    budget: Budget | None = None,
    progress: Progress | None = None,
) -> Judgements:
    """Judges the first k of each list against each reference diagnosis of its case.

    Parameters
    ----------
    strict, second : a `LanguageModel`, asked with the strict and the second prompt, or an M. No second stage with None.
    store : keeps the answers; needed where a stage is a language model.
    naming : raw diagnoses -> the names that are asked about, as for votes; English normalisation by default.
    budget : the caps on calls and cost, over both stages; says afterwards what was spent.

    Equal names are not asked about: they match. An answer without a verdict is no "not included": it stays unscored, and so
    does what the second stage gives no verdict on. Errors: those of `ask`; `InputError` for a model without a store.
    """
    if store is None and any(isinstance(stage, LanguageModel) for stage in (strict, second)):
        raise InputError("a language model judges without a vote store", allowed="a store, which keeps its answers")
    asked = _Asked.of(lists, check_k(k), naming)
    spent = Budget() if budget is None else budget
    unscored: Counter[str] = Counter()

    def verdicts(stage: Stage, prompt: str, where: NDArray[np.bool_]) -> Places:
        if isinstance(stage, LanguageModel):
            assert store is not None
            answers = stage.answers(prompt, asked.questions(where), store, spent, progress)
            given = [None if answer is None else answer.verdict for answer in answers]
            found = np.array([NO_VERDICT if verdict is None else verdict for verdict in given], np.int16)
            open_still = (found == NO_VERDICT) & (asked.equal[where] == NOT_INCLUDED)
            unscored.update(_why(answers[i]) for i in np.flatnonzero(open_still).tolist())
            return found
        hits = match_references(lists, stage, k, progress).hits
        return np.where(hits.any(2), hits.argmax(2) + 1, NOT_INCLUDED).astype(np.int16)[where]

    places = asked.equal.copy()
    # where nothing is said, nothing is named; and nothing stands before the first place
    open_ = asked.given[:, None, :] & asked.says[:, :, None] & (places != 1)
    places[open_] = _earlier(verdicts(strict, STRICT_JUDGE_PROMPT, open_), places[open_])
    if second is not None:
        open_ &= places == NOT_INCLUDED
        places[open_] = verdicts(second, SECOND_JUDGE_PROMPT, open_)
    places[~np.broadcast_to(asked.given[:, None, :], places.shape)] = NO_VERDICT
    return Judgements(places, asked.given, k, unscored)


def judged_section(lists: Lists, judgements: Judgements, context: Context) -> Section:
    """The section of the recall family, with the judge in the place of M.

    A case in which the judge gives no verdict on one of the lists is left out for every rater, and told.

    Raises
    ------
    InputError
        Where no case is left.
    """
    kept = np.flatnonzero(judgements.scored)
    told = ", ".join(f"{count:,} {reason}" for reason, count in judgements.unscored.most_common())
    if not len(kept):
        raise InputError(
            f"the judge gave a verdict on every list in none of {len(lists.cases):,} cases ({told or 'no reference'})",
            source=lists.source, allowed="at least one case that is judged in full",
        )  # fmt: skip
    section = recall_section(lists, judgements.hits[kept], judgements.given[kept], kept, context, of="judge")
    if without := len(lists.cases) - int(judgements.given.any(1).sum()):
        section.notes.append(f"{without:,} of {len(lists.cases):,} cases have no reference diagnosis, so no recall.")
    if left_out := len(lists.cases) - without - len(kept):
        section.notes.append(
            f"{left_out:,} of {len(lists.cases):,} cases were left out for every rater, because the judge gave no verdict "
            f"on one of the lists ({told})."
        )
    return section


def names_of(lists: Lists, naming: Names | None) -> dict[str, str]:
    """Each diagnosis and reference -> the name that is asked about; English normalisation by default."""
    raw = sorted({*lists.strings, *chain.from_iterable(lists.reference)})
    return dict(zip(raw, (naming or Naming(Normalizer()))(raw), strict=True))


def _why(answer: Answer | None) -> str:
    return NOT_ANSWERED if answer is None else answer.reason or ""


def _earlier(verdicts: Places, equal: Places) -> Places:
    """The first of the two places; 0 in `equal` is none."""
    named = np.where(verdicts > 0, verdicts, np.iinfo(np.int16).max)
    return np.where(equal > 0, np.minimum(named, equal), verdicts).astype(np.int16)


@dataclass(frozen=True)
class _Asked:
    """What can be asked of n cases, r raters and D references.

    names : of the first k of each list, None for a word for no diagnosis. references : of each case.
    says : bool [n, r], a list with a diagnosis. given : bool [n, D]. equal : int16 [n, r, D], the place of an equal name.
    """

    names: list[list[list[str | None]]]
    references: list[list[str]]
    says: NDArray[np.bool_]
    given: NDArray[np.bool_]
    equal: Places

    @classmethod
    def of(cls, lists: Lists, k: int, naming: Names | None) -> _Asked:
        name = names_of(lists, naming)
        top, lengths = lists.top(k), np.minimum(lists.lengths, k)
        names = [
            [
                [name[lists.strings[e]] if e >= 0 else None for e in row[:length]]
                for row, length in zip(case.tolist(), of_case.tolist(), strict=True)
            ]
            for case, of_case in zip(top, lengths, strict=True)
        ]
        references = [[name[text] for text in dict.fromkeys(reference)] for reference in lists.reference]
        counts = np.array([len(reference) for reference in references])
        given = np.arange(counts.max(initial=0)) < counts[:, None]
        equal = np.zeros((*lists.lengths.shape, given.shape[1]), np.int16)
        for i, reference in enumerate(references):
            for j, listed in enumerate(names[i]):
                for d, wanted in enumerate(reference):
                    if wanted in listed:
                        equal[i, j, d] = listed.index(wanted) + 1
        return cls(names, references, np.asarray((top >= 0).any(2)), given, equal)

    def questions(self, where: NDArray[np.bool_]) -> list[tuple[str, str]]:
        """(reference, list) of each place that is True, in order."""
        return [(self.references[i][d], list_text(self.names[i][j])) for i, j, d in np.argwhere(where).tolist()]
