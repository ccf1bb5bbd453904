"""`dxmatch icd`: free text to ICD-10, offline or with a language model's picks."""

from __future__ import annotations

import warnings
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ..errors import OptionError
from ..files.file_names import files_named
from ..votes.store import STORE
from .asking import Endpoints, MaxCalls, MaxCost, Store, asking_option, quiet_retries, say_asked
from .icd_accuracy import print_accuracy
from .options import Encoding, Model, Origin, diagnosis, say_read

if TYPE_CHECKING:
    import pyarrow as pa


def icd(
    strings: Annotated[
        list[str],
        typer.Argument(help="A table of diagnoses (.csv, .tsv, .jsonl, .xlsx, .parquet), or the diagnoses themselves."),
    ],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where the mapping goes; shown here if not given.")
    ] = None,
    column: Annotated[str, typer.Option(help="The column of the diagnoses.")] = "diagnosis",
    k: Annotated[
        int | None, typer.Option("--k", help="Candidates for each diagnosis: 15, or as the pick says.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            help="icd10cm (if not given), icd10 (WHO), a CSV with code, name, parent, or a list of your own terms: a table with a column of them, and code and parent where they have them."
        ),
    ] = None,
    unique: Annotated[
        bool, typer.Option("--unique", help="One row for each different string: a reference table.")
    ] = False,
    encoder: Annotated[
        str | None,
        typer.Option(
            help="What finds the nearest names: shipped (if not given), an encoder of --features, sentence-transformers:NAME, or "
            "endpoint:NAME:MODEL with --endpoints."
        ),
    ] = None,
    distance: Annotated[
        str | None, typer.Option(help="cosine (if not given), or euclidean, of vectors that keep their length.")
    ] = None,
    entries: Annotated[
        str | None,
        typer.Option(
            help="codes (if not given): k different codes. names: the k nearest titles and inclusion terms, of which several may have "
            "one code, by the distance alone, as in H-DDx."
        ),
    ] = None,
    sections: Annotated[
        bool,
        typer.Option(
            "--sections/--no-sections", help="Chapters and sections are entries, too: Tuberculosis is A15-A19."
        ),
    ] = True,
    gold: Annotated[
        str | None,
        typer.Option(
            help="The column of the right codes, or a table with the diagnoses and icd10: says how often the mapping finds them, and "
            "lists the errors.",
            metavar="COLUMN|TABLE",
        ),
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", help="With --gold: a JSON file for the figures and errors.")
    ] = None,
    pick: Annotated[
        str | None, asking_option(help="The language model that picks among the candidates, as --features names it.")
    ] = None,
    prompt: Annotated[
        str | None,
        asking_option(
            help="With --pick: what the model is asked with: icd-pick-2, pick-name-1 (H-DDx: a name in JSON), another built-in prompt, or a "
            "text file with {diagnosis} and {candidates}."
        ),
    ] = None,
    direct: Annotated[
        bool,
        asking_option(
            "--direct/--no-direct",
            help="With --pick: a text that equals a name of ICD-10 has its code at once (How to Evaluate Medical AI), or the model is asked "
            "about every text (H-DDx).",
        ),
    ] = True,
    features: Annotated[
        str | None, typer.Option(help="The feature set that declares --pick and --encoder; paper17 if not given.")
    ] = None,
    endpoints: Endpoints = None,
    store: Store = STORE,
    max_calls: MaxCalls = None,
    max_cost: MaxCost = None,
    model: Model = None,
    encoding: Encoding = None,
    origin: Origin | None = None,
) -> dict[str, Any]:
    """Map free text to ICD-10, with the candidates: by name, by code, else the best of the nearest, or a language model's pick.

    With --gold, how often that is right: dxmatch icd names.csv --gold icd10 -o mapped.csv --figures accuracy.json
    """
    from ..files.atomic import whole_file
    from ..files.tables import check_output
    from ..matcher.icd_accuracy import icd_accuracy
    from ..matcher.icd_mapping import map_icd
    from ..matcher.match_function import load
    from ..progress import shown
    from ..votes.asking import Budget

    if figures is not None and gold is None:
        raise OptionError("figures", "left out without --gold, whose figures it is for", str(figures))
    _check_texts(strings)
    if output is not None:
        check_output(output)
    one_or_more = strings[0] if len(strings) == 1 else strings
    if pick is not None:
        quiet_retries()
    options: dict[str, Any] = {
        "column": column, "unique": unique, "k": k, "source": source, "encoder": encoder, "distance": distance, "entries": entries,
        "sections": sections, "model": load(model, **origin) if origin else model,
        "allow_download": bool(origin and origin.get("allow_download")), "pick": pick, "prompt": prompt, "direct": direct, "features": features, "endpoints": endpoints, "store": store,
        "encoding": encoding,
    }  # fmt: skip
    with shown("Asking") as progress:
        if gold is None:
            accuracy, budget = None, Budget(max_calls, max_cost)
            result = map_icd(one_or_more, keep_blank=True, budget=budget, progress=progress, **options)
        else:
            caps = {"max_calls": max_calls, "max_cost": max_cost}
            accuracy = icd_accuracy(one_or_more, gold, progress=progress, **caps, **options)
            result = accuracy.mapped
    say_read(result.read.note)
    if output is not None:
        _write(result.table if accuracy is None else accuracy.table, output)
    elif accuracy is None:
        _print_icd(result.table)
    if accuracy is not None:
        print_accuracy(accuracy)
        if figures is not None:
            with whole_file(figures) as temporary:
                temporary.write_text(dumps(accuracy.to_dict(), ensure_ascii=False, indent=1), "utf-8")
            typer.echo(f"{figures}: the figures and errors.")
    say_asked(*result.asked.summaries)
    return accuracy.to_dict() if accuracy is not None else {**result.settings, "mapped": result.table.to_pylist()}


def _check_texts(strings: list[str]) -> None:
    """Errors: `InputError` for a file's name among several texts. Warns of a text that is the name of a table without its suffix."""
    for text in strings:
        if len(strings) > 1:
            diagnosis(text, "icd")
        if tables := files_named(text):
            warnings.warn(
                f"{text!r} is taken as a diagnosis; a table is read by its whole name: dxmatch icd {tables[0]}",
                stacklevel=2,
            )


def _write(mapped: pa.Table, output: Path) -> None:
    from ..files.counted import counted
    from ..files.tables import write_table
    from ..matcher.icd_mapping import flat_candidates

    write_table(mapped if output.suffix in (".jsonl", ".parquet") else flat_candidates(mapped), output)
    unmapped = mapped.column("icd10").null_count
    told = f", {unmapped:,} of them to no code" if unmapped else ""
    typer.echo(f"{output}: {counted(mapped.num_rows, 'diagnosis', 'diagnoses')} mapped{told}.")


def _print_icd(mapped: pa.Table) -> None:
    from ..terminal import print_table

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
