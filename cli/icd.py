"""`dxmatch icd`: free text to ICD-10, offline or with a language model's picks, and how often that is right."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from ..files.counted import counted
from ..files.file_names import is_file_name
from ..files.tables import write_table
from ..matcher.icd_accuracy import icd_accuracy
from ..matcher.icd_mapping import EDITION, flat_candidates
from ..matcher.icd_mapping import icd as verb
from .command import Call, command
from .results import TableFile, diagnosis, print_first


@command(verb, given=("diagnoses",), several=("diagnoses",))
def icd(call: Call, *, output: TableFile | None = None, gold: str | None = None) -> dict[str, Any]:
    """Map free text to ICD-10, with the candidates: by name, by code, else the best of the nearest, or a language model's pick.

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
    texts = call.typed["diagnoses"]
    if isinstance(texts, list) or not (is_file_name(texts) or Path(texts).is_file()):
        texts = texts if isinstance(texts, list) else [texts]
        for text in texts:
            diagnosis(text, "icd")
        texts = pa.table({call.given.get("column", "diagnosis"): texts})
    accuracy = None if gold is None else Call(icd_accuracy, {}, call.given)(diagnoses=texts, gold=gold)
    table = call(diagnoses=texts) if accuracy is None else accuracy.table
    if output is not None:
        write_table(table if output.suffix in (".jsonl", ".parquet") else flat_candidates(table), output)
        unmapped = f", {table['icd10'].null_count:,} of them to no code" if table["icd10"].null_count else ""
        print(f"{output}: {counted(table.num_rows, 'diagnosis', 'diagnoses')} mapped{unmapped}.")
    elif accuracy is None:
        print_first(table.select(["diagnosis", "icd10", "name", "how", "score"]))
    if accuracy is None:
        return {"edition": table.schema.metadata[EDITION.encode()].decode(), "mapped": table.to_pylist()}
    accuracy.print()
    return accuracy.to_dict()
