"""The categories that Cohen's kappa at top 1 is computed on.

Kappa wants each answer in one of several classes, but M is a relation between two strings. So: two first diagnoses
are in one category when a chain of matches leads from one to the other, each link being two first diagnoses of one
case that M matches; strings that differ only in case or white space are one. M is asked only what mu needs anyway,
and pairs from different cases are never asked. A chain can join two strings that M itself does not match;
`chained` counts the agreements that rest on that. A word for no diagnosis is in no category and agrees with nothing.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..lists.lists import NO_CATEGORY
from .case_matches import CaseMatches


@dataclass(frozen=True)
class Categories:
    """of : int64 [n, raters], the category of each first diagnosis; -1 is none.

    count : how many there are. chained : agreements of two raters in a case that hold only through a chain.
    agreements : all agreements of two raters in a case.
    """

    of: NDArray[np.int64]
    count: int
    agreements: int
    chained: int


def top_categories(matches: CaseMatches) -> Categories:
    """Of the first diagnosis of each list."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    entries, first, second = matches.entries[:, :, 0], matches.first, matches.second
    folded: dict[str, int] = {}
    spelling = np.array(
        [folded.setdefault(" ".join(s.casefold().split()), len(folded)) for s in matches.strings] or [0]
    )
    left, right = entries[:, first], entries[:, second]
    blocks = [matched[:, :, 0, 0] for _, matched in matches.top(1).compared()]
    direct = np.concatenate(blocks)
    edges = (spelling[left[direct]], spelling[right[direct]])
    graph = coo_array((np.ones(len(edges[0]), bool), edges), shape=(len(spelling), len(spelling)))
    _, component = connected_components(graph, directed=False)
    of = np.where(entries >= 0, component[spelling[entries]], NO_CATEGORY)
    used, number = np.unique(of, return_inverse=True)
    number = number.reshape(of.shape) - int(len(used) > 0 and used[0] == NO_CATEGORY)
    together = (number[:, first] == number[:, second]) & (number[:, first] != NO_CATEGORY)
    count = int(number.max(initial=NO_CATEGORY)) + 1
    return Categories(number.astype(np.int64), count, int(together.sum()), int((together & ~direct).sum()))
