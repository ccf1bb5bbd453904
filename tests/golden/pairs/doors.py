"""The ways to the probabilities of pairs, by dxmatch's public names alone."""

from __future__ import annotations

import json
import pickle
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import dxmatch
from dxmatch.tests.command_line import typed

from .adapter import POLICIES, Texts, numbers

NOT_ASKED = -1.0
Door = Callable[[Any, Texts, Texts, Path], np.ndarray]


@contextmanager
def served(m: Any) -> Iterator[Callable[[str, Any], Any]]:
    """`dxmatch serve` on loopback; gives what posts a question and reads the answer."""
    import uvicorn

    server = uvicorn.Server(uvicorn.Config(dxmatch.serving.app(m), port=0, log_level="error", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/api/"

    def ask(what: str, said: Any) -> Any:
        request = urllib.request.Request(
            address + what, json.dumps(said).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)

    try:
        yield ask
    finally:
        server.should_exit = True
        thread.join()


def _texts(a: Texts, b: Texts) -> tuple[list[str], list[str]]:
    return list(dict.fromkeys(a)), list(dict.fromkeys(b))


def _of(a: Texts, b: Texts, known: dict[tuple[str, str], float]) -> np.ndarray:
    return np.array([known.get(pair, NOT_ASKED) for pair in zip(a, b, strict=True)])


def _one_by_one(m: Any, a: Texts, b: Texts, _: Path) -> np.ndarray:
    return np.array([m.probability(*pair) for pair in zip(a, b, strict=True)])


def _score(made: Callable[[dict[str, Texts], Path], Any]) -> Door:
    return lambda m, a, b, folder: numbers(m.score(made({"a": a, "b": b}, folder))["probability"])


def _csv(columns: dict[str, Texts], folder: Path) -> Path:
    pd.DataFrame(columns).to_csv(folder / "pairs.csv", index=False)
    return folder / "pairs.csv"


def _parquet(rows: int, engine: str = "local") -> Door:
    def door(m: Any, a: Texts, b: Texts, folder: Path) -> np.ndarray:
        pq.write_table(pa.table({"a": a, "b": b}), folder / "pairs.parquet")
        done = typed("score", folder / "pairs.parquet", "-o", folder / "scored.parquet", "--chunk-rows", rows, "--engine", engine)  # fmt: skip
        assert not done.code, done.err
        return numbers(pq.read_table(folder / "scored.parquet")["probability"])

    return door


def _matrix(m: Any, a: Texts, b: Texts, _: Path) -> np.ndarray:
    rows, columns = _texts(a, b)
    return _of(a, b, dict(zip(product(rows, columns), m.matrix(rows, columns).ravel().tolist(), strict=True)))


def _rank(m: Any, a: Texts, b: Texts, _: Path) -> np.ndarray:
    queries, terms = _texts(a, b)
    known = [q for q in queries if not m.not_understood([q])][:5]
    return _of(a, b, {(q, hit.term): hit.probability for q in known for hit in m.rank(q, terms, k=None)})


def _link(m: Any, a: Texts, b: Texts, _: Path) -> np.ndarray:
    found = m.link(pl.Series(a).unique(maintain_order=True), pl.Series(b).unique(maintain_order=True), k=9, threshold=0)
    return _of(a, b, {(one, other): p for one, other, p in found.select("a", "b", "probability").iter_rows()})


def _dedupe(m: Any, a: Texts, b: Texts, _: Path) -> np.ndarray:
    found = m.dedupe(pl.Series([*a, *b]).unique(maintain_order=True), policy="specification").drop_nulls("joined_with")
    known = {(one, other): p for one, other, p in found.select("term", "joined_with", "probability").iter_rows()}
    return _of(a, b, known | {pair[::-1]: p for pair, p in known.items()})


def _serve(m: Any, a: Texts, b: Texts, _: Path) -> np.ndarray:
    rows, columns = _texts(a, b)
    with served(m) as ask:
        links = ask("link", {"a": rows, "b": columns[:20], "k": 20})["links"]
    known = {(link["a"], link["b"]): link["probability"] for link in links}
    return _of(a, b, {pair: p for pair, p in known.items() if p is not None})


def policies(m: Any, a: Texts, b: Texts) -> dict[str, list[float]]:
    """The probability of each pair under each policy, as the server of one policy tells them; all must be understood."""
    with served(m) as ask:
        said = [ask("match", {"a": one, "b": other})["policies"] for one, other in zip(a, b, strict=True)]
    return {name: [each["probability"] for row in said for each in row if each["policy"] == name] for name in POLICIES}


def _estimator(m: Any, a: Texts, b: Texts, _: Path) -> np.ndarray:
    made = dxmatch.MatchClassifier(judge_all=False)
    made.match_function_, made.classes_, made.match_label_, made.n_features_in_ = m, np.array([0, 1]), 1, 2
    return made.predict_proba(list(zip(a, b, strict=True)))[:, 1]


def _threads(m: Any, a: Texts, b: Texts, _: Path) -> np.ndarray:
    out = np.empty(len(a))

    def fill(first: int) -> None:
        out[first::16] = m.probabilities(a[first::16], b[first::16])

    with ThreadPoolExecutor(16) as pool:
        list(pool.map(fill, range(16)))
    return out


DOORS: dict[str, tuple[Door, int]] = {
    "one by one": (_one_by_one, 100),
    "a pandas frame": (_score(lambda columns, _: pd.DataFrame(columns)), 2_000),
    "a polars frame": (_score(lambda columns, _: pl.DataFrame(columns)), 2_000),
    "CSV": (_score(_csv), 2_000),
    "Parquet in chunks of 7": (_parquet(7), 50),
    "Parquet in chunks of 1,000": (_parquet(1_000), 2_000),
    "Parquet on Ray": (_parquet(50, "ray"), 100),
    "matrix": (_matrix, 2_000),
    "rank": (_rank, 2_000),
    "link": (_link, 2_000),
    "dedupe": (_dedupe, 2_000),
    "serve": (_serve, 2_000),
    "the estimator": (_estimator, 2_000),
    "a pickle": (lambda m, a, b, _: pickle.loads(pickle.dumps(m)).probabilities(a, b), 2_000),
    "16 threads": (_threads, 2_000),
}
"""Ways to the probabilities of pairs, `NOT_ASKED` where one does not tell; and how many pairs each is asked, in both orders."""
