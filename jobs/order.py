"""Work on threads with a bounded number of pieces under way."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_order(pool: Executor, work: Callable[[T], R], pieces: Iterable[T], under_way: int) -> Iterator[tuple[T, R]]:
    """Each piece with its result, in the order of the pieces; at most `under_way` are computed or wait to be taken.

    An error of a piece is raised in its turn, and what has not begun is given up.
    """
    rest = iter(pieces)
    running: deque[tuple[T, Future[R]]] = deque((piece, pool.submit(work, piece)) for piece in islice(rest, under_way))
    try:
        while running:
            piece, future = running.popleft()
            result = future.result()
            running.extend((later, pool.submit(work, later)) for later in islice(rest, 1))
            yield piece, result
    finally:
        for _, future in running:
            future.cancel()
