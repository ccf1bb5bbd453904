"""`dxmatch suggest` and `dxmatch labels`: which pairs to have labelled next, and what the experts said of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from ..files.counted import counted
from ..labelling.labels import labels as verb_of_labels
from ..labelling.suggest import EXPERTS
from ..labelling.suggest import suggest as verb
from ..labelling.suggestion import check_experts, check_new_folder
from ..options import WRITTEN
from .command import Call, command


@command(verb, given=("pool",), leave_out=("experts",), stdout=None)
def suggest(
    call: Call, *, output: Annotated[Path, WRITTEN, check_new_folder], experts: str = ",".join(EXPERTS)
) -> dict[str, Any]:
    """Pick the pairs whose labels would teach most, and write a sheet for each expert to label blind.

    The folder holds sheets/ and, the same for Label Studio, label_studio/; key.csv, with the probabilities, is yours and not
    for the experts. dxmatch labels reads the filled sheets.

    Parameters
    ----------
    output : path
        The new folder for the sheets and their key.
    experts : str
        Who will label, by names that become columns, with commas between; an odd number has fewer ties.

    Examples
    --------
    dxmatch suggest pool.csv -n 200 -o round-1 --experts anna,ben,carl
    """
    found = call(experts=check_experts(_names(experts)))
    found.save(output)
    print("\n".join(found.words()))
    print(f"Written: {output}. Give each expert sheets/NAME.xlsx and sheets/INSTRUCTIONS.md; key.csv stays with you.")
    return {"folder": str(output), "pairs": len(found), **found.made_with}


@command(verb_of_labels, given=("given",), several=("given",), leave_out=("experts",))
def labels(call: Call, *, experts: str | None = None) -> None:
    """Read the experts' answers back, as pairs that dxmatch train takes, and say how far they agree.

    Parameters
    ----------
    experts : str
        The panel, with commas between, where it is not all who were asked.

    Examples
    --------
    dxmatch labels round-1 -o labelled.csv --open-pairs ties.xlsx
    dxmatch labels anna.csv ben.csv -o labelled.csv
    """
    found = call(experts=_names(experts or ""))
    print("\n".join(found.words()))
    for option, count, then in (
        ("open_pairs", len(found.open), " to adjudicate; then give it as --adjudicated"),
        ("review", len(found.pairs), " to review; then give it as --reviewed"), ("output", len(found.pairs), ""),
    ):  # fmt: skip
        if count and (path := call.typed.get(option)):
            print(f"{path}: {counted(count, 'pair')}{then}.")


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",") if name.strip()]
