"""`dxmatch score`: probability and match for each pair; large Parquet input as a job that resumes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from ..errors import OptionError
from ..features.coverage import part_words
from ..files.counted import counted, shown_threshold
from ..files.pairs import read_pairs
from ..files.reading import OF_TABLES, Reading
from ..files.tables import check_output, write_table
from ..jobs.job import score_files
from ..matcher.match_function import load
from ..options import Serves
from ..progress import shown
from ..settings import quiet
from ..terminal import print_table
from .command import Call, Output, command
from .faults import WrongUsage
from .said import say_rejected, say_unscored

if TYPE_CHECKING:
    import pyarrow as pa

_SHOWN = 10
"""Rows where no output is named."""


@command(score_files, given=("pairs",), leave_out=("output", "matcher", "reading"))
def score(
    call: Call,
    *,
    output: Output | None = None,
    matcher: Any = None,
    reading: Annotated[Reading, Serves(*OF_TABLES)] = Reading(),
) -> dict[str, Any]:
    """Add probability and match to each pair. From Parquet to Parquet, a command that was cut short goes on where it was.

    Parameters
    ----------
    output : path
        Where the scored table goes; the suffix says what kind, and Parquet may go to a folder. The first rows are shown here if not given.

    Examples
    --------
    dxmatch score pairs.csv -o scored.csv --a expert --b algorithm
    cat pairs.csv | dxmatch score - -o - > scored.csv
    dxmatch score folder -o scored --workers 16
    """
    source = Path(call.typed["pairs"])
    m, given = matcher or load(), call.given
    if _is_job(source, output):
        if output is None:
            raise WrongUsage("a folder of pairs needs --output: a .parquet file, or a folder")
        done = call(output=output, matcher=m, reading=reading)
        n_pairs, matches, rejected, unscored, coverage = (
            done.pairs,
            done.matches,
            done.rejected,
            done.unscored,
            done.coverage,
        )
        note, rows = "", None
        if done.resumed:
            print(f"{done.resumed:,} of {done.chunks:,} chunks were there already.")
    else:
        if "job" in given:
            raise OptionError(
                "engine",
                "left out, with the other options of jobs, where input or output is not Parquet",
                given["job"].engine,
            )
        if output is not None:
            check_output(output)
        a, b, add = given.get("a", "a"), given.get("b", "b"), given.get("add", ())
        read = read_pairs(source, a=a, b=b, rejects=reading.rejects, encoding=reading.encoding)
        if output is not None:
            check_output(output, rows=len(read))
        with shown("Scoring pairs") as progress:
            scored = m.score_read(read, add, progress)
        if output is not None:
            write_table(scored.table, output)
        else:
            added = [name for name in scored.table.column_names if name not in read.table.names]
            _print_first(scored.table.select([a, b, *added]))
        match = scored.table.column("match")
        n_pairs, matches, rejected, unscored, coverage = (
            len(read),
            match.to_pylist().count(True),
            read.n_rejected,
            match.null_count,
            dict(scored.coverage),
        )
        note, rows = read.table.note, scored.table if output is None else None
    if note:
        print(note)
    under = f", policy {m.policy}" if "policy" in call.typed else ""
    print(
        f"{output or source}: {counted(n_pairs, 'pair')}, {counted(matches, 'match', 'matches')} at threshold {shown_threshold(m.threshold)} (model {m.name}{under})."
    )
    if output is None and not quiet():
        print("Nothing was written; -o FILE writes all rows with all columns, and -o - prints them as CSV.")
    say_unscored(unscored, n_pairs)
    asked = {feature.name: coverage[feature.name] for feature in m.features.asked}
    if told := part_words(coverage if "features" in given.get("add", ()) else asked):
        print(told)
    say_rejected(rejected, reading.rejects)
    return {
        "output": None if output is None else str(output), "pairs": n_pairs, "matches": matches, "not_scored": unscored, "rejected": rejected,
        "threshold": m.threshold, "policy": m.policy, "model": m.name, "known": dict(coverage), **({} if rows is None else {"rows": rows}),
    }  # fmt: skip


def _print_first(scored: pa.Table) -> None:
    """The first rows."""

    print_table(scored.column_names, (map(_cell, row.values()) for row in scored.slice(0, _SHOWN).to_pylist()))


def _cell(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else f"{value:.3f}" if isinstance(value, float) else str(value)


def _is_job(pairs: Path, output: Path | None) -> bool:
    """Whether input and output are Parquet: a folder stands for Parquet files."""
    if output is None:
        return pairs.is_dir()
    return (pairs.is_dir() or pairs.suffix.lower() == ".parquet") and (
        output.suffix.lower() in (".parquet", "") or output.is_dir() or pairs.is_dir()
    )
