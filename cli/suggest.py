"""`dxmatch suggest` and `dxmatch labels`: which pairs to have labelled next, and what the experts said of them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from ..files.counted import counted
from .options import ColumnA, ColumnB, Encoding, Endpoints, MinCoverage, Model, Origin, Rejects, Store


def suggest(
    pool: Annotated[Path, typer.Argument(help="Unlabelled pairs: a .csv, .tsv, .jsonl, .xlsx or .parquet file.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="The new folder for the sheets and their key.")],
    n: Annotated[int, typer.Option("-n", help="How many pairs.")] = 200,
    experts: Annotated[
        str, typer.Option(help="Who will label, by names that become columns; an odd number has fewer ties.")
    ] = "expert_1,expert_2,expert_3",
    model: Model = None,
    a: ColumnA = "a",
    b: ColumnB = "b",
    labelled: Annotated[
        list[Path] | None,
        typer.Option(
            help="Pairs with labels, or the key.csv of an earlier folder: not suggested again. May be repeated."
        ),
    ] = None,
    random_share: Annotated[
        float, typer.Option(help="The share drawn at random, from which the share of matches can be estimated.")
    ] = 0.1,
    per_diagnosis: Annotated[int, typer.Option(help="In how many of the other pairs one diagnosis may stand.")] = 5,
    seed: Annotated[int, typer.Option(help="Random seed for the draw, the clusters and the order in the sheets.")] = 0,
    store: Store = None,
    endpoints: Endpoints = None,
    min_coverage: MinCoverage = 0.9,
    rejects: Rejects = None,
    encoding: Encoding = None,
    origin: Origin | None = None,
) -> dict[str, Any]:
    """Pick the pairs whose labels would teach most, and write a sheet for each expert to label blind.

    The folder holds sheets/ and, the same for Label Studio, label_studio/; key.csv, with the probabilities, is yours and not
    for the experts. dxmatch labels reads the filled sheets.
    """
    from ..files.invisible import read_visible
    from ..labelling.suggest import suggest as run
    from ..labelling.suggestion import check_experts, check_new_folder
    from ..matcher.match_function import load
    from ..progress import shown

    names = _names(experts)
    check_experts(names)
    check_new_folder(output)
    m = load(model, store=store, endpoints=endpoints, min_coverage=min_coverage, **(origin or {}))
    with shown("Scoring the pool") as progress:
        found = run(
            m, read_visible(pool, encoding, set_aside=rejects is not None), n, a=a, b=b, labelled=labelled or (), random_share=random_share, per_diagnosis=per_diagnosis,
            seed=seed, rejects=rejects, progress=progress,
        )  # fmt: skip
    found.save(output, names)
    for warning in found.warnings:
        warnings.warn(warning, stacklevel=1)
    for line in found.words():
        typer.echo(line)
    typer.echo(
        f"Written: {output}. Give each expert sheets/NAME.csv and sheets/INSTRUCTIONS.md; key.csv stays with you."
    )
    return {"folder": str(output), "pairs": len(found), **found.made_with, "warnings": list(found.warnings)}


def labels(
    given: Annotated[
        list[Path],
        typer.Argument(
            metavar="FOLDER/FILES...",
            help="The folder that 'dxmatch suggest' made, with the sheets filled; and files that 'dxmatch label' wrote, of one expert or of several. "
            "Files alone, too: labels from the console without a suggestion.",
        ),
    ],
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Where the labelled pairs go; the suffix says what kind.")
    ],
    experts: Annotated[str | None, typer.Option(help="The panel, where it is not all who were asked.")] = None,
    export: Annotated[
        list[str] | None,
        typer.Option(help="An export of Label Studio: NAME=FILE if one expert's alone, else FILE. May be repeated."),
    ] = None,
    annotator: Annotated[
        list[str] | None,
        typer.Option(help="Who is who in an export: ID=NAME, by user id or e-mail address. May be repeated."),
    ] = None,
    open_pairs: Annotated[
        Path | None, typer.Option("--open", help="Write a sheet of the pairs without a majority here, to adjudicate.")
    ] = None,
    adjudicated: Annotated[Path | None, typer.Option(help="That sheet, filled.")] = None,
    review: Annotated[
        Path | None, typer.Option("--review", help="Write a sheet of every pair here, for one more expert to review.")
    ] = None,
    reviewed: Annotated[
        Path | None, typer.Option(help="That sheet, filled; its answers go before the panel's, in a column label.")
    ] = None,
    encoding: Encoding = None,
) -> None:
    """Read the experts' answers back, as pairs that dxmatch train takes, and say how far they agree."""
    from ..errors import DxmatchError
    from ..files.pair_labels import BLANK
    from ..files.tables import check_output, write_table
    from ..labelling.read_back import read_labels

    check_output(output)
    for new in (open_pairs, review):
        if new is not None and new.exists():
            raise DxmatchError(f"{new} is there already, maybe filled; choose a new file.")
    own, shared = {}, []
    for one in export or ():
        name, equals, path = one.partition("=")
        if equals:
            own[name] = Path(path)
        else:
            shared.append(Path(one))
    whole = given[0].is_dir() or (len(given) == 1 and not given[0].is_file())
    folder, console = (given[0], given[1:]) if whole else (None, given)
    found = read_labels(
        folder, console=console, experts=None if experts is None else _names(experts), exports=own, shared_exports=shared,
        annotators=dict(_pair(one) for one in annotator or ()), adjudicated=adjudicated, reviewed=reviewed,
        encoding=encoding,
    )  # fmt: skip
    write_table(found.table, output)
    for line in found.words():
        typer.echo(line)
    if folder is not None and not console and (found.ballots == BLANK).all():
        typer.echo(
            f"What was labelled in the console stands beside the folder: dxmatch labels {folder} FILE -o {output}"
        )
    left = len(found.open)
    if open_pairs is not None and left:
        found.write_open(open_pairs)
        typer.echo(f"{open_pairs}: {counted(left, 'pair')} to adjudicate; then give it as --adjudicated.")
    if review is not None:
        found.write_review(review)
        typer.echo(f"{review}: {counted(len(found.table), 'pair')} to review; then give it as --reviewed.")
    typer.echo(f"{output}: {counted(len(found.table), 'pair')}.")


def _names(text: str) -> Sequence[str]:
    return [name.strip() for name in text.split(",") if name.strip()]


def _pair(text: str) -> tuple[str, str]:
    left, equals, right = text.partition("=")
    if not (left and equals and right):
        raise typer.BadParameter(f"--annotator takes ID=NAME, such as 7=anna; got {text}")
    return left, right
