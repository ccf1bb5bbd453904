"""How time and memory grow from ten thousand pairs to ten million, Parquet to Parquet, beside what one could pick instead.

    python -m tests.bench growth

Each run is in a process of its own and counts from its first import. dxmatch computes thirteen features and M; the peers do less:
NLTK the six string features pair by pair, recordlinkage and DuckDB one Levenshtein distance; pyarrow copies the rows, which is
the least that reading and writing cost. A peer goes as far as it would in half a minute or so.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dxmatch.pages.encodings import named
from dxmatch.pages.figure import Figure, spec_of
from dxmatch.pages.files import FORMATS
from dxmatch.pages.renderer import Renderer
from dxmatch.pages.style import FILE, Style

from .machine import facts
from .made import ROWS_AT_ONCE, made_pairs
from .report import Row, show
from .watched import watched

OUT = Path("out/bench")
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
STRINGS = 50_000


@dataclass(frozen=True)
class Point:
    way: str
    pairs: int
    seconds: float
    peak: float


def by_dxmatch(source: Path, target: Path) -> None:
    from dxmatch.jobs.job import score_files

    score_files(source, target)


def by_nltk(source: Path, target: Path) -> None:
    from .bench_linguistic import naive

    table = pq.read_table(source)
    values = [naive(a, b) for a, b in zip(table["a"].to_pylist(), table["b"].to_pylist(), strict=True)]
    columns = np.array(values, np.float32).T
    for number, column in enumerate(columns):
        table = table.append_column(f"feature_{number}", pa.array(column))
    pq.write_table(table, target)


def by_recordlinkage(source: Path, target: Path) -> None:
    import pandas as pd
    import recordlinkage

    frame = pq.read_table(source).to_pandas()
    left, right = frame[["a"]].astype(str), frame[["b"]].astype(str)
    compare = recordlinkage.Compare(n_jobs=1)
    compare.string("a", "b", method="levenshtein", label="levenshtein")
    found = compare.compute(pd.MultiIndex.from_arrays([left.index, right.index]), left, right)
    frame["levenshtein"] = found["levenshtein"].to_numpy()
    frame.to_parquet(target)


def by_duckdb(source: Path, target: Path) -> None:
    import duckdb

    sql = "select *, levenshtein(a, b) / greatest(length(a), length(b)) as levenshtein from read_parquet(?)"
    duckdb.execute("set enable_progress_bar = false")
    duckdb.execute(f"copy ({sql}) to '{target}' (format parquet)", [str(source)])


def by_copying(source: Path, target: Path) -> None:
    with pq.ParquetFile(source) as file, pq.ParquetWriter(target, file.schema_arrow) as writer:
        for batch in file.iter_batches(ROWS_AT_ONCE):
            writer.write_batch(batch)


WAYS: dict[str, tuple[Callable[[Path, Path], None], int, str]] = {
    "dxmatch": (by_dxmatch, 10_000_000, ""),
    "NLTK per pair: six features": (by_nltk, 10_000, "nltk"),
    "recordlinkage: Levenshtein": (by_recordlinkage, 100_000, "recordlinkage"),
    "DuckDB: Levenshtein": (by_duckdb, 10_000_000, "duckdb"),
    "pyarrow: a copy": (by_copying, 10_000_000, ""),
}
"""name -> how, the most pairs, and the library that must be there."""


def points(sizes: tuple[int, ...] = SIZES) -> Iterator[Point]:
    from importlib.util import find_spec

    with tempfile.TemporaryDirectory() as folder:
        for pairs in sizes:
            source = made_pairs(Path(folder) / f"{pairs}.parquet", pairs, STRINGS)
            for name, (way, most, library) in WAYS.items():
                if pairs > most or (library and find_spec(library) is None):
                    continue
                target = Path(folder) / "out.parquet"
                run = watched(way, source, target)
                yield Point(name, pairs, run.seconds, run.peak)
                remove(target)
            source.unlink()


def remove(target: Path) -> None:
    import shutil

    if target.is_dir():
        shutil.rmtree(target)
    else:
        target.unlink()


def figure(found: list[Point]) -> Figure:
    """Seconds on the left and peak memory on the right, both on logarithmic scales."""
    ways = [name for name in WAYS if any(point.way == name for point in found)]
    rows: list[dict[str, Any]] = [asdict(point) | {"rate": point.pairs / point.seconds} for point in found]

    def draw(style: Style) -> Any:
        import altair as alt

        powers = [point.pairs for point in found if point.way == ways[0]]
        across = alt.Scale(type="log", domain=[min(powers) / 1.5, max(powers) * 1.5])
        x = alt.X("pairs", type="quantitative", title="pairs", scale=across, axis=alt.Axis(values=powers, format="~s"))
        colours = alt.Scale(domain=ways, range=[style.colour(place) for place in range(len(ways))])
        colour = alt.Color("way", type="nominal", scale=colours, legend=alt.Legend(columns=3))
        panels = []
        for field, title, ticks in (
            ("seconds", "seconds", [10.0**power for power in range(-2, 5)]),
            ("peak", "peak memory, MB", [m * 10**power for power in range(1, 5) for m in (1, 2, 5)]),
        ):
            axis = alt.Axis(values=ticks, labelExpr="format(datum.value, datum.value < 1 ? '~f' : ',d')")
            scale = alt.Scale(type="log", nice=False, padding=12)
            y = alt.Y(field, type="quantitative", title=title, scale=scale, axis=axis)
            base = alt.Chart(named("points")).encode(x=x, y=y, color=colour)
            layers = alt.layer(base.mark_line(strokeWidth=2), base.mark_point(filled=True, size=55, opacity=1))
            panels.append(layers.properties(width=285, height=280))
        return alt.hconcat(*panels, spacing=30)

    last = [point for point in found if point.way == ways[0]][-1]
    return Figure(
        name="growth",
        section="",
        title="Parquet to Parquet, from the first import: time and memory against the number of pairs",
        finding=f"{last.pairs:,} pairs in {last.seconds:.1f} s ({last.pairs / last.seconds:,.0f} pairs/s) with {last.peak:,.0f} MB.",
        columns={"way": "way", "pairs": "pairs", "seconds": "seconds", "peak": "peak memory, MB"},
        rows=rows,
        data={"points": rows},
        draw=draw,
    )


def rows_of(found: list[Point]) -> list[Row]:
    return [Row(f"{p.pairs:,} pairs, Parquet to Parquet: {p.way}", "pairs/s", p.pairs / p.seconds, memory=p.peak) for p in found]  # fmt: skip


def main(sizes: tuple[int, ...] = SIZES, folder: Path = OUT) -> None:
    at_start, found = facts(), list(points(sizes))
    show(rows_of(found), folder / "growth.json", {"machine": at_start, "points": list(map(asdict, found))})
    drawn, renderer = figure(found), Renderer()
    # two panels: their sizes are their own, and only the picture's follows from them
    spec = spec_of(drawn, FILE) | {"autosize": {"type": "pad"}, "padding": 10}
    for kind in FORMATS:
        (folder / f"{drawn.name}.{kind}").write_bytes(renderer.image(spec, kind))
    print(drawn.finding, f"Load average {os.getloadavg()[0]:.1f}; {folder / 'growth.svg'}")


if __name__ == "__main__":
    main()
