"""How language models are asked: where they are served, where their answers are kept, and what may be spent."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

from ..options import Between, File, Options, Output
from .budget import Budget
from .store import STORE


@dataclass(frozen=True, kw_only=True)
class Asking(Options):
    """How language models are asked. What the store holds is never asked again, so that an asking which was cut short goes on.

    Parameters
    ----------
    endpoints : path, optional
        A TOML file with an [endpoint.NAME] table for each server, and a [price.MODEL] table where the cost shall be told.
    store : path, optional
        The vote store, an SQLite file that keeps every answer; votes.sqlite if not given.
    max_calls : int, optional
        Stop after so many calls, retries included.
    max_cost : float, optional
        Stop before this cost, by the prices of `endpoints`.
    dry_run : bool
        Say what would be asked and what it costs, and ask nothing.
    again : bool
        Ask anew where nothing can be read from an answer.

    Raises
    ------
    OptionError
        For a cap that cannot be.
    """

    endpoints: File | None = None
    store: Output | None = None
    max_calls: Annotated[int, Between(0)] | None = None
    max_cost: Annotated[float, Between(0)] | None = None
    dry_run: bool = False
    again: bool = False

    @cached_property
    def budget(self) -> Budget:
        """What may be spent over all that is asked with this object; its `summaries` say afterwards what came of asking."""
        return Budget(self.max_calls, self.max_cost)

    @property
    def filled(self) -> Path:
        """The store that answers go to."""
        return Path(self.store or STORE)
