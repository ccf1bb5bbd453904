"""M on the lists of each case: every unordered pair of strings that stand in one case is asked once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..features.errors import ModelError

PAIRS_PER_CALL = 1_000_000
_CODES_PER_BLOCK = 4_000_000
_CODES_PENDING = 16_000_000

Progress = Callable[[int, int], None]
"""Called with (done, total)."""


class Matcher(Protocol):
    """M: symmetric, and 1 for strings that are equal after normalisation. A pair matches from `threshold` up."""

    @property
    def threshold(self) -> float: ...

    def probabilities(self, a: Sequence[str], b: Sequence[str], /) -> ArrayLike: ...


@dataclass(frozen=True)
class CaseMatches:
    """The verdicts of M on u unordered pairs of `strings`.

    codes : int64 [u], ascending; the pair (i, j), i <= j, has the code i * len(strings) + j.
    verdicts : bool [u].
    """

    n_strings: int
    codes: NDArray[np.int64]
    verdicts: NDArray[np.bool_]

    def between(self, left: NDArray[np.integer], right: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Whether strings `left` and `right` match, element by element; a negative index matches nothing."""
        codes = pair_codes(left, right, self.n_strings)
        out = np.zeros(codes.shape, bool)
        real = codes >= 0
        asked, place = np.unique(codes[real], return_inverse=True)
        at = np.searchsorted(self.codes, asked)
        out[real] = self.verdicts[at][place]
        return out


def pair_codes(left: NDArray[np.integer], right: NDArray[np.integer], n_strings: int) -> NDArray[np.int64]:
    """One number for each unordered pair of string indices, -1 where either is negative."""
    low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right)
    return np.where(low < 0, -1, low * n_strings + high)


def facing(
    entries: NDArray[np.int32], first: NDArray[np.intp], second: NDArray[np.intp]
) -> Iterator[tuple[slice, NDArray[np.int32], NDArray[np.int32]]]:
    """Blocks of cases, and in them each pair of lists face to face.

    entries : int32 [n, raters, K]. first, second : [m] raters of each pair.
    Yields the cases, left [c, m, K, 1] and right [c, m, 1, K].
    """
    n, _, width = entries.shape
    step = max(1, _CODES_PER_BLOCK // max(1, len(first) * width * width))
    for start in range(0, n, step):
        cases = slice(start, min(n, start + step))
        block = entries[cases]
        yield cases, block[:, first][:, :, :, None], block[:, second][:, :, None, :]


def match_cases(
    entries: NDArray[np.int32],
    first: NDArray[np.intp],
    second: NDArray[np.intp],
    strings: list[str],
    matcher: Matcher,
    *,
    pairs_per_call: int = PAIRS_PER_CALL,
    progress: Progress | None = None,
) -> CaseMatches:
    """Asks M every pair that the lists of a case put face to face, each once over all cases, in bounded chunks.

    `strings` in ascending order makes the calls independent of the order of the rows.
    Errors: `ModelError` where M gives something other than one probability per pair.
    """
    codes = np.empty(0, np.int64)
    pending: list[NDArray[np.int64]] = []
    for _, left, right in facing(entries, first, second):
        pending.append(np.unique(pair_codes(left, right, len(strings))))
        if sum(map(len, pending)) > _CODES_PENDING:
            codes, pending = np.unique(np.concatenate([codes, *pending])), []
    codes = np.unique(np.concatenate([codes, *pending]))
    codes = codes[codes >= 0]

    verdicts = np.empty(len(codes), bool)
    for start in range(0, len(codes), pairs_per_call):
        low, high = np.divmod(codes[start : start + pairs_per_call], len(strings))
        a, b = [strings[i] for i in low.tolist()], [strings[i] for i in high.tolist()]
        verdicts[start : start + len(a)] = ask(matcher, a, b)
        if progress is not None:
            progress(min(start + pairs_per_call, len(codes)), len(codes))
    return CaseMatches(len(strings), codes, verdicts)


def ask(matcher: Matcher, a: list[str], b: list[str]) -> NDArray[np.bool_]:
    """bool [n]: the verdicts of M, row by row."""
    probabilities = np.asarray(matcher.probabilities(a, b), float)
    if probabilities.shape != (len(a),):
        raise ModelError(f"The matcher gave {probabilities.shape} probabilities for {len(a):,} pairs.")
    wrong = ~((probabilities >= 0) & (probabilities <= 1))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ModelError(f"The matcher gave {probabilities[at]} as the probability that {a[at]!r} is {b[at]!r}.")
    return probabilities >= matcher.threshold
