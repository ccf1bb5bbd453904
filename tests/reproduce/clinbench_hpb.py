"""ClinBench-HPB: deviations over prompts; its authors' cases where the folder has them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import dxmatch

from .figure import Figure, rows_of

PAPER = "ClinBench-HPB"
_PROMPTS = (1, 2, 3, 4)
_DIGITS = 0.001
"""Three digits are printed. A deviation of four values moves by no more than they do: twice a half of the last."""
_LEVELS = ("patient", "disease")
_CASES = {"Journal": (120, 175), "Website": (167, 614), "Hospital": (50, 393)}
"""Of Table 2 and the heads of Tables 5 to 7: cases, and the diseases of all of them."""


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : may hold the authors' cases, Hospital.json, Website.json, Journal_part1.json, …"""
    for row, level in product(rows_of("clinbench_hpb_prompts"), _LEVELS):
        spread = dxmatch.metrics.prompt_spread([float(row[f"{level}_{i}"]) for i in _PROMPTS])
        name = "population standard deviation over four prompts"
        yield Figure(PAPER, "Tables 5-7", name, float(row[f"{level}_sd"]), float(spread), _DIGITS)
    if folder is not None:
        yield from _of_cases(folder)


def _of_cases(folder: Path) -> Iterator[Figure]:
    """What `evaluate` makes of the published files as references, beside a plain count of them."""
    for subset, (cases, diseases) in _CASES.items():
        files = {file: items for file in sorted(folder.rglob(f"{subset}*.json")) if (items := _published(file))}
        if not files:
            continue
        names = {file: _diseases(items) for file, items in files.items()}
        every = [case for of_file in names.values() for case in of_file.values()]
        first = [_recall(file, {case: names[file][case][:1] for case in names[file]}) for file in files]
        # a disease that a patient has twice is found twice
        found = [sum(case.count(case[0]) for case in of.values()) for of in names.values()]
        counted = sum(n for _, _, n in first), sum(n / of[0] for n, of in zip(found, first, strict=True))
        why = f"the folder's {subset} holds {len(every)} cases with {sum(map(len, every))} diseases"
        yield Figure(PAPER, "Table 2", f"{subset}: cases", cases, counted[0], 0, len(every), why)
        what = f"{subset}: diseases, by R_disease of the first of each patient"
        yield Figure(PAPER, "Table 3", what, diseases, counted[1], 1e-6, sum(map(len, every)), why)
        for of_diseases, of_patients, _ in (_recall(file, names[file]) for file in files):
            for metric, value in (("R_disease", of_diseases), ("R_patient", of_patients)):
                yield Figure(PAPER, "3.2", f"{subset}: {metric} of lists that name every disease", 1.0, value)


def _recall(references: Path, lists: dict[str, list[str]]) -> tuple[float, float, int]:
    """R_disease, R_patient, and over how many cases. Only equal names match: the threshold is 1."""
    m = dxmatch.load(judge_all=True)
    m.threshold = 1.0
    report = dxmatch.evaluate(
        {"right": lists}, references, matcher=m, metrics=["recall"], resampling=dxmatch.Resampling(resamples=0)
    )
    row = {row["metric"]: row for row in report.rows}
    return row["R_disease"]["value"], row["R_patient"]["value"], row["R_disease"]["n_cases"]


def _published(file: Path) -> list[dict[str, Any]]:
    """The cases of a file; none for a file of something else."""
    items = json.loads(file.read_bytes())
    right = isinstance(items, list) and all({"patient_info", "diagnosis"} <= {*item} for item in items)
    return items if right else []


def _diseases(items: list[dict[str, Any]]) -> dict[str, list[str]]:
    """The diseases of each case, by its title; one that stands twice is numbered."""
    found: dict[str, list[str]] = {}
    titles = Counter[str]()
    for row, item in enumerate(items, 1):
        title = str(next((item[key] for key in ("patient_id", "Index", "index") if key in item), row))
        titles[title] += 1
        found[title if titles[title] == 1 else f"{title} ({titles[title]})"] = item["diagnosis"].split("\n")
    return found
