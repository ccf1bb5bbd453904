"""M on the lists of each case: every unordered pair of strings that stand in one case is asked once."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import ModelError, NotUnderstoodWarning, quoted
from ...matcher.protocol import Matcher, not_understood
from ...progress import Progress

PAIRS_PER_CALL = 1_000_000
_ELEMENTS_PER_BLOCK = 2_000_000
_CODES_PENDING = 16_000_000

Entries = NDArray[np.int32]
Raters = NDArray[np.intp]


@dataclass(frozen=True)
class CaseMatches:
    """M on the lists of n cases, as verdicts on u unordered pairs of `strings`.

    entries : int32 [n, raters, K], indices of strings; negative where there is no diagnosis.
    first, second : [m], the raters of each pair that is compared.
    codes : int64 [u], ascending; the pair (i, j), i <= j, has the code i * len(strings) + j.
    verdicts : bool [u]. probabilities : float32 [u], where they were asked for.
    """

    entries: Entries
    first: Raters
    second: Raters
    strings: list[str]
    codes: NDArray[np.int64]
    verdicts: NDArray[np.bool_]
    probabilities: NDArray[np.float32] | None = None

    def top(self, k: int) -> CaseMatches:
        """The same with lists cut to k."""
        return replace(self, entries=self.entries[:, :, :k])

    def compared(self, values: NDArray[Any] | None = None) -> Iterator[tuple[slice, NDArray[Any]]]:
        """Blocks of cases, and in them M of each pair of lists, place by place; no diagnosis matches nothing.

        values : [u], what to give instead of the verdicts; 0 where nothing is said.
        Yields the cases and bool (or as `values`) [c, m, K, K].
        """
        given = self.verdicts if values is None else values
        for block in _blocks(self.entries, self.first, self.second):
            names, place = block.names, block.compared
            i, j = np.triu_indices(names.shape[1])
            codes = pair_codes(names[:, i], names[:, j], len(self.strings))
            at = np.minimum(np.searchsorted(self.codes, codes), max(len(self.codes) - 1, 0))
            matched = np.zeros((len(names), block.width, block.width), given.dtype)
            if len(self.codes):
                matched[:, i, j] = matched[:, j, i] = np.where(self.codes[at] == codes, given[at], given.dtype.type(0))
            yield block.cases, matched.reshape(-1)[place]


def pair_codes(left: NDArray[np.integer], right: NDArray[np.integer], n_strings: int) -> NDArray[np.int64]:
    """One number for each unordered pair of string indices, -1 where either is negative."""
    low, high = np.minimum(left, right).astype(np.int64), np.maximum(left, right)
    return np.where(low < 0, -1, low * n_strings + high)


def each_once(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Ascending, each once: np.unique, several times as fast on millions of numbers."""
    codes = np.sort(codes)
    return codes[np.append(True, codes[1:] != codes[:-1])] if len(codes) else codes


@dataclass(frozen=True)
class _Block:
    """Some cases, with the strings of each numbered within the case, so that a repeated pair is one pair.

    names : int32 [c, L], the strings of each case, ascending, then -1. width : L + 1, the last for no diagnosis.
    compared : int64 [c, m, K, K], for each pair of places its position in a flat [c, width, width], smaller number first.
    """

    cases: slice
    names: NDArray[np.int32]
    width: int
    compared: NDArray[np.int64]


