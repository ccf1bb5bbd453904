"""Policies: which relations count as a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

SAME, NARROWER, BROADER, RELATED, UNRELATED, EXCLUDED = RELATIONS = (
    "same", "narrower", "broader", "related", "unrelated", "excluded",
)  # fmt: skip
"""What `a` is to `b`: the same disease, a kind of it, a class of it, near kin, nothing, or excluded by it."""


PolicyName = Literal["specification", "strict", "narrower-counts", "broader-counts"]
SPECIFICATION: PolicyName = "specification"


@dataclass(frozen=True)
class Policy:
    """counts : the relations of `a`, the reference, to `b`, the answer, that are a match. meaning : what counts, in words."""

    name: PolicyName
    counts: tuple[str, ...]
    meaning: str

    @property
    def symmetric(self) -> bool:
        return (NARROWER in self.counts) == (BROADER in self.counts)

    def probability(self, relations: NDArray[np.float64]) -> NDArray[np.float64]:
        """float64[n]: the sum over the relations that count, of float64[n, 6] in the order of `RELATIONS`."""
        return relations[:, [RELATIONS.index(name) for name in self.counts]].sum(axis=1)


POLICIES: Mapping[str, Policy] = {
    policy.name: policy
    for policy in (
        Policy(
            SPECIFICATION,
            (SAME, NARROWER, BROADER),
            "two names of one disease match, and so does a disease with a kind, a stage or a laboratory sign of it, whichever of the two says more",
        ),
        Policy("strict", (SAME,), "two names of one disease match, and nothing else does"),
        Policy(
            "narrower-counts",
            (SAME, BROADER),
            "an answer matches that names the reference's disease or a kind of it; a broader one does not",
        ),
        Policy(
            "broader-counts",
            (SAME, NARROWER),
            "an answer matches that names the reference's disease or one that it is a kind of; a narrower one does not",
        ),
    )
}
