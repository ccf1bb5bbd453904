"""`python -m tests.bench link-peers`: m.link beside rapidfuzz and splink on the same lists with known links.

Three jobs. "answers": the answers of tests/data/second_test.csv (ophthalmology, ear-nose-throat, dental medicine; M was not trained on them, nothing
was chosen on them) to be linked to their references. "variants": real names to the same names turned and misspelt. "synonyms": Orphadata's
synonyms to its names, most of which the shipped model's graph of diseases holds: what that is worth, and no test of M's generality.

Each term of the first list gets its best of the second, or none. A link is right where it is a known one; recall is of the terms that have a known
one. Links of "answers" to a reference that they were not labelled with are left out of precision: nobody has judged them.
"""

from __future__ import annotations

import csv
import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from .names import data_folder, turned, typo

SECOND = Path(__file__).resolve().parents[1] / "data" / "second_test.csv"
USUAL = 0.8
"""rapidfuzz' threshold, of 1."""
SPLINK_AT = 0.5

Linked = dict[int, tuple[int, float]]
"""By place in the first list, the best place in the second and its score in [0, 1]."""


@dataclass(frozen=True)
class Job:
    """right, wrong : pairs of places that are known to name one disease, and not to; wrong is None where all others are wrong."""

    name: str
    a: list[str]
    b: list[str]
    right: set[tuple[int, int]]
    wrong: set[tuple[int, int]] | None

    def figures(self, linked: Linked, least: float) -> tuple[float, float]:
        """Precision and recall of the links from `least` up."""
        links = [(i, j) for i, (j, score) in linked.items() if score >= least]
        right = sum(link in self.right for link in links)
        judged = right + sum(link in self.wrong if self.wrong is not None else link not in self.right for link in links)
        return right / max(judged, 1), right / max(len({i for i, _ in self.right}), 1)

    def best_f1(self, linked: Linked) -> float:
        """F1 at the threshold that is best for these very links."""
        return max((f1(*self.figures(linked, least)) for least in np.linspace(0, 1, 101)), default=0.0)


def f1(precision: float, recall: float) -> float:
    return 2 * precision * recall / max(precision + recall, 1e-12)


def jobs(size: int) -> list[Job]:
    """Of `size` terms at most."""
    with SECOND.open(encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle))
    a, b = (list(dict.fromkeys(row[side] for row in rows)) for side in ("b", "a"))
    pairs = {label: {(a.index(row["b"]), b.index(row["a"])) for row in rows if row["label"] == label} for label in "10"}
    made = [Job("answers", a, b, pairs["1"], pairs["0"])]
    at_random = random.Random(3)
    with (data_folder() / "orphadata_synonyms.csv").open(encoding="utf-8", newline="") as handle:
        orpha = list(csv.DictReader(handle))
    names = list(dict.fromkeys(row["name"] for row in orpha))
    some = at_random.sample(names, min(size, len(names)))
    written = [typo(turned(name, at_random), at_random) for name in some]
    place = {name: i for i, name in enumerate(some)}
    made.append(Job("variants", written, some, {(i, i) for i in range(len(some))}, None))
    synonyms = [(row["synonym"], place[row["name"]]) for row in orpha if row["name"] in place]
    listed = list(dict.fromkeys(text for text, _ in synonyms))
    at = {text: i for i, text in enumerate(listed)}
    made.append(Job("synonyms", listed, some, {(at[text], j) for text, j in synonyms}, None))
    return made


def by_dxmatch(a: list[str], b: list[str]) -> Linked:
    import dxmatch

    table = dxmatch.load().link(a, b, threshold=0.0)
    there = table[table["index_b"].notna()]
    return {
        int(i): (int(j), float(p))
        for i, j, p in zip(there["index_a"], there["index_b"], there["probability"], strict=True)
    }


def by_rapidfuzz(a: list[str], b: list[str]) -> Linked:
    from rapidfuzz import fuzz, process, utils

    scores = process.cdist(
        a, b, scorer=fuzz.token_set_ratio, processor=utils.default_process, workers=-1, dtype=np.uint8
    )
    best = scores.argmax(axis=1)
    return {i: (int(j), float(scores[i, j]) / 100) for i, j in enumerate(best.tolist())}


def by_splink(a: list[str], b: list[str]) -> Linked:
    """A model of one field: exact, Jaro-Winkler and words in common; blocked by any word of three letters or more; trained without labels."""
    import pyarrow as pa
    import splink.comparison_library as cl
    from splink import Linker, SettingsCreator, block_on
    from splink.backends.duckdb import DuckDBAPI

    logging.getLogger("splink").setLevel(logging.ERROR)
    api = DuckDBAPI()

    def table(texts: list[str], name: str) -> object:
        clean = ["".join(c if c.isalnum() else " " for c in text.casefold()) for text in texts]
        words = [sorted({word for word in text.split() if len(word) > 2}) or [text] for text in clean]
        joined = [" ".join(text.split()) for text in clean]
        columns = {"unique_id": list(range(len(texts))), "name": joined, "words": words, "first": [w[0] for w in words]}
        return api.register(pa.table(columns), dataset_display_name=name)

    settings = SettingsCreator(
        link_type="link_only",
        comparisons=[
            cl.JaroWinklerAtThresholds("name", [0.95, 0.88, 0.8, 0.7]),
            cl.ArrayIntersectAtSizes("words", [4, 3, 2, 1]),
        ],
        blocking_rules_to_generate_predictions=[block_on("words", arrays_to_explode=["words"])],
        probability_two_random_records_match=1 / max(len(b), 1),
    )
    linker = Linker([table(a, "a"), table(b, "b")], settings)
    linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=1)
    linker.training.estimate_parameters_using_expectation_maximisation(block_on("first"))
    found = linker.inference.predict(threshold_match_probability=0.0).as_record_list()
    out: Linked = {}
    for row in found:
        i, j = (row["unique_id_l"], row["unique_id_r"])
        if row["source_dataset_l"] == "b":
            i, j = j, i
        if i not in out or row["match_probability"] > out[i][1]:
            out[i] = j, float(row["match_probability"])
    return out


RIVALS: dict[str, tuple[Callable[[list[str], list[str]], Linked], float | None]] = {
    "dxmatch": (by_dxmatch, None),
    "rapidfuzz": (by_rapidfuzz, USUAL),
    "splink": (by_splink, SPLINK_AT),
}


def main(size: int) -> None:
    import dxmatch

    m = dxmatch.load()
    m.link(["heart attack"], ["MI"])  # what is made once is no part of it
    table = Table(
        "job",
        "terms",
        "by",
        "seconds",
        "precision",
        "recall",
        "F1",
        "F1 at its best threshold",
        title="Two lists linked",
    )
    for job in jobs(size):
        for name, (link, least) in RIVALS.items():
            start = time.perf_counter()
            try:
                linked = link(job.a, job.b)
            except ModuleNotFoundError as error:
                print(f"{name} left out: {error.name} is not installed")
                continue
            seconds = time.perf_counter() - start
            precision, recall = job.figures(linked, m.threshold if least is None else least)
            table.add_row(
                job.name, f"{len(job.a):,} x {len(job.b):,}", name, f"{seconds:.1f}", f"{precision:.3f}", f"{recall:.3f}", f"{f1(precision, recall):.3f}",
                f"{job.best_f1(linked):.3f}",
            )  # fmt: skip
    Console(width=140).print(table)
