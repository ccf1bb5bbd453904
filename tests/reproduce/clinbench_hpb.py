"""ClinBench-HPB: means and deviations over prompts, quantity-weighted averages; its authors' cases where the folder has them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

import dxmatch
from dxmatch.evaluation.lists.formats.registry import read_answers, recognised
from dxmatch.evaluation.metrics.recall import prompt_spread

from .figure import Figure, many
from .printed_tables import rows_of

PAPER = "ClinBench-HPB"
_PROMPTS = (1, 2, 3, 4)
_HALF = 0.0005
"""Three digits are printed. A deviation of four values moves by no more than they do; an average neither."""
_CASES = {"Journal": (120, 175), "Website": (167, 614), "Hospital": (50, 393)}
"""Of Table 2 and the heads of Tables 5 to 7: cases, and the diseases of all of them."""
_QUESTIONS = {"cn_qa": 2000, "en_qa": 1535}
_AVERAGES = {
    "avg_q": _QUESTIONS,
    "avg_p": {f"{name.lower()}_patient": cases for name, (cases, _) in _CASES.items()},
    "avg_d": {f"{name.lower()}_disease": diseases for name, (_, diseases) in _CASES.items()},
}
_O1 = "Table 3 prints 0.110 and 0.641 for OpenAI-o1 on Hospital, Table 7 prints 0.180 and 0.710 for the same"


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : may hold the authors' cases, Hospital.json, Website.json, Journal_part1.json, …"""
    yield from _of_prompts()
    yield from _of_subsets()
    yield from _between_tables()
    if folder is not None:
        yield from _of_cases(folder)


def _of_prompts() -> Iterator[Figure]:
    printed = rows_of("clinbench_hpb_prompts")
    for what, ours in (("mean", np.mean), ("sd", prompt_spread)):
        pairs = [
            (float(row[f"{level}_{what}"]), float(ours([float(row[f"{level}_{i}"]) for i in _PROMPTS])))
            for row in printed
            for level in ("patient", "disease")
        ]
        name = "mean over four prompts" if what == "mean" else "population standard deviation over four prompts"
        yield many(PAPER, "Tables 5-7", name, pairs, 2 * _HALF)


def _of_subsets() -> Iterator[Figure]:
    printed = rows_of("clinbench_hpb_subsets")
    for average, sizes in _AVERAGES.items():
        pairs = [
            (float(row[average]), float(np.average([float(row[name]) for name in sizes], weights=[*sizes.values()])))
            for row in printed
        ]
        yield many(PAPER, "Table 3", f"{average}, weighted by quantity", pairs, 2 * _HALF)
    both = [(float(row["avg"]), (float(row["avg_q"]) + float(row["avg_p"])) / 2) for row in printed]
    yield many(PAPER, "Table 3", "avg, of avg_q and avg_p", both, 2 * _HALF)


def _between_tables() -> Iterator[Figure]:
    """The paper with itself: the means of Tables 5 to 7 stand in Table 3 again."""
    folded = {(row["subset"], row["model"].casefold()): row for row in rows_of("clinbench_hpb_prompts")}
    pairs = [
        (float(row[f"{subset.lower()}_{level}"]), float(folded[subset, row["model"].casefold()][f"{level}_mean"]))
        for row in rows_of("clinbench_hpb_subsets")
        for subset in _CASES
        for level in ("patient", "disease")
    ]
    yield many(PAPER, "Table 3", "as in the means of Tables 5-7", pairs, 0.0, _O1)


def _of_cases(folder: Path) -> Iterator[Figure]:
    for subset, (cases, diseases) in _CASES.items():
        files = sorted(folder.rglob(f"{subset}*.json"))
        files = [file for file in files if (found := recognised(file)) is not None and found.name == "clinbench-hpb"]
        if not files:
            continue
        answers = [answer for file in files for answer in read_answers(file)]
        right = {f"{answer.source}/{answer.case_id}": list(answer.references) for answer in answers}
        given = sum(map(len, right.values()))
        part = f"the folder holds {len(right)} cases" if len(right) != cases else "a patient's diagnoses are parted at line ends"  # fmt: skip
        yield Figure(PAPER, "Table 2", f"{subset}: cases", cases, len(right), 0, part)
        yield Figure(PAPER, "Table 3", f"{subset}: diseases", diseases, given, 0, part)
        report = dxmatch.evaluate(
            predictions={"all that is right": right}, references=right, metrics=["recall"], bootstrap=0, judge_all=True
        )
        for metric in ("R_disease", "R_patient"):
            value = next(row["value"] for row in report.rows if row["metric"] == metric)
            yield Figure(PAPER, "3.2", f"{subset}: {metric} of a list that names every disease", 1.0, value)
