"""Match functions, language models and lists that tests make in a line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import dxmatch
from dxmatch.endpoints.endpoint import Endpoint
from dxmatch.votes.asking import LanguageModel
from dxmatch.votes.prompts.questions import Answer, Question

from ..case_table import rows_of

POINTS = dxmatch.Resampling(resamples=0)
"""No intervals."""


class By:
    """M by a function of two strings; equal strings match. asked : the pairs that it was asked, in order. more : what else M has."""

    threshold = 0.5
    identity = "by-hand"

    def __init__(self, probability: Callable[[str, str], float] = lambda a, b: 0.0, **more: Any) -> None:
        self.probability = probability
        self.asked: list[tuple[str, str]] = []
        vars(self).update(more)

    def probabilities(self, a: Sequence[str], b: Sequence[str]) -> np.ndarray:
        self.asked += zip(a, b, strict=True)
        return np.array([1.0 if x == y else float(self.probability(x, y)) for x, y in zip(a, b, strict=True)])


class SetMatcher(By):
    """M given as the set of matching pairs."""

    def __init__(self, *pairs: tuple[str, str], **more: Any) -> None:
        super().__init__(lambda x, y: frozenset((x, y)) in self.pairs, **more)
        self.pairs = {frozenset(pair) for pair in pairs}


class Says(LanguageModel):
    """A language model that answers (kind of prompt, first text, second text) by a function. asked : what it was asked."""

    def __init__(self, answer: Callable[[str, str, str], str | None]) -> None:
        super().__init__(Endpoint("nowhere", "http://127.0.0.1:9/v1"), "m")
        vars(self).update(answer=answer, asked=[])

    def answers(self, prompt: Any, asked: Any, store: Any, budget: Any, progress: Any = None) -> list[Answer | None]:
        mine, who = vars(self), self.config(prompt)
        mine["asked"].extend((prompt.kind, *pair) for pair in asked)
        texts = [mine["answer"](prompt.kind, *pair) for pair in asked]
        return [
            None if text is None else Answer(*prompt.reply(text, Question(who, *pair))[:2], raw=text)
            for text, pair in zip(texts, asked, strict=True)
        ]


def long_form(cases: dict[str, dict[str, list[str]]], roles: dict[str, str] | None = None) -> pd.DataFrame:
    """{case: {rater: list}} -> the long form."""
    rows: list[dict[str, Any]] = [
        {"case_id": case, "rater": rater, "rank": rank, "diagnosis": diagnosis}
        | ({} if roles is None else {"role": roles.get(rater, "expert")})
        for case, lists in cases.items()
        for rater, diagnoses in lists.items()
        for rank, diagnosis in enumerate(diagnoses, 1)
    ]
    return pd.DataFrame(rows)


_CODES = {"pneumonia": "J18.9", "pulmonary embolism": "I26.99", "asthma": "J45.909", "gout": "M10.9", "sepsis": "A41.9"}
_RELATIONS = ("exact synonym", "broad synonym", "exact disease group", "broad disease group", "not related")
_SEVERITIES = ("mild", "moderate", "severe", "critical", "rare")


def lists_of_everything(n: int = 14, rename: dict[str, str] | None = None) -> pd.DataFrame:
    """Lists with every column, so that no family of metrics is left out: A and B judged by X, Y and Z, three each.

    rename : other names for cases, raters and diagnoses.
    """
    generator = np.random.default_rng(5)
    names = rename or {}
    words = list(_CODES)
    rows: list[dict[str, Any]] = []
    for case in range(n):
        reference, severity = words[case % 5], case % 5
        for skill, rater in enumerate("XYAZB"):
            others = [word for word in words if word != reference]
            said = list(generator.permutation(others)[:3])
            if generator.random() < 0.9 - 0.15 * skill:
                said[int(generator.integers(0, 3))] = reference
            for rank, word in enumerate(said, 1):
                off = int(generator.integers(-1, 2))
                rows.append(
                    {
                        "case_id": names.get(f"c{case:02}", f"c{case:02}"),
                        "rater": names.get(rater, rater),
                        "role": "algorithm" if rater in "AB" else "expert",
                        "rank": rank,
                        "diagnosis": names.get(word, word),
                        "icd10": _CODES[word],
                        "severity": _SEVERITIES[int(np.clip(severity + off, 0, 4))],
                        "relation": _RELATIONS[0 if word == reference else int(generator.integers(1, 5))],
                        "reference": names.get(reference, reference),
                        "reference_icd10": _CODES[reference],
                        "reference_severity": _SEVERITIES[severity],
                    }
                )
    return pd.DataFrame(rows)


def with_reading(options: dict[str, Any]) -> dict[str, Any]:
    """The options of a case in a table of cases, those of the reading in their object."""
    of_reading = {name: value for name, value in options.items() if name in dxmatch.Reading.__dataclass_fields__}
    others = {name: value for name, value in options.items() if name not in of_reading}
    return {**others, "reading": dxmatch.Reading(**of_reading)}


def framed(cases: dict[str, dict[str, list[str]]], **columns: Any) -> pd.DataFrame:
    """With roles: the rater "truth" is the reference, A, B and gpt… are algorithms. columns : further ones, in the order of the rows."""
    algorithms = {rater for lists in cases.values() for rater in lists if rater in "AB" or rater.startswith("gpt")}
    roles = {"truth": "reference", **dict.fromkeys(algorithms, "algorithm")}
    return long_form(cases, roles).assign(**columns)


def scored(lists: Any, metrics: Any, m: Any = None, *, resamples: int = 0, **options: Any) -> dxmatch.Report:
    """The report of a frame, or of lists as `framed`; "none" is no diagnosis."""
    frame = framed(lists) if isinstance(lists, dict) else lists
    given = {"reading": dxmatch.Reading(no_diagnosis=["none"]), "resampling": dxmatch.Resampling(resamples=resamples)}
    return dxmatch.evaluate(frame, matcher=m or By(), metrics=metrics, **given | options)


def value(report: dxmatch.Report, rater: str, name: str) -> float | None:
    return find(report.rows, algorithm=rater, name=name)["value"]


def told(report: dxmatch.Report, kind: str | None = None) -> str:
    """What the findings say, or those of a kind, one a line."""
    return "\n".join(one.sentence for one in report.findings if kind in (None, one.kind))


def find(rows: Iterable[dict[str, Any]], **columns: Any) -> dict[str, Any]:
    """The one row that has these values."""
    (row,) = [row for row in rows if all(row[name] == value for name, value in columns.items())]
    return row


def rows_in(table: str) -> list[dict[str, str]]:
    """The rows of a table of cases below this folder."""
    return rows_of(Path(__file__).parent / f"{table}.csv")


def expected_in(row: dict[str, str]) -> float:
    """The value of the fraction in the column `expected`."""
    return eval(row["expected"], {"__builtins__": {}}, vars(math))


def written(folder: Path, files: dict[str, Any]) -> Path:
    """Writes files, a text as it is and anything else as JSON, a list for .jsonl a line each; None takes a file away."""
    for name, value in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if value is None:
            (folder / name).unlink(missing_ok=True)
        else:
            rows = value if isinstance(value, list) and name.endswith(".jsonl") else [value]
            texts = [value] if isinstance(value, str) else map(json.dumps, rows)
            (folder / name).write_text("\n".join(texts), "utf-8")
    return folder
