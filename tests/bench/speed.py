"""Speed beside what one would use instead, through the public functions alone."""

from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path

import numpy as np

import dxmatch

from ..small_model import boosters_of
from .measure import ASKED, Figures, Row, beside_peer, entry, in_a_process, in_turns
from .names import make_names, make_pairs

ROOT = Path(__file__).resolve().parents[2]
ICD_NAMES, DIMENSIONS, CANDIDATES = 58_800, 256, 15
"""The size of ICD-10-CM's index under the shipped encoder, and how many candidates `icd` gives."""

# Seconds of the processor for the thread that waits: loading, the first match, the median of all later ones.
START = """
import json, sys, time, warnings
warnings.simplefilter("ignore")  # made-up names may not be understood
begin = time.thread_time()
import dxmatch
m = dxmatch.load()
loaded = time.thread_time()
m.match("heart attack", "acute myocardial infarction")
first = time.thread_time()
names, each = json.load(sys.stdin), []
for a, b in zip(names[::2], names[1::2]):
    start = time.thread_time()
    m.probability(a, b)
    each.append(time.thread_time() - start)
print(json.dumps({"load": loaded - begin, "first match": first - loaded, "match": sorted(each)[len(each) // 2]}))
"""


SCORED = "import sys, dxmatch; from pathlib import Path; dxmatch.score_files(Path(sys.argv[1]), Path(sys.argv[2]))"
BY_RATIO = """
import sys, pyarrow as pa, pyarrow.parquet as pq
from rapidfuzz import fuzz, process
table = pq.read_table(sys.argv[1])
a, b = (table[side].cast(pa.string()).to_pylist() for side in ("a", "b"))
score = process.cpdist(a, b, scorer=fuzz.token_set_ratio, workers=-1)
pq.write_table(table.append_column("score", pa.array(score)), sys.argv[2])
"""


@entry("pairs from Parquet to Parquet", "pairs/s", peer="rapidfuzz token_set_ratio", mark=0.2)
def job(short: bool) -> Figures:
    """The whole job in a process of its own: reading, features, ICD-10, trees, writing; the peer reads, gives one string score a pair, and writes."""
    pairs, strings = (20_000, 1_000) if short else (2_000_000, 20_000)
    with tempfile.TemporaryDirectory() as name:
        source = make_pairs(Path(name) / "pairs.parquet", pairs, strings)
        ours, theirs = (
            in_a_process("-c", code, source, Path(name) / "scored.parquet").seconds for code in (SCORED, BY_RATIO)
        )
    return pairs / ours, pairs / theirs


@entry("the shipped model loaded in a new process", "s", peer=ASKED, mark=1.0)
def load(short: bool) -> Figures:
    return started(short)["load"], 0.5


@entry("the first match", "s", peer=ASKED, mark=1.0)
def first_match(short: bool) -> Figures:
    return started(short)["first match"], 1.5


@entry("match of two new names", "ms", peer=ASKED, mark=1.0)
def match(short: bool) -> Figures:
    return started(short)["match"] * 1e3, 3.0


@functools.cache
def started(short: bool) -> dict[str, float]:
    """What `START` prints, the fastest of several processes."""
    processes, pairs = (1, 20) if short else (5, 100)
    runs = [start_once(pairs) for _ in range(processes)]
    return {key: min(run[key] for run in runs) for key in runs[0]}


def start_once(pairs: int, **environment: str) -> dict[str, float]:
    return json.loads(in_a_process("-c", START, given=json.dumps(make_names(2 * pairs)), **environment).said)


