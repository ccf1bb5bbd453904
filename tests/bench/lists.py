"""Long lists of names: linked (`python -m tests.bench link`), without duplicates (`dedupe`), and linked beside others (`link-peers`).

`link` counts by brute force what its candidates lose: M on some names of the first list with every name of the second.

`link-peers` has three jobs. "answers": those of tests/data/second_test.csv (ophthalmology, ear-nose-throat, dental medicine; M was not
trained on them, nothing was chosen on them) to be linked to their references. "variants": real names to the same names turned and
misspelt. "synonyms": Orphadata's synonyms to its names, most of which the shipped model's graph of diseases holds: what that is worth,
and no test of M's generality. A link is right where it is a known one; recall is of the terms that have a known one. Links of "answers"
to a reference that they were not labelled with are left out of precision: nobody has judged them.
"""

from __future__ import annotations

import random
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from rapidfuzz import fuzz, process, utils

import dxmatch

from ..case_table import rows_of
from .measure import Row, in_a_process, timed
from .names import DATA, made_names, titles_and_variants, turned, typo

SECOND = Path(__file__).resolve().parents[1] / "data" / "second_test.csv"
BEST = 5
USUAL = 0.8
"""Threshold of rapidfuzz, of 1."""


def by_command(command: str, *lists: list[str]) -> tuple[Row, dict[str, list[Any]]]:
    """Its time and memory from file to file, and what it wrote, by column."""
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / f"{number}.parquet" for number in range(len(lists))]
        for file, terms in zip(files, lists, strict=True):
            pq.write_table(pa.table({"term": terms}), file)
        done = in_a_process("-m", "dxmatch.cli", command, *files, "-o", out := Path(name) / "out.parquet")
        return done.figures, pq.read_table(out).to_pydict()


def dedupe(count: int) -> list[Row]:
    """Finds the duplicates among `count` names, of which half are titles of ICD-10-CM, half variants of these."""
    figures, made = by_command("dedupe", titles_and_variants(count))
    return [
        {"names": count, **figures, "clusters": max(made["cluster"]), "share one": sum(n > 1 for n in made["size"])}
    ]


def link(a: int, b: int, sample: int) -> list[Row]:
    """Links `a` made names with `b` others and tells what of a sample's matches was found."""
    first, second = made_names(a, 1), made_names(b, 2)
    figures, made = by_command("link", first, second)
    m, got = dxmatch.load(), dict(zip(made["index_a"], made["probability"], strict=True))
    rows = sorted(np.random.default_rng(7).permutation(len(first))[:sample].tolist())
    some = [first[row] for row in rows if row in got]
    among = m.link(some, second, k=None).to_pydict()
    found = {pair for pair in zip(among["index_a"], among["index_b"], strict=True) if pair[1] is not None}
    linkable = linked = best = matches = top = in_top = 0
    for i, term in enumerate(some):
        probability = np.nan_to_num(m.matrix([term], second)[0])
        right = np.flatnonzero(probability >= m.threshold).tolist()
        matches += len(right)
        of_best = [j for j in np.argsort(-probability, kind="stable")[:BEST].tolist() if j in right]
        top, in_top = top + len(of_best), in_top + sum((i, j) in found for j in of_best)
        linkable, p = linkable + bool(right), got[first.index(term)]
        linked, best = linked + (p is not None), best + (p is not None and p >= probability.max() - 1e-9)
    shares = {"linked": linked / max(linkable, 1), "to the best": best / max(linkable, 1)}
    shares |= {f"best {BEST}": in_top / max(top, 1), "all matches": len(found) / max(matches, 1)}
    return [{"a": a, "b": b, **figures, "linkable": linkable, "matches": matches, **shares}]


# Beside others

Linked = dict[int, tuple[int, float]]
"""By place in the first list, the best place in the second and its score in [0, 1]."""


@dataclass(frozen=True)
class Job:
    """right, wrong : pairs of places that are known to name one disease, and not to; wrong is None where all others are wrong."""

    name: str
    a: list[str]
    b: list[str]
    right: set[tuple[int, int]]
    wrong: set[tuple[int, int]] | None = None

    def figures(self, linked: Linked, least: float) -> tuple[float, float, float]:
        """Precision, recall and F1 of the links from `least` up."""
        links = [(i, j) for i, (j, score) in linked.items() if score >= least]
        right = sum(link in self.right for link in links)
        judged = right + sum(link in self.wrong if self.wrong is not None else link not in self.right for link in links)
        precision, recall = right / max(judged, 1), right / max(len({i for i, _ in self.right}), 1)
        return precision, recall, 2 * precision * recall / max(precision + recall, 1e-12)


def jobs(size: int) -> list[Job]:
    """Of `size` terms at most."""
    rows, orpha = rows_of(SECOND), rows_of(DATA / "orphadata_synonyms.csv")
    a, b = (list(dict.fromkeys(row[side] for row in rows)) for side in ("b", "a"))
    pairs = {label: {(a.index(row["b"]), b.index(row["a"])) for row in rows if row["label"] == label} for label in "10"}
    at_random = random.Random(3)
    names = list(dict.fromkeys(row["name"] for row in orpha))
    some = at_random.sample(names, min(size, len(names)))
    written = [typo(turned(name, at_random), at_random) for name in some]
    place = {name: i for i, name in enumerate(some)}
    synonyms = [(row["synonym"], place[row["name"]]) for row in orpha if row["name"] in place]
    at = {text: i for i, text in enumerate(dict.fromkeys(text for text, _ in synonyms))}
    return [
        Job("answers", a, b, pairs["1"], pairs["0"]),
        Job("variants", written, some, {(i, i) for i in range(len(some))}),
        Job("synonyms", list(at), some, {(at[text], j) for text, j in synonyms}),
    ]


def by_dxmatch(a: list[str], b: list[str]) -> Linked:
    made = dxmatch.load().link(a, b, threshold=0.0).to_pydict()
    links = zip(made["index_a"], made["index_b"], made["probability"], strict=True)
    return {i: (j, p) for i, j, p in links if j is not None}


def by_rapidfuzz(a: list[str], b: list[str]) -> Linked:
    scores = process.cdist(
        a, b, scorer=fuzz.token_set_ratio, processor=utils.default_process, workers=-1, dtype=np.uint8
    )
    return {i: (j, float(scores[i, j]) / 100) for i, j in enumerate(scores.argmax(axis=1).tolist())}


def peers(size: int) -> list[Row]:
    m, rows = dxmatch.load(), []
    m.probability("heart attack", "gout")  # so that what is made once and kept is there
    for job in jobs(size):
        for work, least in ((by_dxmatch, m.threshold), (by_rapidfuzz, USUAL)):
            seconds, linked = timed(lambda job=job, work=work: work(job.a, job.b), time.perf_counter)
            figures = dict(zip(("precision", "recall", "F1"), job.figures(linked, least), strict=True))
            best = max(job.figures(linked, t)[2] for t in np.linspace(0, 1, 101))
            terms = f"{len(job.a):,} x {len(job.b):,}"
            rows.append({"job": job.name, "terms": terms, "by": work.__name__[3:], "seconds": seconds, **figures, "F1 at its best": best})  # fmt: skip
    return rows
