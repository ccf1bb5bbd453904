"""The match function by its public names alone, in neutral words: what follows when a name changes; the runs do not."""

from __future__ import annotations

import json
import pickle
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from importlib.metadata import entry_points
from itertools import product
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

import dxmatch

POLICIES = ("specification", "strict", "narrower-counts", "broader-counts")
RELATIONS = ("same", "narrower", "broader", "related", "unrelated", "excluded")
NOT_ASKED = -1.0
Texts = Sequence[str]
Door = Callable[[Any, Texts, Texts, Path], np.ndarray]


def load(policy: str = POLICIES[0]) -> Any:
    return dxmatch.load(policy=policy)


def table(m: Any, a: Texts, b: Texts, **wanted: bool) -> pa.Table:
    """probability and match (null where a text is not understood); with relation, features, shap what they add."""
    return m.score(pa.table({"a": a, "b": b}), add=[name for name, asked in wanted.items() if asked])


def numbers(column: Any) -> np.ndarray:
    """float64[n] of a column of pyarrow, pandas or polars, NaN where it has none."""
    return np.array([np.nan if x is None else x for x in column.to_numpy()], float)


def relations(m: Any, a: Texts, b: Texts) -> dict[str, np.ndarray]:
    """The kind of each pair, "" where it has none, and the probability of each relation."""
    found = table(m, a, b, relation=True)
    kind = np.array([x or "" for x in found["relation"].to_pylist()])
    return {"kind": kind, **{name: numbers(found[f"relation_{name}"]) for name in RELATIONS}}


def codes(m: Any, texts: Texts, k: int) -> dict[str, np.ndarray]:
    """The code, then the k candidates, "" for none; their scores; how the code was found."""
    rows = dxmatch.icd(pa.table({"diagnosis": list(texts)}), k=k, matcher=m).to_pylist()
    each = [[(r["icd10"], r["score"]), *((c["code"], c["score"]) for c in r["candidates"])] for r in rows]
    each = [row + [("", None)] * (k + 1 - len(row)) for row in each]
    return {
        "code": np.array([[code or "" for code, _ in row] for row in each]),
        "score": np.array([[score for _, score in row] for row in each], float),
        "how": np.array([r["how"] for r in rows]),
    }


def contributions(m: Any, a: Texts, b: Texts) -> dict[str, np.ndarray]:
    """The names of the features, their values, what each adds to the log-odds, and the base."""
    found, names = table(m, a, b, features=True, shap=True), list(m.features.names)
    values, shap = (np.stack([numbers(found[before + name]) for name in names], 1) for before in ("", "shap_"))
    return {"names": np.array(names), "values": values, "shap": shap, "base": numbers(found["shap_base"])}


def contributions_of_shap(m: Any, a: Texts, b: Texts) -> dict[str, np.ndarray]:
    """The same as an explanation of the library shap."""
    e = dxmatch.shap_explanation(m, pa.table({"a": a, "b": b}))
    return {"names": np.array(e.feature_names), "values": e.data.astype(float), "shap": e.values, "base": e.base_values}


def explanation(m: Any, a: str, b: str) -> tuple[str, list[float]]:
    """The names and the numbers of an explanation; neither for a pair that is not understood."""
    try:
        e = dxmatch.explain(m, a, b)
    except dxmatch.NotUnderstood:
        return "", []
    parts = sorted((part.feature, part.value, part.contribution) for part in e.parts)
    told = e.to_dict()
    names = [told[what] for what in ("names", "shared", "only_a", "only_b", "opposed", "excluded", "relation")]
    names += [[part[0] for part in parts], [[link.name, link.disease, link.source] for link in e.known.links]]
    values = [told[what] for what in ("probability", "threshold", "base", "raw", "raw_threshold", "by_trees")]
    values += [told["relations"].get(name) for name in RELATIONS]
    values += [link.certainty for link in e.known.links] + [value for part in parts for value in part[1:]]
    return json.dumps(names), [np.nan if value is None else value for value in values]


def command(*arguments: object) -> None:
    """`dxmatch ARGUMENTS`, in this process."""
    (entry,) = entry_points(group="console_scripts", name="dxmatch")
    with patch.object(sys, "argv", ["dxmatch", *map(str, arguments)]):
        try:
            entry.load()()
        except SystemExit as end:
            assert not end.code, f"dxmatch {arguments} ends with {end.code}"


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
        command("score", folder / "pairs.parquet", "-o", folder / "scored.parquet", "--chunk-rows", rows, "--engine", engine)  # fmt: skip
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
