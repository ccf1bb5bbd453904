"""`dxmatch suggest`, `label` and `labels`: which pairs to have labelled next, labels from the console, and what the experts said of the pairs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any

from ..files.counted import counted
from ..labelling.console import label as verb
from ..labelling.labels import labels as verb_of_labels
from ..labelling.suggest import suggest as verb_of_suggest
from ..labelling.suggestion import check_new_folder
from ..options import WRITTEN
from .command import Call, command
from .results import say_rejected


@command(verb_of_suggest, given=("pool",), stdout=None)
def suggest(call: Call, *, output: Annotated[Path, WRITTEN, check_new_folder]) -> dict[str, Any]:
    """Pick the pairs whose labels would teach most, and write a sheet for each expert to label blind.

    The folder holds sheets/ and, the same for Label Studio, label_studio/; key.csv, with the probabilities, is yours and not
    for the experts. dxmatch labels reads the filled sheets.

    Parameters
    ----------
    output : path
        The new folder for the sheets and their key.

    Examples
    --------
    dxmatch suggest pool.csv -n 200 -o round-1 --expert anna --expert ben --expert carl
    """
    found = call()
    found.save(output)
    print("\n".join(found.words()))
    print(f"Written: {output}. Give each expert sheets/NAME.xlsx and sheets/INSTRUCTIONS.md; key.csv stays with you.")
    return {"folder": str(output), "pairs": len(found), **found.made_with}


@command(verb, given=("pairs",), leave_out=("ask_again",), stdout=None)
def label(call: Call) -> None:
    """Label pairs here, one at a time: y, n, u (unsure), s (skip), b (back), ? (the criteria), q (quit), each with Enter.

    No model says anything. Every answer is kept at once; the same command goes on where you stopped.

    Examples
    --------
    dxmatch label pairs.csv -o labelled.csv --expert anna
    dxmatch label round-1 -o labelled.csv --expert anna
    """
    done = call(ask_again=sys.stdin.isatty())
    print(f"\n{done.words()}")
    print(
        "The same command goes on with what is open."
        if done.open
        else f"To train: dxmatch train {done.output} -o my-model"
    )
    say_rejected(done.rejected, call.typed.get("rejects"))


@command(verb_of_labels, given=("given",))
def labels(call: Call) -> None:
    """Read the experts' answers back, as pairs that dxmatch train takes, and say how far they agree.

    Examples
    --------
    dxmatch labels round-1 -o labelled.csv --open-pairs ties.xlsx
    dxmatch labels anna.csv ben.csv -o labelled.csv
    """
    found = call()
    print("\n".join(found.words()))
    for option, count, then in (
        ("open_pairs", len(found.open), " to adjudicate; then give it as --adjudicated"),
        ("review", len(found.pairs), " to review; then give it as --reviewed"), ("output", len(found.pairs), ""),
    ):  # fmt: skip
        if count and (path := call.typed.get(option)):
            print(f"{path}: {counted(count, 'pair')}{then}.")
