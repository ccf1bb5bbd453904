"""What a generator gives, and how random it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Candidate:
    """Two names that a generator holds to be one disease, or two.

    from_a, from_b : the names of a source that `a` and `b` were made from, where they are none themselves.
    """

    a: str
    b: str
    source: str
    from_a: tuple[str, ...] = field(default=())
    from_b: tuple[str, ...] = field(default=())

    @property
    def first(self) -> tuple[str, ...]:
        return (self.a, *self.from_a)

    @property
    def second(self) -> tuple[str, ...]:
        return (self.b, *self.from_b)


def shuffled(items: Sequence[T], random: Random) -> list[T]:
    out = list(items)
    random.shuffle(out)
    return out


def in_turn(parts: Sequence[tuple[float, Iterator[T]]], random: Random) -> Iterator[T]:
    """Draws from each iterator with its weight until all are at their end."""
    left = list(parts)
    while left:
        (part,) = random.choices(left, [weight for weight, _ in left])
        try:
            yield next(part[1])
        except StopIteration:
            left.remove(part)


def round_robin(groups: Sequence[Sequence[T]], random: Random) -> Iterator[T]:
    """The first of each group, in random order, then the second of each: no large group crowds out the others."""
    for turn in range(max(map(len, groups), default=0)):
        for group in shuffled([group for group in groups if len(group) > turn], random):
            yield group[turn]