def beside(other: Path, pairs: int, runs: int) -> list[Row]:
    """The same measures on this checkout and on another, in turns: what a change costs or brings. This one is ours, `other` the peer.

    Each runs in a process of its own that finds one of the two packages, and uses its public functions alone.
    """
    figures: dict[tuple[str, str], list[list[float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        source = make_pairs(Path(name) / "pairs.parquet", pairs, 50_000)
        for side, checkout in enumerate((ROOT, other)):  # a folder in which it is `dxmatch`
            (Path(name) / str(side)).mkdir()
            (Path(name) / str(side) / "dxmatch").symlink_to(checkout.resolve(), target_is_directory=True)
        for run in range(runs + 1):
            for side in range(2):
                path = Path(name) / str(side)
                start = start_once(100, PYTHONPATH=str(path))
                done = in_a_process("-c", SCORED, source, path / "scored.parquet", PYTHONPATH=str(path))
                (path / "scored.parquet").unlink()
                if run == 0 and runs:  # compiles, builds the index of ICD-10, fills the disk's cache
                    continue
                taken = {
                    (f"{pairs:,} pairs, Parquet to Parquet", "pairs/s"): pairs / done.seconds,
                    ("  memory of its largest process at the peak", "MB"): done.peak_mb,
                    ("loading", "s"): start["load"],
                    ("the first match", "s"): start["first match"],
                    ("match of two new names", "ms"): 1e3 * start["match"],
                }
                for key, value in taken.items():
                    figures.setdefault(key, [[], []])[side].append(value)
    rows = []
    for (what, unit), (mine, others) in figures.items():
        best = max if unit.endswith("/s") else min
        rows.append(beside_peer(what, unit, best(mine), other.name, best(others)))
    return rows


def feature_rows(rows: int, columns: int) -> np.ndarray:
    """float32[rows, columns] in [0, 1], a tenth of it missing."""
    random = np.random.default_rng(1)
    table = random.random((rows, columns)).astype(np.float32)
    table[random.random(table.shape) < 0.1] = np.nan
    return table


def beside_lightgbm(rows: int, part: int, method: str, within: float, runs: int, **what: bool) -> Figures:
    """Of a table of `rows`, and of one in `part` of them by LightGBM, which gives the same `within` so much."""
    m = dxmatch.load()
    members, table = boosters_of(m.parts.trees), feature_rows(rows, len(m.features.names))
    some = table[: len(table) // part]

    def ours() -> np.ndarray:
        return getattr(m.parts.trees, method)(table, threads=1)

    def theirs() -> np.ndarray:
        return np.mean([member.predict(some, num_threads=1, **what) for member in members], axis=0)

    assert np.allclose(ours()[: len(some)], theirs(), rtol=0, atol=within), "other values"
    taken = in_turns(ours, theirs, runs)
    return len(table) / taken[0], len(some) / taken[1]


@entry("scores of the shipped model's trees", "rows/s", peer="LightGBM predict", mark=4.0)
def trees(short: bool) -> Figures:
    return beside_lightgbm(2_000 if short else 200_000, 20, "raw", 1e-12, 3, raw_score=True)


@entry("SHAP values of the shipped model's trees", "rows/s", peer="LightGBM pred_contrib", mark=10.0)
def shap(short: bool) -> Figures:
    return beside_lightgbm(400 if short else 20_000, 40, "contributions", 1e-9, 2, pred_contrib=True)


@entry("ICD-10 of new strings, normalised and encoded too", "strings/s", peer="numpy search alone", mark=1.0)
def icd(short: bool) -> Figures:
    """The peer is given vectors of the same number and size, and only searches them: matmul and argpartition."""
    strings, m = make_names(50 if short else 5_000, seed=1), dxmatch.load()
    dxmatch.icd(strings[:5], matcher=m)
    random = np.random.default_rng(0)
    entries = random.standard_normal((ICD_NAMES, DIMENSIONS), np.float32)
    queries = random.standard_normal((250, DIMENSIONS), np.float32)

    def brute_force() -> None:
        cosines = queries @ entries.T
        best = np.argpartition(-cosines, CANDIDATES - 1, axis=1)[:, :CANDIDATES]
        np.argsort(-np.take_along_axis(cosines, best, 1), axis=1)

    ours, theirs = in_turns(lambda: dxmatch.icd(strings, matcher=m, k=CANDIDATES), brute_force, 2)
    return len(strings) / ours, len(queries) / theirs
