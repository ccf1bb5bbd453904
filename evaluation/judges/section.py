"""Recall by a judge as a part of the report, and its judgements as a table."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError
from ...pages.rows import Row, arrow_table
from ..families.ranking import NAME as RANKING
from ..families.ranking import top_ranks
from ..families.recall import recall_section
from ..lists.lists import Lists
from ..statistics.section import Context, Section
from .answers import says_something
from .judged import BY_M, INCLUDES, NO_VERDICT, NOT_ASKED, NOT_INCLUDED, Judgements

if TYPE_CHECKING:
    import pyarrow as pa

NAME = "judge"
_COLUMNS = (
    "case_id", "algorithm", "reference", "answer", "judge", "judge_basis", "check", "check_basis", "included", "place",
)  # fmt: skip
_OF_JUDGE = {INCLUDES: "included", NOT_INCLUDED: "not included", NO_VERDICT: "no verdict", NOT_ASKED: None}
_OF_CHECK = {INCLUDES: "incorrect", NOT_INCLUDED: "correct", NO_VERDICT: "no verdict", NOT_ASKED: None}


@dataclass(frozen=True)
class JudgementTable:
    """A row for each case, rater and reference diagnosis that was judged."""

    lists: Lists = field(repr=False)
    judgements: Judgements = field(repr=False)

    def rows(self) -> Iterator[Row]:
        """case_id, algorithm, reference, answer, judge, judge_basis, check, check_basis, included, place.

        answer : the list, with "; " between; where none could be read from it, the answer as it was written. judge : "included", "not included" or "no verdict"; null where it was not asked, and
        judge_basis then says why. check : "correct" or "incorrect", of "not included". included : what came of both, null without a
        verdict. place : in the list, null where none is known. A list that is out of the rater's figures has no row.
        """
        lists, found = self.lists, self.judgements
        for i, case in enumerate(lists.cases):
            references = list(dict.fromkeys(lists.reference[i]))
            for j, rater in enumerate(lists.raters):
                if lists.absent[i, j]:
                    continue
                listed = "; ".join(name for name in lists.list_of(case, rater) if name is not None)
                listed = listed or lists.unread.get((case, rater), "")
                for d, reference in enumerate(references):
                    at = (i, j, d)
                    said, checked, final = (int(a[at]) for a in (found.judge, found.check, found.included))
                    place = int(found.places[at])
                    unasked = (
                        f"an equal name stands in place {place}: not asked"
                        if place
                        else "nothing was answered: not asked"
                    )
                    yield {
                        "case_id": case,
                        "algorithm": rater,
                        "reference": reference,
                        "answer": listed,
                        "judge": _OF_JUDGE[said],
                        "judge_basis": unasked if said == NOT_ASKED else found.basis_of_judge.get(at),
                        "check": _OF_CHECK[checked],
                        "check_basis": found.basis_of_check.get(at),
                        "included": None if final == NO_VERDICT else bool(final),
                        "place": place or None,
                    }

    def sentences(self) -> dict[tuple[str, str], list[str]]:
        """(case, rater) -> a sentence on each reference diagnosis."""
        out: dict[tuple[str, str], list[str]] = {}
        for row in self.rows():
            found = {True: "included", False: "not included", None: "no verdict"}[row["included"]]
            said = [
                f"{who}: {verdict}{f' ({basis})' if basis else ''}"
                for who, verdict, basis in (
                    ("judge", row["judge"], row["judge_basis"]),
                    ("check", row["check"], row["check_basis"]),
                )
                if verdict
            ]
            why = "; ".join(said) or row["judge_basis"]
            out.setdefault((row["case_id"], row["algorithm"]), []).append(
                f"{row['reference']}: {found}. {why}.".replace("..", ".")
            )
        return out

    @property
    def table(self) -> pa.Table:
        return arrow_table(list(self.rows()), _COLUMNS)

    def save(self, path: str | os.PathLike[str], *, spreadsheet: bool = False) -> Path:
        """Writes `table` by the suffix of `path`, whole or not at all.

        spreadsheet : in a CSV, an apostrophe goes before every text that a spreadsheet would run as a formula.

        Raises
        ------
        InputError
            For another suffix, or an absent folder; `DxmatchError` where it cannot be written.
        """
        from ...files.tables import write_table

        return write_table(self.table, path, spreadsheet=spreadsheet or None)


def judged_section(lists: Lists, judgements: Judgements, context: Context) -> Section:
    """The section of the recall family, with the judge in the place of M, over whole answers.

    A case in which the judge gives no verdict on one of the answers is left out for every rater, and told above the figures. Top-k
    accuracy stands beside where the place of everything that is included is known.

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
    found = (judgements.included[kept] == INCLUDES)[:, :, None, :]
    ranks = top_ranks(lists, context.k_of(RANKING))
    placed = (judgements.places[kept], ranks) if judgements.placed else None
    section = recall_section(lists, found, judgements.given[kept], kept, context, of="judge", placed=placed)
    if without := len(lists.cases) - int(judgements.given.any(1).sum()):
        section.notes.append(f"{without:,} of {len(lists.cases):,} cases have no reference diagnosis, so no recall.")
    if left_out := len(lists.cases) - without - len(kept):
        section.warnings.append(
            f"{left_out:,} of {len(lists.cases):,} cases were left out of recall by the judge, for every rater: there is no verdict "
            f"on one of the answers ({told})."
        )
    by_model = {BY_M, ""} >= {judgements.judged_by, judgements.checked_by}
    section.notes += [*_asked(judgements), *([] if by_model else _written(lists))]
    return replace(section, name=NAME, title=_title(judgements))


def _title(found: Judgements) -> str:
    checked = "" if not found.checked_by else f", checked by {_spoken(found.checked_by, found.judged_by)}"
    return f"Recall, with {found.judged_by} as the judge{checked}"


def _spoken(checked_by: str, judged_by: str) -> str:
    return "itself" if checked_by == judged_by else checked_by


def _written(lists: Lists) -> list[str]:
    """In which form the judge read the answers."""
    cases, raters = {*lists.cases}, {*lists.raters}
    held = {(case, rater) for case, rater in {*lists.answers, *lists.unread} if case in cases and rater in raters}
    held = {key for key in held if key not in lists.unread or says_something(lists.unread[key])}
    if not held:
        return []
    unread = len(held & {*lists.unread})
    out = f"{len(held):,} of {lists.lengths.size:,} answers were judged as they were written, the others as lists"
    return [
        f"{out}; from {unread:,} of them no list could be read, which the judge did not need." if unread else f"{out}."
    ]


def _asked(found: Judgements) -> list[str]:
    """What the two stages did."""
    asked = int((found.judge != NOT_ASKED).sum())
    said = f"The judge was asked about {asked:,} reference diagnoses, one at a time, and the whole answer"
    counts = [(found.judge == one).sum() for one in (INCLUDES, NOT_INCLUDED)]
    out = [f"{said}: {int(counts[0]):,} included, {int(counts[1]):,} not included."]
    if found.checked_by:
        checked, wrong = int((found.check >= 0).sum()), int((found.check == INCLUDES).sum())
        out.append(
            f"The check was asked about those not included, and called {wrong:,} of {checked:,} judgements incorrect."
        )
    return out
