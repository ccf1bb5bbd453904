"""Diagnoses with each other and with codes: `dxmatch match`, `explain`, `score`, `link`, `dedupe`, `icd`."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import pyarrow as pa

from .. import MatchFunction, icd_accuracy, score_files
from .. import explain as explained
from ..features.compute import coverage_words
from ..files.tables import write_table
from ..files.wording import counted, shown_threshold
from ..matcher.icd_mapping import EDITION, flat_candidates
from ..pages.encodings import shown
from ..pages.terminal import print_table
from ..settings import quiet
from .command import Call, Place, TableFile, command

_BRIEF = "a b match doubtful probability threshold policy relation relations names read_as said model"
"""What `match` gives as JSON of all that `explain` does."""


@command(given="a b")
def match(call: Call, a: str, b: str, *, matcher: MatchFunction) -> dict[str, Any]:
    """Say whether two diagnoses name the same disease, and why.

    Yes or no, how probable, and what the one is to the other.

    Parameters
    ----------
    a : str
        A diagnosis; the reference, where --policy tells the two apart.
    b : str
        Another.

    Examples
    --------
    dxmatch match "heart attack" "acute MI"
    dxmatch match "gout" "gouty arthritis" --json
    """
    found = explained(matcher, a, b)
    print("\n".join(found.brief))
    facts = found.to_dict()
    return {name: facts[name] for name in _BRIEF.split()} | {"why": found.main_reason}


@command(given="a b", prints=".svg")
def explain(call: Call, *, output: Place = None) -> Any:
    """Say feature by feature why two diagnoses match, or do not.

    In words, and as a picture.

    Parameters
    ----------
    output : path
        A picture (.svg, .png), or a page (.html).

    Examples
    --------
    dxmatch explain "heart attack" "acute MI" -o why.svg
    """
    return call.deliver(call())


@command(score_files, given="pairs", prints=".csv")
def score(call: Call, *, output: Place = None, matcher: MatchFunction) -> dict[str, Any]:
    """Add probability and match to each pair of a table, and whether that is doubtful.

    From Parquet to Parquet, a command that was cut short goes on where it was.

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
    done, add, sides = call(matcher=matcher), call.given.get("add", ()), [call.given.get(side, side) for side in "ab"]
    counts = {"pairs": done.pairs, "matches": done.matches, "not_understood": done.unscored, "rejected": done.rejected}
    document = _said(call, matcher, done.table, [*sides, *matcher.model.added_columns(add)], counts)
    known = {name: done.coverage[name] for name in (done.coverage if "features" in add else done.asked)}
    if min(known.values(), default=1) < 1:
        print(coverage_words(known))
    return document | {"known": dict(done.coverage)}


@command(MatchFunction.link, given="a_terms b_terms", prints=".csv")
def link(call: Call, *, output: TableFile = None, matcher: MatchFunction) -> dict[str, Any]:
    """Link two lists of terms: for each of the one the best of the other.

    It names the same disease, or there is none. Other columns are kept.

    Parameters
    ----------
    output : path
        Where the table goes; the suffix says what kind. The first rows are shown if not given.

    Examples
    --------
    dxmatch link problem_list.csv catalogue.csv -o links.csv
    dxmatch link a.xlsx b.csv --a term --b name --k 3
    """
    made = call(matcher.link)
    terms, linked = (len(one["index_a"].unique()) for one in (made, made.filter(made["match"])))
    return _terms(call, matcher, made, terms=terms, linked=linked)


@command(MatchFunction.dedupe, given="terms", prints=".csv")
def dedupe(call: Call, *, output: TableFile = None, matcher: MatchFunction) -> dict[str, Any]:
    """Find the terms of a list that name one disease.

    In a cluster every two names match. The policy is strict if none is given.

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
    made = call(m.dedupe, policy=m.policy)
    clusters, joined = made["cluster"].drop_null().unique(), sum((size or 0) > 1 for size in made["size"].to_pylist())
    return _terms(call, m, made, terms=len(made), clusters=len(clusters), joined=joined)


def _terms(call: Call, m: MatchFunction, made: pa.Table, **counts: int) -> dict[str, Any]:
    """Says what came of terms, by m, and shows the first rows where no file takes them; gives the JSON."""
    counts["doubtful"] = made["doubtful"].to_pylist().count(True)
    notes = Counter(re.split("[:;]", note)[0] for note in made["note"].drop_null().to_pylist())
    return _said(call, m, made, made.column_names, counts | notes)


@command(given="*diagnoses", prints=".csv")
def icd(call: Call, *, output: TableFile = None, gold: str | None = None) -> Any:
    """Map free text to ICD-10, with candidates.

    By name, by code, else the best of the nearest, or a language model's pick.

    Parameters
    ----------
    output : path
        Where the mapping goes; shown here if not given.
    gold : str
        The column of the right codes: says how often the mapping finds them, and lists the errors.

    Examples
    --------
    dxmatch icd "heart attack" "acute MI"
    dxmatch icd strings.csv --column diagnosis -o codes.csv
    dxmatch icd names.csv --gold icd10 -o mapped.csv
    """
    found = call(None if gold is None else icd_accuracy)
    table = found if gold is None else found.table
    if output is not None:
        write_table(table if output.suffix in (".jsonl", ".parquet") else flat_candidates(table), output)
        print(f"{counted(len(table), 'row')} mapped, {table['icd10'].null_count:,} of them without a code.")
    if gold is not None:
        found.print()
        return found
    if output is None:
        _first_rows(table, ("diagnosis", "icd10", "name", "how", "score"))
    return {"edition": table.schema.metadata[EDITION.encode()].decode(), "mapped": table}


def _said(call: Call, m: MatchFunction, table: Any, columns: Iterable[str], counts: Mapping[str, int]) -> Any:
    """Shows the first rows where no file takes them, says what came of pairs or terms, and by which M; gives that as JSON."""
    rows = {} if "output" in call.typed else _first_rows(table, columns)
    told = ", ".join(f"{what.replace('_', ' ')} {number:,}" for what, number in counts.items() if number)
    print(f"{told}; threshold {shown_threshold(m.threshold)}, policy {m.policy}, model {m.name}.")
    return {**counts, "threshold": m.threshold, "policy": m.policy, "model": m.name, **rows}


def _first_rows(table: pa.Table, columns: Iterable[str]) -> dict[str, Any]:
    """Shows the first rows, of the columns that are there, and gives all for the JSON."""
    first = table.select([name for name in columns if name in table.column_names]).slice(0, 20)
    print_table(first.column_names, (map(shown, row.values()) for row in first.to_pylist()))
    if not quiet():
        print(f"{len(first)} of {counted(len(table), 'row')}; -o FILE writes all, -o - prints them as CSV.")
    return {"rows": table}
