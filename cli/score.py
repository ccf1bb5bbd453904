"""Tables: `dxmatch score` adds probability and match to pairs; `link` finds for each term of one list the best of another; `dedupe` clusters a list."""

from __future__ import annotations

import warnings
from dataclasses import fields
from pathlib import Path
from typing import Annotated, Any

from cyclopts import CycloptsError

from ..features.coverage import part_words
from ..files.counted import counted, shown_threshold
from ..files.pairs import read_pairs
from ..files.reading import OF_TABLES, Reading
from ..files.tables import check_output, write_table
from ..jobs.job import Summary, score_files
from ..matcher.dedupe import dedupe as dedupe_terms
from ..matcher.kept_blocks import kept_beside
from ..matcher.link import link as link_terms
from ..matcher.match_function import MatchFunction
from ..options import Serves
from ..progress import shown
from .command import Call, Output, command
from .results import TableFile, print_first, say_rejected


@command(score_files, given=("pairs",), leave_out=("output", "matcher", "reading"))
def score(
    call: Call,
    *,
    output: Output | None = None,
    matcher: MatchFunction,
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
    m, source, given, table = matcher, Path(call.typed["pairs"]), call.given, None
    a, b, add = given.get("a", "a"), given.get("b", "b"), given.get("add", ())
    if (
        source.is_dir()
        or "job" in given
        or (output is not None and {source.suffix.lower(), output.suffix.lower()} <= {".parquet", ""})
    ):
        if output is None:
            raise CycloptsError(msg="a folder of pairs needs --output: a .parquet file, or a folder")
        done = call(output=output, matcher=m, reading=reading)
        if done.resumed:
            print(f"{done.resumed:,} of {done.chunks:,} chunks were there already.")
    else:
        if output is not None:
            check_output(output)
        read = read_pairs(source, a=a, b=b, rejects=reading.rejects, encoding=reading.encoding)
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


@command(MatchFunction.link, given=("a_terms", "b_terms"), leave_out=("threshold",))
def link(call: Call, *, output: TableFile | None = None, matcher: MatchFunction) -> dict[str, Any]:
    """Link two lists of terms: for each term of A the one of B that names the same disease, or none. Other columns are kept.

    Parameters
    ----------
    output : path
        Where the table goes; the suffix says what kind. The first rows are shown if not given.

    Examples
    --------
    dxmatch link problem_list.csv catalogue.csv -o links.csv
    dxmatch link a.xlsx b.csv --a term --b name --k 3
    """
    with kept_beside(output, matcher.identity, matcher.policy, matcher.judge_all) as kept:
        made = call.of(link_terms, model=matcher.model, least=matcher.threshold, kept=kept)
        if kept is not None and kept.resumed:
            print(f"{kept.resumed:,} of {kept.blocks:,} blocks were there already.")
        if made.limited:
            warnings.warn(f"{made.limited[:-1]} (--candidates).", stacklevel=2)
        told = f"{made.linked:,} of {counted(made.a, 'term')} linked to {counted(made.b, 'term')}, {made.unlinked:,} without a match"
        return _deliver(made, matcher, output, told)


@command(MatchFunction.dedupe, given=("terms",), leave_out=("threshold",))
def dedupe(call: Call, *, output: TableFile | None = None, matcher: MatchFunction) -> dict[str, Any]:
    """Find the terms of a list that name one disease; the policy is strict if none is given. In a cluster every two names match.

    Parameters
    ----------
    output : path
        Where the table goes; the suffix says what kind. The first rows are shown if not given.

    Examples
    --------
    dxmatch dedupe terms.csv -o clusters.csv
    """
    m = matcher.for_duplicates(call.typed.get("policy"))
    m.threshold = m.threshold_or(call.typed.get("threshold"))
    made = call.of(dedupe_terms, model=m.model, least=m.threshold)
    told = f"{counted(made.terms, 'term')} in {counted(made.clusters, 'cluster')}, {made.joined:,} of them with others"
    return _deliver(made, m, output, told)


def _deliver(made: Any, m: MatchFunction, output: Path | None, told: str) -> dict[str, Any]:
    """Writes the table, or shows its first rows, and says what came of it, `told` first; gives its JSON."""
    notes = [read.table.note for read in (made.read, getattr(made, "read_b", None)) if read is not None]
    print("".join(f"{note}\n" for note in notes if note), end="")
    if output is None:
        print_first(made.table)
    else:
        check_output(output, rows=made.table.num_rows)
        write_table(made.table, output)
    counts = {each.name: getattr(made, each.name) for each in fields(made) if each.type == "int"}
    others = {
        "not_understood": "not understood",
        "blank": "blank or no diagnosis",
        "doubtful": "below a probability of 0.5: look at them",
    }
    told += "".join(f", {counts[name]:,} {words}" for name, words in others.items() if counts[name])
    print(
        f"{output or 'Terms'}: {told}; at threshold {shown_threshold(m.threshold)} (model {m.name}, policy {m.policy})."
    )
    about = {"threshold": m.threshold, "policy": m.policy, "model": m.name}
    return {"output": output and str(output), **counts, **about, **({} if output else {"rows": made.table})}
