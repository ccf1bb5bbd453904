"""Whether an M that was brought along is symmetric, as every metric takes it to be: a sample of pairs is asked both ways."""

from __future__ import annotations

from itertools import chain, islice

import numpy as np

from ...errors import quoted
from ...matcher.protocol import Matcher, Profile
from ..lists.lists import Lists
from .case_matches import asked
from .policy import is_directed

PAIRS = 64
"""Of a sample; each is asked twice."""
_CASES = 256
_NOISE = 1e-3
"""What the same pair may differ by in another batch."""


def warnings_of_direction(lists: Lists, matcher: Matcher) -> list[str]:
    """One sentence where M says another thing of (b, a) than of (a, b), with the pair that differs most.

    Not asked: our own match function, which is symmetric to the bit; a policy that looks one way, which is asked one way;
    an M whose every pair costs a call to a language model.
    """
    from ...matcher.match_function import MatchFunction

    if isinstance(matcher, MatchFunction) or is_directed(matcher) or Profile.of(matcher).rests_on_votes:
        return []
    pairs = _sample(lists)
    if not pairs:
        return []
    a, b = (list(side) for side in zip(*pairs, strict=True))
    there, back = np.split(asked(matcher, a + b, b + a), 2)
    apart = np.abs(there - back)
    verdicts = int(((there >= matcher.threshold) != (back >= matcher.threshold)).sum())
    many = int((apart > _NOISE).sum())
    if not many and not verdicts:
        return []
    at = int(np.argmax(apart))
    return [
        f"The match function is not symmetric: of {len(pairs):,} pairs that were asked both ways {many:,} have another probability, and {verdicts:,} "
        f"another verdict, the other way round: {quoted(a[at])} and {quoted(b[at])} {there[at]:.3g}, reversed {back[at]:.3g}. All metrics take it as "
        "symmetric: a pair is asked once, in the order of the alphabet."
    ]


def _sample(lists: Lists) -> list[tuple[str, str]]:
    """Pairs of different strings that stand in one case, of cases all over the lists."""
    n, top = len(lists.cases), lists.top(2)
    found: dict[tuple[str, str], None] = {}
    for case in np.unique(np.linspace(0, n - 1, min(n, _CASES)).astype(int)).tolist():
        said = [lists.strings[i] for i in top[case].ravel().tolist() if i >= 0]
        texts = list(dict.fromkeys(chain(islice(lists.reference[case], 2), said[:8])))
        one_case = ((a, b) for i, a in enumerate(texts) for b in texts[i + 1 :])
        found |= dict.fromkeys(islice(one_case, 6))
    pairs = list(found)
    return [pairs[i] for i in np.unique(np.linspace(0, len(pairs) - 1, min(len(pairs), PAIRS)).astype(int)).tolist()]
