"""`dxmatch icd`: free text to ICD-10, offline or with a language model's picks, and how often that is right."""

from __future__ import annotations

import warnings
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from ..errors import OptionError
from ..files.atomic import whole_file
from ..files.counted import counted
from ..files.file_names import files_named, is_file_name
from ..files.tables import check_output, write_table
from ..matcher.icd_accuracy import icd_accuracy
from ..matcher.icd_mapping import EDITION, flat_candidates
from ..matcher.icd_mapping import icd as verb
from ..terminal import print_table
from .command import Call, Output, command
from .said import diagnosis, quiet_retries, say_asked

if TYPE_CHECKING:
    from ..matcher.icd_accuracy import IcdAccuracy, Measure

_SHOWN = 20
"""Errors; a file has all."""
_WORDS = {
    "candidates": "Right code among the candidates, {}",
    "code": "Code that came out, {}",
    "gain": "Gain of the pick over the first candidate",
}


@command(verb, given=("diagnoses",), several=("diagnoses",))
def icd(
    call: Call, *, output: Output | None = None, gold: str | None = None, figures: Output | None = None
) -> dict[str, Any]:
    """Map free text to ICD-10, with the candidates: by name, by code, else the best of the nearest, or a language model's pick.

    Parameters
    ----------
    output : path
        Where the mapping goes; shown here if not given.
    gold : str
        The column of the right codes, or a table with the diagnoses and icd10: says how often the mapping finds them, and lists the errors.
    figures : path
        With --gold: a JSON file for the figures and errors.

    Examples
    --------
    dxmatch icd "heart attack" "acute MI"
    dxmatch icd strings.csv --column diagnosis -o codes.csv
    dxmatch icd names.csv --gold icd10 -o mapped.csv --figures accuracy.json
    """
    if figures is not None and gold is None:
        raise OptionError("figures", "left out without --gold, whose figures it is for", str(figures))
    if output is not None:
        check_output(output)
    quiet_retries()
    diagnoses = _texts_or_file(call)
    if gold is None:
        accuracy, table = None, call(diagnoses=diagnoses)
    else:
        accuracy = icd_accuracy(**{**call.given, "diagnoses": diagnoses}, gold=gold)
        table = accuracy.table
    if output is not None:
        _write(table, output)
    elif accuracy is None:
        _print_icd(table)
    if accuracy is not None:
        _print_accuracy(accuracy)
        if figures is not None:
            with whole_file(figures) as temporary:
                temporary.write_text(dumps(accuracy.to_dict(), ensure_ascii=False, indent=1), "utf-8")
            print(f"{figures}: the figures and errors.")
    say_asked(*call.asked)
    if accuracy is not None:
        return accuracy.to_dict()
    return {"edition": table.schema.metadata[EDITION.encode()].decode(), "mapped": table.to_pylist()}


def _texts_or_file(call: Call) -> Any:
    """One name of a file, or texts as a table. Errors: `InputError` for a file's name among texts; warns of a table's name without its suffix."""
    texts = call.typed["diagnoses"]
    for text in texts:
        if len(texts) > 1:
            diagnosis(text, "icd")
        if tables := files_named(text):
            warnings.warn(
                f"{text!r} is taken as a diagnosis; a table is read by its whole name: dxmatch icd {tables[0]}",
                stacklevel=2,
            )
    if len(texts) == 1 and (is_file_name(texts[0]) or Path(texts[0]).is_file()):
        return texts[0]
    return pa.table({call.given.get("column", "diagnosis"): texts})


def _write(mapped: pa.Table, output: Path) -> None:
    write_table(mapped if output.suffix in (".jsonl", ".parquet") else flat_candidates(mapped), output)
    unmapped = mapped.column("icd10").null_count
    told = f", {unmapped:,} of them to no code" if unmapped else ""
    print(f"{output}: {counted(mapped.num_rows, 'diagnosis', 'diagnoses')} mapped{told}.")


def _print_icd(mapped: pa.Table) -> None:
    rows = [
        (
            row["diagnosis"],
            row["icd10"] or "",
            row["name"] or "",
            row["how"],
            "" if row["score"] is None else f"{row['score']:.3f}",
        )
        for row in mapped.to_pylist()
    ]
    print_table(("Diagnosis", "ICD-10", "Name", "How", "Score"), rows)


def _print_accuracy(accuracy: IcdAccuracy) -> None:
    """The figures and the first errors, with what counts nowhere or as wrong above them."""
    if accuracy.without_gold:
        print(f"Left out: {counted(accuracy.without_gold, 'diagnosis', 'diagnoses')} without a right code.")
    if accuracy.no_code:
        print(f"Wrong since no code came out: {counted(accuracy.no_code, 'diagnosis', 'diagnoses')}.")
    print_table(("", "Share", "95 % interval", "Of"), map(_cells, accuracy.measures))
    errors = accuracy.errors
    if not errors:
        return
    rows = []
    for row in errors[:_SHOWN]:
        codes = (" ".join(row[part] or "" for part in parts) for parts in (("gold", "gold_name"), ("icd10", "name")))
        rows.append((row["diagnosis"], *codes, row["right_at"], str(row["gold_place"] or "")))
    print_table(("Diagnosis", "Right code", "Code that came out", "Right at", "Place"), rows)
    print("Place: of the right code among the candidates.")
    if len(errors) > _SHOWN:
        print(f"{len(errors) - _SHOWN:,} more errors are in the table (--output) and the JSON (--json).")


def _cells(one: Measure) -> tuple[str, str, str, str]:
    name = "right" if (one.of, one.name) == ("code", "top 1") else one.name
    sign = "+" if one.of == "gain" else ""
    interval = f"{one.low:{sign}.3f} to {one.high:{sign}.3f}"
    return _WORDS[one.of].format(name), f"{one.value:{sign}.4f}", interval, f"{one.right:{sign}} of {one.cases:,}"
