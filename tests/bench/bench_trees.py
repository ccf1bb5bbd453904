"""Scores and SHAP values of trees beside LightGBM and shap, on two shapes: many leaves, and the shipped model's many small trees.

    python -m tests.bench trees

200 trees x 31 leaves over 17 columns with missing values are trained here, on rows made here. All on one core. tl2cgen, which has a C compiler make
machine code of a model, stands beside them where it is installed (pip install tl2cgen treelite). lleaves 1.3 does not run with the llvmlite that numba has.
"""

from __future__ import annotations

import importlib.util
import os
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import lightgbm
import numpy as np

from dxmatch.models.ensemble import Members
from dxmatch.models.folder import load
from dxmatch.models.shipped import SHIPPED_MODEL

from .report import Row, Work, best_of, show, versus

COLUMNS = 17
SCORES, SHAP = 4.0, 10.0


def made_rows(rows: int, columns: int, seed: int = 1) -> np.ndarray:
    """float32 in [0, 1], a tenth of it missing."""
    random = np.random.default_rng(seed)
    table = random.random((rows, columns)).astype(np.float32)
    table[random.random(table.shape) < 0.1] = np.nan
    return table


def trained(rows: int = 20_000) -> str:
    table, random = made_rows(rows, COLUMNS, seed=0), np.random.default_rng(2)
    label = (np.nan_to_num(table) @ random.normal(size=COLUMNS) + random.normal(0, 0.3, rows) > 0).astype(int)
    settings = {"objective": "binary", "num_leaves": 31, "verbosity": -1, "num_threads": 1}
    return lightgbm.train(settings, lightgbm.Dataset(table, label), 200).model_to_string()


def predict(boosters: Sequence[lightgbm.Booster], table: np.ndarray, **kind: bool) -> np.ndarray:
    return np.stack([np.asarray(b.predict(table, num_threads=1, **kind)) for b in boosters], axis=1)


def of_shape(shape: str, texts: Sequence[str], scale: str) -> Iterator[Row]:
    members, boosters = Members(texts), [lightgbm.Booster(model_str=text) for text in texts]
    many, few = (200_000, 2_000) if scale == "full" else (20_000, 500)
    table = made_rows(many, members.n_features)
    some = table[: many // 20]
    expected = predict(boosters, some, raw_score=True)
    assert np.array_equal(members(table)[: len(some)], expected), "other scores than LightGBM's"
    ours = Work(lambda: members(table), many)
    theirs = Work(lambda: predict(boosters, some, raw_score=True), len(some))
    yield versus(f"scores, {shape}", "rows/s", ours, "LightGBM", theirs, mark=SCORES, runs=5)
    one = table[:1]
    yield versus(f"score of one row, {shape}", "us", Work(lambda: members(one)), "LightGBM", Work(lambda: predict(boosters, one, raw_score=True)), runs=20)  # fmt: skip

    rows = table[: 10 * few]
    found, values = members.contributions(rows), predict(boosters, rows[:few], pred_contrib=True)
    error = float(np.abs(found[:few] - values).max())
    assert error < 1e-9, "other SHAP values than LightGBM's"
    ours = Work(lambda: members.contributions(rows), len(rows))
    theirs = Work(lambda: predict(boosters, rows[:few], pred_contrib=True), few)
    yield versus(f"SHAP values, {shape}", "rows/s", ours, "pred_contrib", theirs, mark=SHAP, runs=2)
    yield Row(f"SHAP values, {shape}: furthest from pred_contrib", "log-odds", error)
    if scale == "full" and importlib.util.find_spec("shap"):
        import shap

        explainers = [shap.TreeExplainer(booster) for booster in boosters]
        theirs = Work(lambda: [explainer.shap_values(rows[:few]) for explainer in explainers], few)
        yield versus(f"SHAP values, {shape}", "rows/s", ours, "shap.TreeExplainer", theirs, runs=1)


def compiled_model(text: str, rows: int) -> Iterator[Row]:
    if not importlib.util.find_spec("tl2cgen"):
        return
    table, members = made_rows(rows, COLUMNS), Members([text])
    members(table)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.txt"
        file.write_text(text, "ascii")
        theirs = Work(_tl2cgen(file, table), rows)
        yield versus(
            "scores, 200 trees x 31 leaves", "rows/s", Work(lambda: members(table), rows), "tl2cgen", theirs, runs=5
        )


def _tl2cgen(file: Path, table: np.ndarray) -> Any:
    treelite, tl2cgen = (importlib.import_module(name) for name in ("treelite", "tl2cgen"))
    library = file.with_suffix(".so")
    tl2cgen.export_lib(treelite.frontend.load_lightgbm_model(file), toolchain="gcc", libpath=library)
    predictor, matrix = tl2cgen.Predictor(library, nthread=1), tl2cgen.DMatrix(table)
    return lambda: predictor.predict(matrix, pred_margin=True)


def rows(scale: str = "full") -> Iterator[Row]:
    text = trained()
    yield from of_shape("200 trees x 31 leaves", [text], scale)
    shipped = load(SHIPPED_MODEL)
    yield from of_shape("shipped model", shipped.trees, scale)
    if scale == "full":
        yield from compiled_model(text, 100_000)
    seconds = best_of(lambda: load(SHIPPED_MODEL))
    yield Row("shipped model read and checked", "s", seconds)


def main() -> None:
    show(rows(), Path("out/bench/trees.json"))
    print(f"Load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.")


if __name__ == "__main__":
    main()
