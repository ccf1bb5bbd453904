"""M between the lists of each case and its reference diagnoses: every unordered pair of strings is asked once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ...matcher.protocol import Matcher
from ...progress import Progress
from ..lists.lists import Lists
from .case_matches import PAIRS_PER_CALL, asked, each_once, pair_codes

_ELEMENTS_PER_BLOCK = 2_000_000
_CODES_PENDING = 16_000_000


@dataclass(frozen=True)
class ReferenceMatches:
    """M of n cases, r raters, k ranks and D reference diagnoses, the most that a case has.

    probabilities : float32 [n, r, k, D]; NaN where no diagnosis is said, the list is shorter, or the case has fewer references.
    hits : bool [n, r, k, D], the verdicts of M; False where the probability is NaN.
    given : bool [n, D], where a case has a reference diagnosis. One that stands twice in a case counts once.
    """

    probabilities: NDArray[np.float32]
    hits: NDArray[np.bool_]
    given: NDArray[np.bool_]

    def found(self, k: int | None = None) -> NDArray[np.bool_]:
        """bool [n, r, D]: the reference diagnosis is among the first k (all by default) of the list."""
        return np.asarray(self.hits[:, :, :k].any(2))


def match_references(
    lists: Lists,
    matcher: Matcher,
    k: int,
    progress: Progress | None = None,
    *,
    pairs_per_call: int = PAIRS_PER_CALL,
) -> ReferenceMatches:
    """Asks M about the first k of each list and each reference diagnosis of its case, in bounded chunks.

    Errors: `ModelError` where M gives something other than one probability per pair.
    """
    references = [tuple(dict.fromkeys(reference)) for reference in lists.reference]
    said = set(chain.from_iterable(references))
    strings = sorted({*lists.strings, *said})
    number = {text: i for i, text in enumerate(strings)}
    # the last two for -1 and -2: no diagnosis is said, and the list has ended
    in_strings = np.array([*(number[text] for text in lists.strings), -1, -1], np.int32)

    counts = np.fromiter(map(len, references), np.int64, len(references))
    given = np.arange(counts.max(initial=0)) < counts[:, None]
    wanted = np.full(given.shape, -1, np.int32)
    wanted[given] = np.fromiter((number[text] for text in chain.from_iterable(references)), np.int32, counts.sum())
    entries = in_strings[lists.top(k)]

    codes = _codes(entries, wanted, len(strings))
    probabilities = np.empty(len(codes))
    for start in range(0, len(codes), pairs_per_call):
        low, high = np.divmod(codes[start : start + pairs_per_call], len(strings))
        a, b = [strings[i] for i in low.tolist()], [strings[i] for i in high.tolist()]
        probabilities[start : start + len(a)] = asked(matcher, a, b)
        if progress is not None:
            progress(min(start + pairs_per_call, len(codes)), len(codes))
    # one more than the codes, for what was not asked
    known = np.append(probabilities, np.nan).astype(np.float32)
    verdicts = np.append(probabilities >= matcher.threshold, False)
    shape = (*entries.shape, given.shape[1])
    out, hits = np.empty(shape, np.float32), np.empty(shape, bool)
    for cases, block in _blocks(entries, wanted, len(strings)):
        at = _places(codes, block)
        out[cases], hits[cases] = known[at], verdicts[at]
    return ReferenceMatches(out, hits, given)


def _blocks(
    entries: NDArray[np.int32], wanted: NDArray[np.int32], n_strings: int
) -> Iterator[tuple[slice, NDArray[np.int64]]]:
    """Some cases, and for them the code of each pair, int64 [c, r, k, D]; -1 where there is none."""
    n, raters, k = entries.shape
    step = max(1, _ELEMENTS_PER_BLOCK // max(1, raters * k * wanted.shape[1]))
    for start in range(0, n, step):
        cases = slice(start, min(n, start + step))
        yield cases, pair_codes(entries[cases, :, :, None], wanted[cases, None, None, :], n_strings)


def _codes(entries: NDArray[np.int32], wanted: NDArray[np.int32], n_strings: int) -> NDArray[np.int64]:
    """Of every pair, ascending, each once."""
    codes = np.empty(0, np.int64)
    pending: list[NDArray[np.int64]] = []
    for _, block in _blocks(entries, wanted, n_strings):
        pending.append(each_once(block.ravel()))
        if sum(map(len, pending)) > _CODES_PENDING:
            codes, pending = each_once(np.concatenate([codes, *pending])), []
    codes = each_once(np.concatenate([codes, *pending]))
    return codes[codes >= 0]


def _places(codes: NDArray[np.int64], block: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each code of the block stands in `codes`; their number for -1. Looked up in order, ten times as fast."""
    flat = block.ravel()
    order = np.argsort(flat)
    at = np.empty_like(flat)
    at[order] = np.searchsorted(codes, flat[order])
    at[flat < 0] = len(codes)
    return at.reshape(block.shape)
