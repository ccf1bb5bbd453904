"""Where the time of a job goes: its stages called one after the other on one core, beside what the core can do at most.

Work per unique string is done for all strings of the job; work per pair for one chunk of its pairs, and scaled up, since every
chunk costs the same. Stages whose least traffic or arithmetic can be said have a bound; those that run in the interpreter have none.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

import numpy as np
import pyarrow as pa
from threadpoolctl import threadpool_limits

from dxmatch.features.compute import CHUNK
from dxmatch.features.interning import InternedPairs, unordered_pairs
from dxmatch.features.passes import Pass, passes
from dxmatch.features.providers import SHIPPED
from dxmatch.features.representations import Representations
from dxmatch.features.tokens import VIEWS
from dxmatch.jobs.gathering import Gathering
from dxmatch.jobs.parts import write_part
from dxmatch.jobs.plan import Chunk, Job, Options, plan_job
from dxmatch.jobs.vocabulary import Vocabulary, find_texts
from dxmatch.matcher.match_function import MatchFunction
from dxmatch.models.shipped import SHIPPED_MODEL

from .machine import Bounds
from .made import made_pairs, make_names

T = TypeVar("T")
ICD = "icd10cm"
LETTER_OPERATIONS = 17
"""Of Hyyrö's step for one letter, in `features/levenshtein.py`."""


@dataclass(frozen=True)
class Stage:
    """seconds : on one core, for the whole job. kind : "files", "strings" or "pairs". bound : the least seconds, and by what."""

    name: str
    kind: str
    seconds: float
    bound: float | None = None
    by: str = ""

    @property
    def share_of_bound(self) -> float | None:
        return None if self.bound is None else self.bound / self.seconds


@dataclass(frozen=True)
class Size:
    """strings, pairs : of the job. chunk : pairs that are measured."""

    strings: int = 50_000
    pairs: int = 10_000_000
    chunk: int = 1 << 19


def measured(m: MatchFunction, size: Size, bounds: Bounds) -> Iterator[Stage]:
    """Every stage of scoring `size.pairs` pairs from Parquet to Parquet, in the order of the work."""
    with threadpool_limits(limits=1), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = made_pairs(folder / "pairs.parquet", size.chunk, size.strings)
        (folder / "parts").mkdir()
        options = Options(chunk_rows=size.chunk)
        job = plan_job(source, folder / "parts", m, SHIPPED_MODEL, options)
        (chunk,) = job.chunks
        others = make_names(5_000)
        m.probabilities(others, others[::-1])  # tables are read, kernels compiled: once a process, whatever the size
        yield from of_one_chunk(Of(m, job, chunk, size.pairs / size.chunk, bounds), folder / "scored.parquet")


@dataclass(frozen=True)
class Of:
    """What is measured. chunks : as many of them has the job."""

    m: MatchFunction
    job: Job
    chunk: Chunk
    chunks: float
    bounds: Bounds


def of_one_chunk(of: Of, output: Path) -> Iterator[Stage]:
    n, bandwidth = of.chunk.rows, of.bounds.bandwidth / of.chunks

    def stage(name: str, kind: str, work: Callable[[], T], traffic: float) -> tuple[T, Stage]:
        """traffic : bytes that a chunk cannot do without."""
        result, taken = timed(work)
        return result, Stage(name, kind, taken * of.chunks, traffic / bandwidth, "bandwidth")

    found, made = stage("read", "files", lambda: find_texts(of.job, [of.chunk], 1), 8 * n)
    yield made
    raw_texts = found.texts
    assert raw_texts is not None
    vocabulary, taken = timed(lambda: Vocabulary.of(raw_texts, of.m.providers))
    yield Stage("normalise", "strings", taken)
    texts = vocabulary.texts
    yield from of_strings(of, texts)
    a, b = found.held[of.chunk.number]

    def unique() -> InternedPairs:
        codes = (vocabulary.name_of(side) for side in vocabulary.places(of.chunk, a, b))
        return InternedPairs(texts.names, *unordered_pairs(*codes, len(texts.names)))

    unique()
    # A sort by radix reads and writes a key of 8 bytes once for each 11 bits of two codes.
    keys = 16 * n * np.ceil(2 * np.log2(len(texts.names)) / 11)
    pairs, made = stage("unique pairs", "pairs", unique, keys)
    yield made
    features = np.empty((len(pairs.first), len(of.m.features.names)), np.float32, order="F")
    yield from of_passes(of, texts, pairs, features)
    of.m.raw(features[:100], threads=1)
    raw, taken = timed(lambda: of.m.raw(features, threads=1))
    splits = visited_splits(of.m) * len(features) * of.chunks
    yield Stage("trees", "pairs", taken * of.chunks, splits / of.bounds.arithmetic, "arithmetic")
    calibration = of.m._parts.manifest.calibration
    probability, made = stage("calibrate", "pairs", lambda: calibration(raw)[pairs.pair_of_row], 8 * 4 * n)
    yield made
    columns = [a, b, pa.array(probability), pa.array(probability >= of.m.threshold)]
    scored = pa.table(columns, names=of.job.schema.names)
    known = (n,) * len(of.m.features.names)
    _, made = stage("write, hash", "files", lambda: write_part(of.job, of.chunk, scored, 0, known, None), scored.nbytes)
    yield made
    _, made = stage("parts to one file", "files", lambda: gather(of.job, output), 2 * scored.nbytes)
    yield made


