"""Diagnoses with each other and with codes: `dxmatch match`, `explain`, `score`, `link`, `dedupe`, `icd`."""

import os
import warnings
from collections.abc import Iterable
from dataclasses import fields
from pathlib import Path
from typing import Any

import pyarrow as pa

from .. import MatchFunction, icd_accuracy, score_files
from .. import explain as explained
from ..errors import InputError
from ..features.coverage import part_words
from ..files.tables import write_table
from ..files.wording import counted, is_file_name, shown_threshold
from ..matcher.dedupe import dedupe as dedupe_terms
from ..matcher.icd_mapping import EDITION, flat_candidates
from ..matcher.kept_blocks import kept_beside
from ..matcher.link import link as link_terms
from ..pages.encodings import shown
from ..settings import quiet
from ..terminal import print_table
from ..terms.text.assertion import assertion_of
from .command import Call, Place, TableFile, command

_RELATIONS = {
    "same": "The two are the same disease", "narrower": "The first is a kind of the second", "broader": "The second is a kind of the first",
    "related": "The two are near kin, and not the same", "unrelated": "The two are different diseases", "excluded": "The two exclude each other",
}  # fmt: skip


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
    found = explained(matcher, _diagnosis(a), _diagnosis(b))
    relation, relations = "same" if found.identical else found.known.relation, dict(found.known.relations)
    verdict = f"{'Match' if found.match else 'No match'}: probability {found.probability:.3f}"
    verdict += f" (a match from {shown_threshold(found.threshold)}, policy {found.policy})."
    if relation in relations:
        verdict += f" {_RELATIONS[relation]} ({relations[relation]:.2f})."
    understood, read = list[dict[str, Any]](), list[str]()
    for text, name, read_as in zip((a, b), found.wording.names, found.wording.read_as, strict=True):
        one = assertion_of(name, matcher.features.language)
        said = str(one.status)
        understood.append({"text": text, "understood_as": name, "read_as": dict(read_as), "said": said, "of": one.core})
        if text.casefold() != name or said != "present":
            read.append(f"{text!r} as {name!r}" + f", {said}" * (said != "present"))
    for line in (verdict, f"Why: {found.main_reason}", *([f"Understood: {'; '.join(read)}."] if read else [])):
        print(line)
    return {
        "a": a, "b": b, "match": found.match, "probability": found.probability, "threshold": found.threshold, "policy": found.policy,
        "relation": relation, "relations": relations, "why": found.main_reason, "understood": understood, "model": found.model,
    }  # fmt: skip


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
    return call.deliver(call(a=_diagnosis(call.typed["a"]), b=_diagnosis(call.typed["b"])))


