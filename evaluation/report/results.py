"""What a report is made of: families of metrics as rows, and what was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ...pages.rows import Row
from ...stats.resampling import Resampling
from ..score.scores import Values


@dataclass(frozen=True)
class Family:
    """One family of metrics, as rows.

    rows : those of `Report.table`. model_rows : the same, models under several prompts as their means. per_case : by name, float64 [n, r].
    tables : further tables by name. sentences : what was found.
    """

    name: str
    title: str
    rows: list[Row]
    model_rows: list[Row]
    tables: dict[str, list[Row]]
    per_case: dict[str, Values] = field(repr=False)
    sentences: list[str]


@dataclass(frozen=True)
class Setup:
    """What was asked, and how the report was made.

    question, opening : its title, and the line above it. cases, raters : what one of the cases and raters is called, ("note", "run").
    ks : family -> how many diagnoses of each list count. hardness : of the headline figures.
    settings : for the JSON; nobody reads it by key. lines : the same in words, (what, value). match : the judge of a match, in words.
    deviations : whether the leaderboard shows the deviation of the cases beside a mean, as DiReCT does.
    frame : the kind of data frame that tables come in (a narwhals one without rows); None for Arrow.
    """

    question: str
    opening: str
    resampling: Resampling
    cases: str = "case"
    raters: str = "model"
    ks: Mapping[str, int | None] = field(default_factory=dict)
    hardness: float = 1.0
    settings: Mapping[str, Any] = field(default_factory=dict)
    lines: Sequence[tuple[str, str]] = ()
    match: str = ""
    deviations: bool = False
    frame: Any = field(default=None, repr=False, compare=False)


def settings_in_words(settings: Mapping[str, Any], words: Mapping[str, str] | None = None) -> list[tuple[str, str]]:
    """Says settings as (what, value), without what was not given. words : of values that are names."""

    def of(value: Any) -> str:
        if isinstance(value, Mapping):
            return "; ".join(f"{name}: {of(one)}" for name, one in value.items())
        if isinstance(value, list | tuple):
            return ", ".join(map(of, value))
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:.4g}" if isinstance(value, float) else (words or {}).get(str(value), str(value))

    given = {name: value for name, value in settings.items() if value is not None and value not in ({}, [], ())}
    return [(name.replace("_", " ").capitalize(), of(value)) for name, value in given.items()]