def gather(job: Job, output: Path) -> None:
    with Gathering(job) as gathering:
        gathering.add(chunk.number for chunk in job.chunks)
        gathering.publish(output)


def timed(work: Callable[[], T]) -> tuple[T, float]:
    """Its result, and seconds of the processor."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def of_strings(of: Of, texts: Representations) -> Iterator[Stage]:
    def stage(name: str, work: Callable[[], object]) -> Stage:
        return Stage(name, "strings", timed(work)[1])

    yield stage("encode", lambda: texts.vectors(SHIPPED))
    index = of.m.providers.icd_index(ICD, SHIPPED)
    # A search by brute force; one that leaves entries out can be above its bound.
    products = 2.0 * len(texts.names) * texts.vectors(SHIPPED).shape[1] * len(index.nodes)
    _, taken = timed(lambda: texts.icd_distribution(ICD, SHIPPED))
    yield Stage("search ICD-10", "strings", taken, products / of.bounds.arithmetic, "arithmetic")
    yield stage("paths in ICD-10", lambda: texts.icd_paths(ICD, SHIPPED))
    yield stage("words and their vectors", lambda: texts.words(SHIPPED))
    yield stage("claims", lambda: texts.claims)
    for view in VIEWS:
        yield stage(f"cut: {view}", lambda view=view: texts.token_sets(view))
    yield stage("letters", lambda: texts.spelling)


def of_passes(of: Of, texts: Representations, pairs: InternedPairs, table: np.ndarray) -> Iterator[Stage]:
    least = least_seconds(texts, pairs, of.bounds)
    for one in passes(of.m.features):

        def fill(one: Pass = one) -> None:
            for start in range(0, len(pairs.first), CHUNK):
                rows = slice(start, start + CHUNK)
                one.fill(texts, pairs.first[rows], pairs.second[rows], table[rows])

        fill()  # what it needs of the names is made
        bound, by = least.get(one.kind.name, least["column"])
        names = [of.m.features.names[column] for column in one.columns.values()]
        name = names[0] if len(names) == 1 else f"{one.kind.name}, {len(names)} columns"
        yield Stage(name, "pairs", of.chunks * min(timed(fill)[1], timed(fill)[1]), of.chunks * bound, by)


def least_seconds(texts: Representations, pairs: InternedPairs, bounds: Bounds) -> dict[str, tuple[float, str]]:
    """For a chunk of pairs, by kind of feature; "column" for those that only read two codes and write a number."""
    n, dimensions = len(pairs.first), texts.vectors(SHIPPED).shape[1]
    letters = np.array([len(name) for name in texts.names])
    words = np.array([len(set(name.split())) for name in texts.names])
    products = float(np.sum(words[pairs.first].astype(float) * words[pairs.second])) * dimensions
    rows = 4.0 * dimensions * (n + len(texts.names))  # the pairs are sorted by their first string
    return {
        "column": (n * 3 * 4 / bounds.bandwidth, "bandwidth"),
        "cosine": (rows / bounds.gather, "gather"),
        "alignment": (2 * products / bounds.arithmetic, "arithmetic"),
        "levenshtein": (LETTER_OPERATIONS * float(letters[pairs.second].sum()) / bounds.arithmetic, "arithmetic"),
    }


def visited_splits(m: MatchFunction) -> float:
    """Splits that a row passes in all trees of all members, a mean over the rows that they were trained on."""
    total = 0.0
    for text in m._parts.trees:
        for line in text.split("\n"):
            key, _, numbers = line.partition("=")
            if key == "internal_count" and numbers:
                rows = list(map(int, numbers.split()))
                total += sum(rows) / rows[0]
    return total
