"""How near a code that was found stands to the right one, in the tree."""

from __future__ import annotations

from collections.abc import Iterable
from enum import IntEnum

from .tree import BLOCK, IcdTree


class Nearness(IntEnum):
    """What two nodes share, the nearest first. A level holds whatever a nearer one says, but for two cases.

    A right category's parent is its section, and a right section's its chapter, so that "parent" may hold without "category".

    SAME : the same code.
    PARENT : the right code's parent is the other, or stands above it: K70.1 for K70.0, G47 for G47.9, S32.000 for S32.0.
    CATEGORY : the same first three characters as a node of the tree.
    SECTION : the innermost section of the right code is the other, or stands above it.
    CHAPTER : the same chapter.
    """

    SAME = 0
    PARENT = 1
    CATEGORY = 2
    SECTION = 3
    CHAPTER = 4
    NONE = 5

    @property
    def word(self) -> str:
        return ("code", "parent", "category", "section", "chapter", "no level")[self]


Levels = frozenset[Nearness]


def levels_shared(tree: IcdTree, found: int, right: int) -> Levels:
    """The levels at which `found` is right; empty for -1."""
    if found < 0:
        return frozenset()
    path = {found, *tree.ancestors(found)}
    above = [right, *tree.ancestors(right)]
    category = int(tree.categories[right])
    section = next((node for node in above if tree.kinds[node] == BLOCK), -1)
    same = tree.code(found) == tree.code(right)
    holds = {
        # A section of one category has the code of that category.
        Nearness.SAME: same,
        Nearness.PARENT: same or tree.parent(right) in path,
        Nearness.CATEGORY: same or (category >= 0 and category in path),
        Nearness.SECTION: same or section in path,
        Nearness.CHAPTER: above[-1] in path,
    }
    return frozenset(level for level, true in holds.items() if true)


def best_levels(tree: IcdTree, found: int, right: Iterable[int]) -> Levels:
    """The same where several codes are right: of the one that is nearest."""
    return min((levels_shared(tree, found, one) for one in right), key=nearest_level)


def nearest_level(levels: Levels) -> Nearness:
    """The nearest of them."""
    return min(levels, default=Nearness.NONE)
