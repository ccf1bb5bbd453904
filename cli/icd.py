"""`dxmatch icd`: free text to ICD-10, offline or with a language model's picks, and how often that is right."""

from __future__ import annotations

from json import dumps
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..errors import OptionError
from ..files.atomic import whole_file
from ..files.counted import counted
from ..files.file_names import is_file_name
from ..files.tables import check_output, write_table
from ..matcher.icd_accuracy import icd_accuracy
from ..matcher.icd_mapping import EDITION, flat_candidates
from ..matcher.icd_mapping import icd as verb
from .command import Call, Output, command
from .results import diagnosis, print_first


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
    diagnoses = _texts_or_file(call)
    if gold is None:
        accuracy, table = None, call(diagnoses=diagnoses)
    else:
        accuracy = icd_accuracy(**{**call.given, "diagnoses": diagnoses}, gold=gold)
        table = accuracy.table
    if output is not None:
        write_table(table if output.suffix in (".jsonl", ".parquet") else flat_candidates(table), output)
        unmapped = table.column("icd10").null_count
        told = f", {unmapped:,} of them to no code" if unmapped else ""
        print(f"{output}: {counted(table.num_rows, 'diagnosis', 'diagnoses')} mapped{told}.")
    elif accuracy is None:
        print_first(table.select(["diagnosis", "icd10", "name", "how", "score"]), nothing="")
    if accuracy is not None:
        accuracy.print()
        if figures is not None:
            with whole_file(figures) as temporary:
                temporary.write_text(dumps(accuracy.to_dict(), ensure_ascii=False, indent=1), "utf-8")
            print(f"{figures}: the figures and errors.")
        return accuracy.to_dict()
    return {"edition": table.schema.metadata[EDITION.encode()].decode(), "mapped": table.to_pylist()}


def _texts_or_file(call: Call) -> Any:
    """One name of a file, or texts as a table. Errors: `InputError` for a file's name among texts."""
    texts = call.typed["diagnoses"]
    for text in texts:
        if len(texts) > 1:
            diagnosis(text, "icd")
    if len(texts) == 1 and (is_file_name(texts[0]) or Path(texts[0]).is_file()):
        return texts[0]
    return pa.table({call.given.get("column", "diagnosis"): texts})
