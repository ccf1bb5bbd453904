"""A match function trained here, beside a string score and an embedding, on references that none of them saw.

    python -m tests.bench accuracy

Trains on the real labelled pairs (`DXMATCH_DATA`) as the shipped model is trained, holds out a fifth of the references, and
gives each rival its usual threshold and the best one on the training references. Silver pairs are learned besides where `make
encoder` has left the encoder that may be used for them. Then the shipped model and the rivals on a second labelled file
(columns a, b, label, kind), whose pairs are of another kind and specialty. Last, how often `icd` finds the category of a name.
"""

from __future__ import annotations

import csv
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

import dxmatch
from dxmatch.files.pairs import read_pairs
from dxmatch.files.reading import PairColumns, Reading
from dxmatch.matcher.match_function import load
from dxmatch.recipe.shipped import pool_of, silver_extra
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.options import LabelRules
from dxmatch.training.statistics.split import Groups, held_out
from dxmatch.training.statistics.threshold import MAX_F1, choose_threshold
from dxmatch.training.train import train

from .names import DATA
from .rivals import Scored, Verdicts, by_kind, compare

ROOT = Path(__file__).resolve().parents[2]
SECOND = ROOT / "tests" / "data" / "second_test.csv"
KEPT_BACK = ROOT / "out" / "encoder-kept-back"
USUAL = {"token_set_ratio": 0.8, "all-MiniLM-L6-v2 cosine": 0.75}
Thresholds = dict[str, tuple[str, float]]
"""Row of the table -> name in `Scored.scores`, and threshold; dxmatch first."""


def verdicts(scored: Scored, rows: np.ndarray, thresholds: Thresholds) -> dict[str, Verdicts]:
    label = scored.label[rows]
    return {
        f"{name} ({at:.3f})": Verdicts.at(scored.scores[score][rows], at, label)
        for name, (score, at) in thresholds.items()
    }


def show(title: str, scored: Scored, rows: np.ndarray, thresholds: Thresholds) -> None:
    group = Groups.of([name for name, chosen in zip(scored.group, rows, strict=True) if chosen])
    compare(title, scored.label[rows], group, verdicts(scored, rows, thresholds))


def icd_categories() -> None:
    """Orphadata's names with an exact code: how often `icd` gives its category, and has it among 15 candidates."""
    with (DATA / "orphadata_icd10.csv").open(encoding="utf-8", newline="") as handle:
        exact = {row["name"]: row["icd10"][:3] for row in csv.DictReader(handle) if row["relation"] == "E"}
    mapped = dxmatch.icd(pa.table({"diagnosis": list(exact)}), k=15).to_pylist()
    first = [(row["icd10"] or "")[:3] == code for row, code in zip(mapped, exact.values(), strict=True)]
    among = [
        code in {one["code"][:3] for one in row["candidates"]} for row, code in zip(mapped, exact.values(), strict=True)
    ]
    print(f"ICD-10 category of {len(exact):,} names: right {np.mean(first):.3f}, among 15 {np.mean(among):.3f}.")


def main() -> None:
    source = DATA / "craft_md_pairs.csv"
    if not source.is_file():
        print(f"skipped: no real data at {DATA} (set DXMATCH_DATA)")
        return
    columns = {"a": "expert", "b": "algorithm", "label": "label"}
    with tempfile.TemporaryDirectory() as folder:
        rejects = Path(folder) / "rejects.csv"
        start = time.perf_counter()
        silver = None
        if KEPT_BACK.is_dir():
            graph = load().providers.graph
            silver = silver_extra(pool_of(DATA, Normalizer()), KEPT_BACK, graph, Path(folder))
        m = train(
            source,
            columns=PairColumns(**columns),
            labels=LabelRules(contained="set-aside", extra=silver),
            reading=Reading(rejects=rejects),
        )
        print(
            f"Trained in {time.perf_counter() - start:.0f} s, {'without' if silver is None else 'with'} silver pairs."
        )
        pairs = read_pairs(source, **columns, rejects=rejects)
    scored = Scored.of(m, pairs)
    test = held_out(Groups.of(scored.group), 0.2, seed=0)
    kept = ~(scored.contained & (scored.label == 0))
    thresholds: Thresholds = {"dxmatch": ("dxmatch", m.threshold)}
    for name, usual in USUAL.items():
        seen = ~test & kept & ~scored.identical
        best = choose_threshold(scored.scores[name][seen], scored.label[seen], MAX_F1)
        thresholds |= {f"{name} at {usual}": (name, usual), f"{name} at its best": (name, best)}
    for title, rows in {
        "Held out, all pairs": test,
        "Held out, pairs that differ": test & ~scored.identical,
        "Held out, pairs that differ, non-matches of kind and class set aside": test & ~scored.identical & kept,
    }.items():
        show(title, scored, rows, thresholds)
    if not SECOND.is_file():
        print(f"no second test at {SECOND.name}")
        return
    pairs, shipped = read_pairs(SECOND, label="label"), load()
    second = Scored.of(shipped, pairs)
    thresholds["dxmatch"] = ("dxmatch", shipped.threshold)
    show("Second test, pairs that differ", second, ~second.identical, thresholds)
    if "kind" in pairs.table.names:
        said = verdicts(second, np.ones(len(second.label), bool), thresholds)
        by_kind("Right, by kind", pairs.table.column("kind"), {name: one.right for name, one in said.items()})
    icd_categories()


if __name__ == "__main__":
    main()
