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

from ...matcher.protocol import Matcher

POLICIES = {
    "specification": "two names of one disease match, and so does a disease with a kind, a stage or a laboratory sign of it, "
    "whichever of the two says more",
    "strict": "two names of one disease match, and nothing else does",
    "narrower-counts": "an answer matches that names the reference's disease or a kind of it; a broader one does not",
    "broader-counts": "an answer matches that names the reference's disease or one that it is a kind of; a narrower one does not",
}
"""Policy -> what counts as a match under it, in words."""
DIRECTED = frozenset(("narrower-counts", "broader-counts"))
"""The policies under which M(reference, answer) is not M(answer, reference)."""
EITHER = "between raters, of whom none is the reference, either direction counts"


def policy_of(matcher: Matcher) -> str | None:
    """The policy that M says it follows; None where it says nothing."""
    policy = getattr(matcher, "policy", None)
    return None if policy is None else str(policy)


def is_directed(matcher: Matcher) -> bool:
    """Whether M must be asked (reference, answer) in this order."""
    return policy_of(matcher) in DIRECTED


def policy_words(policy: str) -> str:
    """A sentence on what counts, without its full stop."""
    said = POLICIES.get(policy, "as this policy of the match function has it")
    return f"{policy}: {said}{f'; {EITHER}' if policy in DIRECTED else ''}"


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
