"""`dxmatch score`: probability and match for each pair; large Parquet input as a job that resumes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from ..errors import OptionError
from ..features.coverage import part_words
from ..files.counted import counted, shown_threshold
from ..files.pairs import read_pairs
from ..files.reading import OF_TABLES, Reading
from ..files.tables import check_output, write_table
from ..jobs.job import Summary, score_files
from ..matcher.match_function import load
from ..options import Serves
from ..progress import shown
from .command import Call, Output, command
from .faults import WrongUsage
from .results import print_first, say_rejected

_PARQUET = (".parquet", "")


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
    source, given, table = Path(call.typed["pairs"]), call.given, None
    a, b, add = given.get("a", "a"), given.get("b", "b"), given.get("add", ())
    if source.is_dir() or (
        output is not None and source.suffix.lower() == ".parquet" and output.suffix.lower() in _PARQUET
    ):
        if output is None:
            raise WrongUsage("a folder of pairs needs --output: a .parquet file, or a folder")
        m = matcher or load()
        done = call(output=output, matcher=m, reading=reading)
        if done.resumed:
            print(f"{done.resumed:,} of {done.chunks:,} chunks were there already.")
    else:
        if "job" in given:
            raise OptionError(
                "engine", "left out, with the other options of jobs, where input or output is not Parquet", None
            )
        if output is not None:
            check_output(output)
        m, read = matcher or load(), read_pairs(source, a=a, b=b, rejects=reading.rejects, encoding=reading.encoding)
        with shown("Scoring pairs") as progress:
            scored = m.score_read(read, add, progress)
        match = scored.table.column("match")
        done = Summary(
            len(read), match.to_pylist().count(True), read.n_rejected, dict(scored.coverage), 1, 0, m.threshold, m.name, match.null_count
        )  # fmt: skip
        if output is not None:
            check_output(output, rows=len(read))
            write_table(scored.table, output)
        else:
            table = scored.table
            print_first(table.select([a, b, *(name for name in table.column_names if name not in read.table.names)]))
        if read.table.note:
            print(read.table.note)
    said = f"{counted(done.pairs, 'pair')}, {counted(done.matches, 'match', 'matches')}"
    said += f", {done.unscored:,} not scored (the column not_understood says why)" if done.unscored else ""
    print(
        f"{output or source}: {said} at threshold {shown_threshold(m.threshold)} (model {m.name}, policy {m.policy})."
    )
    names = done.coverage if "features" in add else [feature.name for feature in m.features.asked]
    if told := part_words({name: done.coverage[name] for name in names}):
        print(told)
    say_rejected(done.rejected, reading.rejects)
    return {
        "output": None if output is None else str(output), "pairs": done.pairs, "matches": done.matches, "not_scored": done.unscored,
        "rejected": done.rejected, "threshold": m.threshold, "policy": m.policy, "model": m.name, "known": dict(done.coverage),
        **({} if table is None else {"rows": table}),
    }  # fmt: skip
