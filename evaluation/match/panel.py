"""Who is compared with a panel of experts, and how: what a user says of it, and who that makes of the raters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from ...options import Between, Options, Table

MAX_K = 100
"""The most diagnoses of a list that can be asked for."""


@dataclass(frozen=True, kw_only=True)
class Panel(Options):
    """Who is compared with a panel of experts, and how.

    Parameters
    ----------
    algorithms : str or sequence of str, optional
        The raters to judge, by default those whose role says so; all others are the panel of experts.
    in_turn : bool
        Each of them (each rater, where none is named) is judged by all other raters.
    hardness : float
        From 0 to 1: 1 compares averages, 0 the best of the algorithm with the worst of the panel.
    denominator : str
        "nk2" divides by n k^2, as in the source; "observed" by the lists' own lengths.
    max_k : int, optional
        The curves go from 1 to this; by default to the longest list, at most 10, at least `k`.
    labelled : table, optional
        Pairs of the lists that experts labelled (a, b, label; case_id where whole cases were drawn): P and RPAD, and with cases R and
        RRAD, are also given corrected for the match function's own errors.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    algorithms: str | Sequence[str] | None = None
    in_turn: bool = False
    hardness: Annotated[float, Between(0, 1)] = 1.0
    denominator: Literal["nk2", "observed"] = "nk2"
    max_k: Annotated[int, Between(1, MAX_K)] | None = None
    labelled: Table | None = None
