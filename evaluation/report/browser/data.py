"""What the script of the case browser reads: each text once, each pair of texts once, and places as numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....matcher.policy import RELATIONS
from ...matches.case_table import CaseTable
from ...matches.nearest import DOUBTS, UNKNOWN, nearest_answers, told_of

MAX_CASES = 5_000
NOT_GIVEN = -1
_THOUSAND = 1000


def case_data(table: CaseTable, most: int = MAX_CASES) -> dict[str, Any]:
    """The cases of `table` for the script, `most` of them: as they came, where they are more, those with most misses and doubts.

    k, threshold, models : as they are. ranks : the places of each list that M was asked about. total : cases in all. cases : the names of those that follow.
    final : of each case its final diagnosis, where it is told apart; "" else.
    groups : for each column of subgroups its values, and of each case the place of its value, -1 for none.
    strings : every text. right : of each case its right answers, as places in `strings`.
    lengths : of each list, cases first, how many diagnoses it has; -1 where none was given.
    unread : [list, text] of each answer that no diagnosis could be read from, the list by its place in `lengths`.
    entries : of each list, one after another, the pairs of its first places (as many as M was asked about); -1 for no diagnosis.
    pairs : columns of the pairs: diagnosis and right answer (-1 for none) in `strings`, probability in thousandths (-1 for none),
        match (0 or 1), relation in `relations`, why in `reasons`, doubt in `doubts`, -1 for none.
    """
    lists = table.lists
    chosen = chosen_cases(table, most)
    nearest = nearest_answers(lists, table.matches, chosen)
    told = told_of(nearest, lists, table.matcher)

    used = np.unique(nearest.diagnosis)
    place = np.full(len(lists.strings) + 1, -1, np.int64)
    place[used] = np.arange(len(used))
    strings = [lists.strings[i] for i in used.tolist()]
    at = {text: i for i, text in enumerate(strings)}
    of_references = [at.setdefault(text, len(at)) for text in nearest.references]
    reference = np.array([*of_references, -1], np.int64)[nearest.reference]

    unknown = (told.doubt == DOUBTS.index(UNKNOWN)) | np.isnan(nearest.probability)
    probability = np.where(unknown, -1, np.rint(np.nan_to_num(nearest.probability) * _THOUSAND)).astype(int)
    lengths = np.where(lists.absent[chosen], NOT_GIVEN, lists.lengths[chosen])
    return {
        "k": table.k,
        "ranks": nearest.entries.shape[2],
        "threshold": table.threshold,
        "total": len(lists.cases),
        "models": lists.raters,
        "cases": [lists.cases[i] for i in chosen.tolist()],
        "groups": [_group(name, [values[i] for i in chosen.tolist()]) for name, values in lists.groups.items()],
        "strings": list(at),
        "right": [[at[text] for text in dict.fromkeys(lists.reference[i])] for i in chosen.tolist()],
        "final": ["; ".join(lists.final[i]) for i in chosen.tolist()],
        "lengths": lengths.ravel().tolist(),
        "unread": _unread(table, chosen),
        "entries": nearest.entries[nearest.entries >= -1].tolist(),
        "pairs": {
            "diagnosis": place[nearest.diagnosis].tolist(),
            "right": reference.tolist(),
            "probability": probability.tolist(),
            "match": nearest.match.astype(int).tolist(),
            "relation": told.relation.tolist(),
            "why": told.why.tolist(),
            "doubt": told.doubt.tolist(),
        },
        "reasons": told.reasons,
        "relations": list(RELATIONS),
        "doubts": list(DOUBTS),
    }


def _unread(table: CaseTable, chosen: NDArray[np.intp]) -> list[list[Any]]:
    place = {case: i for i, case in enumerate(chosen.tolist())}
    found = ((case, rater, text) for (case, rater), text in table.unread.items() if case in place)
    return sorted([place[case] * len(table.lists.raters) + rater, text] for case, rater, text in found)


def chosen_cases(table: CaseTable, most: int) -> NDArray[np.intp]:
    """int [m], ascending: all cases, or the `most` that the most lists miss or are doubtful in, the first of equal ones."""
    n = len(table.lists.cases)
    if n <= most:
        return np.arange(n)
    found = np.asarray(table.matches.hits[:, :, : table.k].any((2, 3)))
    judged = np.asarray(table.matches.given.any(1))[:, None] & ~table.lists.absent
    wanted = np.sum((judged & ~found) | table.doubtful, axis=1)
    return np.sort(np.argsort(-wanted, kind="stable")[:most])


def _group(name: str, values: list[str | None]) -> dict[str, Any]:
    there = sorted({value for value in values if value is not None})
    place = {value: i for i, value in enumerate(there)}
    return {"name": name, "values": there, "of": [-1 if value is None else place[value] for value in values]}
