"""Metrics on real lists beside ranx, scikit-learn and hiclass: `python -m tests.bench peers`.

One model's answers of CRAFT-MD, in the cases of one right answer. Each peer gets M's verdicts, M's relations, or the codes, and
computes the metric in its own way.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

import numpy as np

import dxmatch
from dxmatch.evaluation.read.reading import read_lists

from .names import DATA

LISTS = DATA / "craft_md_lists.csv"
MODEL, K = "gpt4_1106", 5


def main() -> int:
    if not LISTS.is_file():
        print(f"{LISTS} is absent", file=sys.stderr)
        return 1
    import pandas as pd

    table = pd.read_csv(LISTS, keep_default_na=False)
    read = read_lists(table)
    single = {case for case, right in zip(read.cases, read.reference, strict=True) if len(right) == 1}
    table = table[(table["rater"] == MODEL) & table["case_id"].isin(single)]
    m = dxmatch.load()
    report = dxmatch.evaluate(table, matcher=m, k=K, resampling=dxmatch.Resampling(resamples=0))
    print(f"{len(report.cases):,} cases\n{'metric':12} {'dxmatch':>9} {'peer':>9}  difference")
    for name, ours, theirs, peer in (*_ranked(report, m), *_hierarchical(report)):
        print(f"{name:12} {ours:9.6f} {theirs:9.6f}  {abs(ours - theirs):.1e}  {peer}")
    return 0


def _ranked(report, m) -> Iterator[tuple[str, float, float, str]]:
    from ranx import Qrels, Run, evaluate
    from sklearn.metrics import dcg_score, recall_score

    cases = {str(case): rows for case, rows in report.matches.groupby("case_id", observed=True)}
    hits, gains = np.zeros((len(cases), K), bool), np.zeros((len(cases), K))
    for i, rows in enumerate(cases.values()):
        said = rows.dropna(subset=["probability"])
        at = said["rank"].to_numpy(int) - 1
        hits[i, at] = said["match"].to_numpy(bool)
        distance = m.relations(list(said["reference"]), list(said["diagnosis"])).semantic_distance
        gains[i, at] = np.where(
            hits[i, at], 1, np.where((distance >= 1) & (distance <= 5), ((5 - distance) / 4) ** 2, 0)
        )
    qrels = Qrels(
        {case: {str(k): 1 for k in np.flatnonzero(row)} or {"none": 1} for case, row in zip(cases, hits, strict=True)}
    )
    run = Run({case: {str(k): float(K - k) for k in range(K)} for case in cases})
    for name, metric, row in (
        ("top-1", "hit_rate@1", report.row("Acc", of="M", k=1)),
        ("top-5", "hit_rate@5", report.row("Acc", of="M", k=5)),
    ):
        yield name, row["value"], float(evaluate(qrels, run, metric)), "ranx"
    first_hit = Qrels(
        {case: {str(row.argmax()) if row.any() else "none": 1} for case, row in zip(cases, hits, strict=True)}
    )
    yield "MRR", report.row("MRR")["value"], float(evaluate(first_hit, run, "mrr")), "ranx"
    # what each rank adds to the best gain so far; of one right answer the ideal is 1
    added = np.diff(np.maximum.accumulate(gains, 1), axis=1, prepend=0)
    places = np.tile(np.arange(K, 0, -1.0), (len(cases), 1))
    yield "nDCG", report.row("nDCG", k=10)["value"], float(dcg_score(added, places, k=K)), "scikit-learn"
    found = recall_score(np.ones(len(cases)), hits.any(1))
    yield "R_disease", report.row("R_disease")["value"], float(found), "scikit-learn"


def _hierarchical(report) -> Iterator[tuple[str, float, float, str]]:
    """Of the first diagnoses, in the cases in which they and the right answers have a code."""
    import hiclass.metrics

    from dxmatch.terms.icd.ancestor_sets import opened

    first = report.matches.query("rank == 1").dropna(subset=["diagnosis"])
    codes = [list(dxmatch.icd(list(first[name]))["icd10"]) for name in ("reference", "diagnosis")]
    true, said = zip(
        *[(a, b) for a, b in zip(*codes, strict=True) if isinstance(a, str) and isinstance(b, str)], strict=True
    )
    tree, _ = opened("icd10cm")

    def levels(code: str) -> list[str]:
        path = [*(str(a) for a in reversed(tree.ancestors(code))), str(tree.node(code))]
        return path + [""] * (8 - len(path))

    nodes = [np.array([levels(code) for code in of]) for of in (true, said)]
    singles = [[code] for code in true], [[code] for code in said]
    for name, theirs in (("hdp", hiclass.metrics.precision), ("hdr", hiclass.metrics.recall)):
        ours = getattr(dxmatch.metrics, name)(*singles)
        yield f"{name.upper()}@1", ours, float(theirs(*nodes, average="macro")), f"hiclass, {len(true):,} codes"