def _blocks(entries: Entries, first: Raters, second: Raters) -> Iterator[_Block]:
    n, raters, longest = entries.shape
    step = max(1, _ELEMENTS_PER_BLOCK // max(1, len(first) * longest * longest))
    for start in range(0, n, step):
        cases = slice(start, min(n, start + step))
        flat = np.maximum(entries[cases].reshape(-1, raters * longest), -1)
        order = np.argsort(flat, axis=1)
        ascending = np.take_along_axis(flat, order, 1)
        new = ascending >= 0
        new[:, 1:] &= ascending[:, 1:] != ascending[:, :-1]
        number = new.cumsum(1) - 1
        count = int(number.max()) + 1
        number[ascending < 0] = count
        names = np.full((len(flat), count + 1), -1, np.int32)
        np.put_along_axis(names, number, ascending, 1)
        local = np.empty_like(number)
        np.put_along_axis(local, order, number, 1)
        local = local.reshape(-1, raters, longest)
        left, right = local[:, first][:, :, :, None], local[:, second][:, :, None, :]
        width = count + 1
        of_case = (np.arange(len(flat)) * width * width)[:, None, None, None]
        yield _Block(
            cases, names[:, :count], width, of_case + np.minimum(left, right) * width + np.maximum(left, right)
        )


def match_cases(
    entries: Entries,
    first: Raters,
    second: Raters,
    strings: list[str],
    matcher: Matcher,
    *,
    pairs_per_call: int = PAIRS_PER_CALL,
    progress: Progress | None = None,
    keep_probabilities: bool = False,
) -> CaseMatches:
    """Asks M every pair that the lists of a case put face to face, each once over all cases, in bounded chunks.

    `keep_probabilities` keeps them beside the verdicts.
    `strings` in ascending order makes the calls independent of the order of the rows.

    Raises
    ------
    ModelError
        Where M gives something other than one probability per pair.
    """
    codes = np.empty(0, np.int64)
    pending: list[NDArray[np.int64]] = []
    for block in _blocks(entries, first, second):
        needed = np.zeros((len(block.names), block.width, block.width), bool)
        needed.reshape(-1)[block.compared] = True
        case, low, high = np.nonzero(needed[:, :-1, :-1])
        pending.append(each_once(pair_codes(block.names[case, low], block.names[case, high], len(strings))))
        if sum(map(len, pending)) > _CODES_PENDING:
            codes, pending = each_once(np.concatenate([codes, *pending])), []
    codes = each_once(np.concatenate([codes, *pending]))

    verdicts = np.empty(len(codes), bool)
    kept = np.empty(len(codes), np.float32) if keep_probabilities else None
    for start in range(0, len(codes), pairs_per_call):
        low, high = np.divmod(codes[start : start + pairs_per_call], len(strings))
        a, b = [strings[i] for i in low.tolist()], [strings[i] for i in high.tolist()]
        probabilities = asked(matcher, a, b)
        verdicts[start : start + len(a)] = probabilities >= matcher.threshold
        if kept is not None:
            kept[start : start + len(a)] = probabilities
        if progress is not None:
            progress(min(start + pairs_per_call, len(codes)), len(codes))
    return CaseMatches(entries, first, second, strings, codes, verdicts, kept)


def ask(matcher: Matcher, a: list[str], b: list[str]) -> NDArray[np.bool_]:
    """bool [n]: the verdicts of M, row by row."""
    return asked(matcher, a, b) >= matcher.threshold


def asked(matcher: Matcher, a: list[str], b: list[str]) -> NDArray[np.float64]:
    """float64 [n]: the probabilities of M, row by row, checked; 0 where M says that it does not understand a diagnosis.

    Raises
    ------
    ModelError
        Where M gives something other than one probability per pair.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotUnderstoodWarning)  # the report says it once, of all lists
        probabilities = np.asarray(matcher.probabilities(a, b), float)
    if probabilities.shape != (len(a),):
        raise ModelError(f"The matcher gave {probabilities.shape} probabilities for {len(a):,} pairs.")
    unscored = np.flatnonzero(np.isnan(probabilities)).tolist()
    if unscored:
        unknown = not_understood(matcher, list(dict.fromkeys(text for at in unscored for text in (a[at], b[at]))))
        probabilities[[at for at in unscored if a[at] in unknown or b[at] in unknown]] = 0.0
    wrong = ~((probabilities >= 0) & (probabilities <= 1))
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise ModelError(
            f"The matcher gave {probabilities[at]} as the probability that {quoted(a[at])} is {quoted(b[at])}."
        )
    return probabilities
