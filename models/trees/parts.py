"""Trees cut into parts of few conditions, so that what a row meets of them is a pattern of a few bits.

A part is a subtree with the splits on the way to it. Each split inside has a bit of its own, set where a row goes left. The splits on
the way have one bit for each group (for SHAP values a feature, for scores all splits together), set where a row goes the part's way at all
splits of the group. A tree of at most 8 leaves is one part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

MAX_BITS = 7
MAX_LEAF_BITS = 14
"""For a part of one leaf, which cannot be cut any more."""


class Step(NamedTuple):
    """At a split, to one side of it, with that side's share of the training rows."""

    split: int
    left: bool
    share: float


class Condition(NamedTuple):
    """A split, and the bit that is cleared where a row goes left there (`clears_left`), or else where it goes right."""

    split: int
    bit: int
    clears_left: bool


@dataclass
class Branch:
    """What stands between a part's top and one leaf of it, of the splits of one group.

    share : of the training rows, which all these splits let pass. all_set, none_set : the bits of a pattern that passes.
    """

    share: float = 1.0
    all_set: int = 0
    none_set: int = 0


@dataclass(frozen=True)
class Part:
    """n_bits : of its pattern. leaves : of each leaf its number in the tree, and its branches by group."""

    n_bits: int
    conditions: list[Condition]
    leaves: list[tuple[int, dict[int, Branch]]]


@dataclass(frozen=True)
class Tree:
    """One tree, as lists. A child >= 0 is a split, a child < 0 the leaf ~child. left_share : of the training rows at each split, those that go left."""

    left: Sequence[int]
    right: Sequence[int]
    group: Sequence[int]
    left_share: Sequence[float]

    def parts(self) -> Iterator[Part | None]:
        """From the root's left to its right; None for a leaf whose way has more groups than `MAX_LEAF_BITS`."""
        below = [1] * len(self.left)
        for split in range(len(self.left) - 1, -1, -1):  # children come after their parents
            below[split] += sum(below[child] for child in (self.left[split], self.right[split]) if child >= 0)
        todo: list[tuple[int, list[Step]]] = [(0 if self.left else ~0, [])]
        while todo:
            top, way = todo.pop()
            n_bits = len({self.group[step.split] for step in way}) + (below[top] if top >= 0 else 0)
            if top >= 0 and n_bits > MAX_BITS:
                todo += self._sides(top, way)
            else:
                yield self._part(top, way, n_bits) if n_bits <= MAX_LEAF_BITS else None

    def _sides(self, split: int, way: list[Step]) -> list[tuple[int, list[Step]]]:
        """Both children with the way to each, the left one last."""
        share = self.left_share[split]
        return [
            (self.right[split], [*way, Step(split, False, 1 - share)]),
            (self.left[split], [*way, Step(split, True, share)]),
        ]

    def _part(self, top: int, way: list[Step], n_bits: int) -> Part:
        bit_of_group: dict[int, int] = {}
        for step in way:
            bit_of_group.setdefault(self.group[step.split], 1 << len(bit_of_group))
        conditions = [Condition(step.split, bit_of_group[self.group[step.split]], not step.left) for step in way]
        bit_of_split: dict[int, int] = {}
        leaves: list[tuple[int, dict[int, Branch]]] = []
        todo = [(top, way)]
        while todo:
            at, path = todo.pop()
            if at >= 0:
                bit_of_split[at] = 1 << (len(bit_of_group) + len(bit_of_split))
                conditions.append(Condition(at, bit_of_split[at], False))
                todo += self._sides(at, path)
                continue
            branches: dict[int, Branch] = {}
            for split, left, share in path:
                branch = branches.setdefault(self.group[split], Branch())
                branch.share *= share
                if split not in bit_of_split:
                    branch.all_set |= bit_of_group[self.group[split]]
                elif left:
                    branch.all_set |= bit_of_split[split]
                else:
                    branch.none_set |= bit_of_split[split]
            leaves.append((~at, branches))
        return Part(n_bits, conditions, leaves)
