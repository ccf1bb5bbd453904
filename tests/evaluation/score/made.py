"""One family of metrics of lists that a test makes, with its rows and tables as a report has them."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pandas as pd

import dxmatch
from dxmatch.evaluation.match.judge import Judgements
from dxmatch.evaluation.match.matches import Matches, match
from dxmatch.evaluation.match.options import Panel
from dxmatch.evaluation.read.lists import Lists
from dxmatch.evaluation.read.reading import read_lists
from dxmatch.evaluation.score.scores import FamilyScores, Settings
from dxmatch.evaluation.score.wanted import FAMILIES, K, ks_of
from dxmatch.evaluation.statistics.estimates import estimates, rows_of
from dxmatch.stats.resampling import Resampling

from ..made import By

OF_RIGHT_ANSWERS = [name for name in FAMILIES if name not in ("relative", "agreement")]


def matched(
    lists: Lists | pd.DataFrame, matcher: Any = None, k: K = None, families: Any = OF_RIGHT_ANSWERS, max_k: int = 3, **options: Any,
) -> Matches:  # fmt: skip
    """options : of `match`."""
    answers = lists if isinstance(lists, Lists) else read_lists(lists, reading=dxmatch.Reading(no_diagnosis=["none"]))
    return match(answers, matcher or By(), families, ks_of(k), max_k, **options)


def judgements(
    judge: Any, check: Any = None, included: Any = None, places: Any = None, given: Any = None
) -> Judgements:
    """Verdicts [cases, raters, references] of a judge, and of its check where it was asked; by default every reference is there."""
    judge = np.asarray(judge, np.int8)
    included = judge if included is None else np.asarray(included, np.int8)
    given = np.ones((len(judge), judge.shape[2]), bool) if given is None else np.asarray(given, bool)
    words = {1: "included", 0: "not included", -1: "no verdict", -2: None}
    rows = {
        at: {
            "judge": words[one], "check": None, "included": bool(included[at] > 0),
            "place": None if places is None else int(places[at]) or None,
        }
        for at, one in np.ndenumerate(judge)
        if given[at[0], at[2]]
    }  # fmt: skip
    alone = np.where(judge == -2, included, judge).astype(np.int8)
    return Judgements(rows, given, included, alone, Counter({"refused": 1}), "m", "" if check is None else "m")


class Scored:
    """rows, tables, per_case, words and told (kind -> sentences) of one family."""

    def __init__(
        self,
        family: ModuleType,
        lists: Any,
        matcher: Any = None,
        k: K = None,
        *,
        repeats: int = 0,
        seed: int = 0,
        panel: Panel | None = None,
        **settings: Any,
    ) -> None:
        matches = lists if isinstance(lists, Matches) else matched(lists, matcher, k)
        chosen = Settings(
            k=ks_of(k), panel=panel or Panel(), resampling=Resampling(resamples=repeats, seed=seed), **settings
        )
        self.matches, self.resampling, self.scores = matches, chosen.resampling, family.scores(matches, chosen)
        self.fill(self.scores)

    def fill(self, scores: FamilyScores) -> None:
        self.rows = self._rows(scores.scores)
        self.tables = scores.tables | {
            name: scores.shown.get(name, list)(self._rows(part)) for name, part in scores.parts.items()
        }
        self.per_case, self.words = scores.per_case, scores.sentences(self.rows)
        self.told: dict[str, list[str]] = {}
        for finding in scores.findings:
            self.told.setdefault(finding.kind, []).append(finding.sentence)

    def _rows(self, scores: Any) -> list[dict[str, Any]]:
        return rows_of(estimates(scores, self.matches.answers.cases, self.resampling), self.resampling.level)

    def row(self, rater: str, name: str) -> dict[str, Any]:
        (row,) = [row for row in self.rows if (row["algorithm"], row["name"]) == (rater, name)]
        return row

    def value(self, rater: str, name: str) -> float | None:
        return self.row(rater, name)["value"]


def table_of(name: str) -> list[dict[str, str]]:
    """The rows of a table of cases in this folder."""
    with (Path(__file__).parent / f"{name}.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))
