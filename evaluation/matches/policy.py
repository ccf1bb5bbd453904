"""What counts as a match, and who of two is the reference.

A policy may look one way only: the answer may be narrower than the reference, not broader. Then every pair goes to M as
(reference, answer). Two members of a panel are both answers: between them either direction counts, and so it does between them
and an algorithm, whose agreement with them is held against theirs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...matcher.policy import POLICIES
from ...matcher.protocol import Matcher

EITHER = "between raters, of whom none is the reference, either direction counts"


def policy_of(matcher: Matcher) -> str | None:
    """The policy that M says it follows; None where it says nothing."""
    policy = getattr(matcher, "policy", None)
    return None if policy is None else str(policy)


def is_directed(matcher: Matcher) -> bool:
    """Whether M must be asked (reference, answer) in this order."""
    policy = POLICIES.get(policy_of(matcher) or "")
    return policy is not None and not policy.symmetric


def policy_words(policy: str) -> str:
    """A sentence on what counts, without its full stop."""
    known = POLICIES.get(policy)
    said = "as this policy of the match function has it" if known is None else known.meaning
    return f"{policy}: {said}{'' if known is None or known.symmetric else f'; {EITHER}'}"


def between_peers(matcher: Matcher) -> Matcher:
    """M for two of whom neither is the reference: itself where it is symmetric, else the better of both directions."""
    return _EitherDirection(matcher) if is_directed(matcher) else matcher


class _EitherDirection:
    """A symmetric M: a pair matches where one of the two directions does."""

    def __init__(self, matcher: Matcher) -> None:
        self.matcher = matcher

    @property
    def threshold(self) -> float:
        return self.matcher.threshold

    def probabilities(self, a: Sequence[str], b: Sequence[str], /) -> NDArray[np.float64]:
        there, back = (np.asarray(self.matcher.probabilities(x, y), float) for x, y in ((a, b), (b, a)))
        return np.maximum(there, back)

    def __getattr__(self, name: str) -> Any:
        """What else M says of itself."""
        return getattr(self.matcher, name)
