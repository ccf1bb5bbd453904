"""Where the time of ten million pairs goes, stage by stage on one core, as a picture, a table and JSON.

python -m tests.bench profile
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Column, Table

from dxmatch.matcher.match_function import load
from dxmatch.pages.encodings import named
from dxmatch.pages.figure import Figure
from dxmatch.pages.files import save_figures
from dxmatch.pages.style import Style

from .machine import Bounds, bounds, bounds_as_facts, facts
from .report import number
from .stages import Size, Stage, measured

OUT = Path("out/bench")
KINDS = {
    "pairs": "for each pair",
    "strings": "for each unique string",
    "files": "reading and writing",
    "others": "others",
}
SHOWN = 0.004
"""The share of the time from which a stage has a bar of its own."""


def percent(share: float) -> str:
    """
    >>> percent(0.884), percent(0.0316), percent(0.0004)
    ('88 %', '3.2 %', '0.0 %')
    """
    return f"{share:.0%}".replace("%", " %") if share >= 0.0995 else f"{share:.1%}".replace("%", " %")


def words(stage: Stage, total: float) -> str:
    """What stands beside a bar."""
    share = f"{stage.seconds:,.1f} s, {percent(stage.seconds / total)}"
    if stage.share_of_bound is None:
        return share
    return f"{share}; {percent(stage.share_of_bound)} of {stage.by}"


def largest(stages: Sequence[Stage], least: float = SHOWN) -> list[Stage]:
    """Longest first; those of less than that share of the time are one stage at the end."""
    total = sum(stage.seconds for stage in stages)
    shown = sorted((s for s in stages if s.seconds >= least * total), key=lambda stage: -stage.seconds)
    others = [s for s in stages if s.seconds < least * total]
    if not others:
        return shown
    return [*shown, Stage(f"{len(others)} others", "others", sum(stage.seconds for stage in others))]


def figure(stages: Sequence[Stage], size: Size) -> Figure:
    total = sum(stage.seconds for stage in stages)
    rows: list[dict[str, Any]] = [
        {"stage": s.name, "kind": KINDS[s.kind], "seconds": s.seconds, "bound": s.bound, "by": s.by, "end": max(s.seconds, s.bound or 0), "told": words(s, total)}
        for s in largest(stages)
    ]  # fmt: skip
    kinds = [name for name in KINDS.values() if any(row["kind"] == name for row in rows)]

    def draw(style: Style) -> Any:
        import altair as alt

        y = alt.Y("stage", type="nominal", sort=None, title=None)
        longest = alt.Scale(domain=[0, 1.6 * max(row["end"] for row in rows)])
        x = alt.X("seconds", type="quantitative", title="seconds of one core", scale=longest, axis=alt.Axis(grid=False))
        colours = alt.Scale(domain=kinds, range=[*style.series[: len(kinds)]])
        chart = alt.Chart(named("stages"))
        kind = alt.Color("kind", type="nominal", scale=colours, legend=alt.Legend(symbolType="square"))
        bound, end = (alt.X(field, type="quantitative") for field in ("bound", "end"))
        return alt.layer(
            chart.mark_bar(height=11).encode(x=x, y=y, color=kind),
            chart.mark_text(align="left", dx=6, fontSize=11, color=style.ink).encode(
                x=end, y=y, text=alt.Text("told", type="nominal")
            ),
            chart.mark_tick(color=style.ink, thickness=2, size=15).encode(x=bound, y=y),
        ).properties(width=style.width, height=19 * len(rows))

    told = "; ".join(f"{row['stage']} {row['told']}" for row in rows[:5])
    return Figure(
        name="profile",
        section="",
        title=f"{size.pairs / 1e6:g} million pairs of {size.strings:,} strings: {total:,.0f} s of one core; black: the machine's bound",
        finding=f"Of {total:.0f} s of one core, the most go to: {told}.",
        columns={"stage": "stage", "kind": "work", "seconds": "seconds", "bound": "bound", "by": "by"},
        rows=rows,
        data={"stages": rows},
        draw=draw,
    )


def show_stages(stages: Sequence[Stage], of_one_core: Bounds) -> None:
    total = sum(stage.seconds for stage in stages)
    right = [Column(name, justify="right") for name in ("seconds", "of all", "bound", "reached")]
    table = Table("Stage", "Work", *right, "Bound by")
    for s in stages:
        reached = "" if s.share_of_bound is None else percent(s.share_of_bound)
        table.add_row(s.name, KINDS[s.kind], number(s.seconds), percent(s.seconds / total), number(s.bound), reached, s.by)  # fmt: skip
    Console(width=110).print(table)
    units = {"bandwidth": "GB/s in order", "gather": "GB/s in rows of 1 KB at random", "arithmetic": "G float32 operations/s"}  # fmt: skip
    told = ", ".join(f"{value} {units[name]}" for name, value in bounds_as_facts(of_one_core).items())
    print(f"One core: {told}. All stages: {total:,.0f} s of one core.")


def main(size: Size | None = None, folder: Path = OUT) -> None:
    size = size or Size()
    of_one_core = bounds()
    stages = list(measured(load(), size, of_one_core))
    show_stages(stages, of_one_core)
    paths = save_figures([figure(stages, size)], folder)
    written = {"machine": facts(), "size": asdict(size), "bounds": bounds_as_facts(of_one_core), "stages": list(map(asdict, stages))}  # fmt: skip
    (folder / "profile.json").write_text(json.dumps(written, indent=1), "utf-8")
    print(*paths, folder / "profile.json")


if __name__ == "__main__":
    main()