@command(score_files, given="pairs", prints=".csv")
def score(call: Call, *, output: Place = None, matcher: MatchFunction) -> dict[str, Any]:
    """Add probability and match to each pair of a table.

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
    if done.resumed:
        print(f"{done.resumed:,} of {done.chunks:,} chunks were there already.")
    told = f"{counted(done.pairs, 'pair')}, {counted(done.matches, 'match', 'matches')}"
    told += f", {done.unscored:,} not scored (the column not_understood says why)" if done.unscored else ""
    counts = {"pairs": done.pairs, "matches": done.matches, "not_scored": done.unscored, "rejected": done.rejected}
    document = _said(call, matcher, done.table, [*sides, *matcher.added_columns(add)], told, counts)
    names = done.coverage if "features" in add else done.asked
    if parts := part_words({name: done.coverage[name] for name in names}):
        print(parts)
    call.say_rejected(done.rejected)
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
    with kept_beside(output, matcher.identity, matcher.policy, matcher.judge_all) as kept:
        made = call(link_terms, model=matcher.model, least=matcher.threshold, kept=kept)
        if kept is not None and kept.resumed:
            print(f"{kept.resumed:,} of {kept.blocks:,} blocks were there already.")
        if made.limited:
            warnings.warn(f"{made.limited[:-1]} (--candidates).", stacklevel=2)
        told = f"{made.linked:,} of {counted(made.a, 'term')} linked to {counted(made.b, 'term')}, {made.unlinked:,} without a match"
        return _terms(call, made, matcher, told)


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
    made = call(dedupe_terms, model=m.model, least=m.threshold)
    told = f"{counted(made.terms, 'term')} in {counted(made.clusters, 'cluster')}, {made.joined:,} of them with others"
    return _terms(call, made, m, told)


def _terms(call: Call, made: Any, m: MatchFunction, told: str) -> dict[str, Any]:
    """Writes the table, or shows its first rows, and says what came of it, `told` first; gives its JSON."""
    for read in filter(None, (made.read, getattr(made, "read_b", None))):
        print(f"{read.table.note}\n" if read.table.note else "", end="")
    if output := call.typed.get("output"):
        write_table(made.table, output)
    counts = {each.name: getattr(made, each.name) for each in fields(made) if each.type == "int"}
    others = {"not_understood": "not understood", "blank": "blank or no diagnosis", "doubtful": "below a probability of 0.5: look at them"}  # fmt: skip
    told += "".join(f", {counts[name]:,} {words}" for name, words in others.items() if counts[name])
    return _said(call, m, made.table, made.table.column_names, f"{told};", counts)


@command(given="*diagnoses", prints=".csv")
def icd(call: Call, *, output: TableFile = None, gold: str | None = None) -> Any:
    """Map free text to ICD-10, with candidates.

    By name, by code, else the best of the nearest, or a language model's pick.

    Parameters
    ----------
    output : path
        Where the mapping goes; shown here if not given.
    gold : str
        The column of the right codes, or a table with the diagnoses and icd10: says how often the mapping finds them, and lists the errors.

    Examples
    --------
    dxmatch icd "heart attack" "acute MI"
    dxmatch icd strings.csv --column diagnosis -o codes.csv
    dxmatch icd names.csv --gold icd10 -o mapped.csv
    """
    texts: Any = call.typed["diagnoses"]
    words = texts if isinstance(texts, list) else [texts]
    if len(words) > 1 or not _is_file(words[0]):
        texts = [_diagnosis(text, "icd") for text in words]
    found = call(None if gold is None else icd_accuracy, diagnoses=texts)
    table = found if gold is None else found.table
    if output is not None:
        write_table(table if output.suffix in (".jsonl", ".parquet") else flat_candidates(table), output)
        without = f", {table['icd10'].null_count:,} of them without a code" if table["icd10"].null_count else ""
        print(f"{output}: {counted(table.num_rows, 'row')} mapped{without}.")
    elif gold is None:
        _first_rows(table, ("diagnosis", "icd10", "name", "how", "score"))
    if gold is not None:
        found.print()
        return found
    return {"edition": table.schema.metadata[EDITION.encode()].decode(), "mapped": table}


def _is_file(text: str) -> bool:
    """Whether a text is the name of a file, be it there or not."""
    return is_file_name(text) or (os.access(text, os.R_OK) and Path(text).is_file())


def _diagnosis(text: str, table_command: str = "score") -> str:
    """Errors: `InputError` where a diagnosis is the name of a file. table_command : what reads tables."""
    if _is_file(text):
        allowed = f"a diagnosis in words; a table that is there goes to: dxmatch {table_command} FILE"
        raise InputError("the name of a file, not a diagnosis", allowed=allowed, got=text)
    return text


def _said(call: Call, m: MatchFunction, table: Any, columns: Iterable[str], told: str, counts: Any) -> dict[str, Any]:
    """Shows the first rows where no file takes them, says what came of pairs or terms, and by which M; gives that as JSON."""
    output, source = call.typed.get("output"), call.typed.get("pairs", "Terms")
    rows = {} if output else _first_rows(table, columns)
    print(
        f"{output or source}: {told} at threshold {shown_threshold(m.threshold)} (model {m.name}, policy {m.policy})."
    )
    about = {"threshold": m.threshold, "policy": m.policy, "model": m.name}
    return {"output": output and str(output), **counts, **about, **rows}


def _first_rows(table: pa.Table, columns: Iterable[str]) -> dict[str, Any]:
    """Shows the first rows, of the columns that are there, and gives all for the JSON."""
    first = table.select([name for name in columns if name in table.column_names]).slice(0, 20)
    print_table(first.column_names, (map(shown, row.values()) for row in first.to_pylist()))
    if not quiet():
        print(f"{len(first)} of {counted(len(table), 'row')}; -o FILE writes all, -o - prints them as CSV.")
    return {"rows": table}
