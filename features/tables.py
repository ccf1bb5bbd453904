"""Tables in and out: CSV, TSV, JSONL and Parquet by suffix; pandas, polars and Arrow frames through narwhals."""

# pyright: reportAttributeAccessIssue=false
# pyarrow.compute makes its functions at run time, where no type checker sees them.

from __future__ import annotations

import csv
import difflib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import narwhals as nw
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from .atomic import whole_file
from .errors import InputError

SUFFIXES = (".csv", ".tsv", ".jsonl", ".parquet")
_ALLOWED_FILES = "a .csv, .tsv, .jsonl or .parquet file, in UTF-8"
_MAGIC = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a zip archive or an Excel workbook; save it as CSV UTF-8",
    b"\x1f\x8b": "a gzip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save it as CSV UTF-8",
    b"%PDF": "a PDF",
    b"\xff\xfe": "UTF-16 text; save it as UTF-8",
    b"\xfe\xff": "UTF-16 text; save it as UTF-8",
    b"\x93NUM": "a NumPy array",
    b"\x80\x04": "a pickle",
    b"\x80\x05": "a pickle",
}


@dataclass(frozen=True)
class Table:
    """Columns with the place they came from, so that an error can name the row as its reader sees it.

    `first_row` is the number of the first record: 2 in a CSV (the header is row 1), 1 in JSONL and Parquet,
    0 in a data frame.
    """

    data: pa.Table
    source: str
    first_row: int
    frame: nw.DataFrame[Any] | None = None

    def __len__(self) -> int:
        return self.data.num_rows

    @property
    def names(self) -> list[str]:
        return self.data.column_names

    def row_number(self, index: int) -> int:
        return self.first_row + int(index)

    def column(self, name: str) -> list[Any]:
        """The values of a column; None where it is blank."""
        return self.data.column(name).to_pylist()

    def require(self, name: str, purpose: str = "") -> None:
        """Errors: `InputError` where the column is missing, with the nearest of those present."""
        if name in self.names:
            return
        near = difflib.get_close_matches(name, self.names, n=1, cutoff=0.6)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise InputError(
            f"the column {name!r}{f' ({purpose})' if purpose else ''} is missing{hint}",
            source=self.source,
            allowed=f"a column {name!r}, or its other name given as an option",
            got=self.names,
        )

    def text(self, name: str) -> pa.ChunkedArray:
        """A column as strings; blank and white space are null.

        Errors: `InputError` where the column holds something other than text, with the first such row.
        """
        column = self.data.column(name)
        kind = column.type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if pa.types.is_null(kind):
            return column.cast(pa.string())
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)):
            first = next((i for i, value in enumerate(column.to_pylist()) if value is not None), 0)
            raise InputError(
                "a value that is not text",
                source=self.source, row=self.row_number(first), column=name, allowed="text", got=column[first].as_py(),
            )  # fmt: skip
        trimmed = pc.utf8_trim_whitespace(column.cast(pa.large_string()))
        return pc.if_else(pc.equal(trimmed, ""), pa.scalar(None, pa.large_string()), trimmed)

    def required_text(self, name: str) -> pa.ChunkedArray:
        """`text`, with a blank refused."""
        values = self.text(name)
        if values.null_count:
            row = values.is_null().index(True).as_py()
            raise self.error(
                "the diagnosis is blank", row, name, allowed="a diagnosis in words", got=self.column(name)[row]
            )
        return values

    def error(self, problem: str, index: int, column: str, **details: Any) -> InputError:
        return InputError(problem, source=self.source, row=self.row_number(index), column=column, **details)


def read_table(source: Any) -> Table:
    """A file by its suffix, or a pandas, polars or Arrow frame.

    CSV and TSV values stay text as typed ("007" is not 7); a CSV may be separated by commas or semicolons.
    Errors: `InputError` for a file that is absent, empty, not UTF-8, of another kind than its suffix, or damaged.
    """
    if isinstance(source, Table):
        return source
    if isinstance(source, str | os.PathLike):
        return _read_file(Path(source))
    try:
        frame = nw.from_native(source, eager_only=True)
    except TypeError:
        raise InputError(
            "not a table", allowed="the path of a file, or a pandas, polars or Arrow frame", got=type(source).__name__
        ) from None
    try:
        data = frame.to_arrow()
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"a column of mixed kinds ({error})", source="data frame") from None
    table = Table(data, "data frame", 0, frame)
    return _nonempty(table)


def _read_file(path: Path) -> Table:
    source, suffix = str(path), path.suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError("a file of an unknown kind", source=source, allowed=_ALLOWED_FILES, got=path.suffix)
    if not path.is_file():
        raise InputError("no such file", source=source, allowed=_ALLOWED_FILES)
    try:
        with path.open("rb") as handle:
            head = handle.read(4096)
        if not head.strip():
            raise InputError("the file is empty", source=source, allowed="a header and at least one row")
        _check_kind(head, suffix, source)
        if suffix == ".parquet":
            table = Table(_read_parquet(path, source), source, 1)
        elif suffix == ".jsonl":
            table = Table(_read_jsonl(path, source), source, 1)
        else:
            table = Table(_read_delimited(path, suffix, source), source, 2)
    except OSError as error:
        raise InputError(f"the file could not be read ({error.strerror or error})", source=source) from error
    return _nonempty(table)


def _nonempty(table: Table) -> Table:
    if len(table) == 0:
        raise InputError("the table has no rows", source=table.source, allowed="at least one row")
    repeated = {name for name in table.names if table.names.count(name) > 1}
    if repeated:
        raise InputError(
            "two columns of one name", source=table.source, allowed="each name once", got=sorted(repeated)[0]
        )
    return table


def _check_kind(head: bytes, suffix: str, source: str) -> None:
    for magic, kind in _MAGIC.items():
        if head.startswith(magic) and not (suffix == ".parquet" and magic == b"PAR1"):
            raise InputError(f"the file is {kind}", source=source, allowed=f"what its suffix {suffix} says")
    if suffix == ".parquet":
        if not head.startswith(b"PAR1"):
            raise InputError(
                "the file is not Parquet", source=source, allowed="what its suffix .parquet says", got=head[:12]
            )
        return
    if b"\0" in head:
        raise InputError("the file is not text", source=source, allowed=f"what its suffix {suffix} says")
    looks_json = head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b'{"')
    if looks_json != (suffix == ".jsonl"):
        kind = "JSON" if looks_json else "not JSON lines"
        raise InputError(f"the file is {kind}", source=source, allowed=f"what its suffix {suffix} says", got=head[:40])


def _undecodable(path: Path, source: str, first_row: int) -> InputError:
    with path.open("rb") as handle:
        for number, line in enumerate(handle):
            try:
                line.decode("utf-8")
            except UnicodeDecodeError as error:
                bad = line[max(0, error.start - 10) : error.end + 10]
                return InputError(
                    "text that is not UTF-8", source=source, row=number + first_row, allowed="UTF-8", got=bad
                )
    return InputError("text that is not UTF-8", source=source, allowed="UTF-8")


def _read_delimited(path: Path, suffix: str, source: str) -> pa.Table:
    try:
        with path.open(encoding="utf-8-sig", newline="") as handle:
            line = handle.readline()
            delimiter = "\t" if suffix == ".tsv" else ";" if ";" in line and "," not in line else ","
            if suffix == ".tsv" and "\t" not in line and "," in line:
                raise InputError(
                    "the columns are separated by commas", source=source, allowed="tabs, as its suffix .tsv says"
                )
            if suffix == ".csv" and "\t" in line and "," not in line and ";" not in line:
                raise InputError(
                    "the columns are separated by tabs", source=source, allowed="commas, as its suffix .csv says"
                )
            handle.seek(0)
            header = next(csv.reader(handle, delimiter=delimiter))
    except UnicodeDecodeError:
        raise _undecodable(path, source, 1) from None
    blank = [i + 1 for i, name in enumerate(header) if not name.strip()]
    repeated = [name for name in header if header.count(name) > 1]
    if blank or repeated:
        raise InputError(
            f"column {blank[0]} has no name" if blank else "two columns of one name",
            source=source, row=1, allowed="each column named, each name once", got=header if blank else repeated[0],
        )  # fmt: skip
    try:
        return pa_csv.read_csv(
            path,
            read_options=pa_csv.ReadOptions(column_names=header, skip_rows=0, block_size=1 << 24),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
            convert_options=pa_csv.ConvertOptions(
                column_types=dict.fromkeys(header, pa.string()),
                null_values=[""],
                strings_can_be_null=True,
                quoted_strings_can_be_null=True,
            ),
        ).slice(1)
    except pa.ArrowInvalid as error:
        raise _delimited_problem(path, source, delimiter, len(header), error) from None


def _delimited_problem(path: Path, source: str, delimiter: str, width: int, error: Exception) -> InputError:
    """The row that Arrow could not read, found again with the slow reader."""
    try:
        with path.open(encoding="utf-8", newline="") as handle:
            for number, record in enumerate(csv.reader(handle, delimiter=delimiter, strict=True), start=1):
                if record and len(record) != width:
                    return InputError(
                        f"{len(record)} values in a table of {width} columns",
                        source=source, row=number, allowed=f"{width} values; quote a value that holds {delimiter!r}", got=record,
                    )  # fmt: skip
    except UnicodeDecodeError:
        return _undecodable(path, source, 1)
    except csv.Error as problem:
        return InputError(f"the file is damaged ({problem})", source=source, allowed="closed quotes, one record a line")
    return InputError(f"the file is damaged ({error})", source=source)


def _read_jsonl(path: Path, source: str) -> pa.Table:
    columns: dict[str, list[Any]] = {}
    rows = 0
    with path.open("rb") as handle:
        for number, line in enumerate(handle, start=1):
            if not line.strip():
                raise InputError("a blank line", source=source, row=number, allowed="one JSON object a line")
            try:
                record = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
            except UnicodeDecodeError:
                raise _undecodable(path, source, 1) from None
            except (json.JSONDecodeError, RecursionError) as error:
                raise InputError(
                    f"a line that is not JSON ({error})",
                    source=source,
                    row=number,
                    allowed="one JSON object a line",
                    got=line[:60],
                ) from None
            if not isinstance(record, dict):
                raise InputError(
                    "a line that is not an object", source=source, row=number, allowed='{"a": …, "b": …}', got=record
                )
            for name, value in record.items():
                columns.setdefault(name, [None] * rows).append(value)
            rows += 1
            for values in columns.values():
                if len(values) < rows:
                    values.append(None)
    return pa.table({name: _jsonl_column(name, values, source) for name, values in columns.items()})


def _jsonl_column(name: str, values: list[Any], source: str) -> pa.Array:
    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError, UnicodeEncodeError):
        kind = type(next(value for value in values if value is not None))
        odd = next(
            (i for i, value in enumerate(values) if value is not None and type(value) is not kind), len(values) - 1
        )
        raise InputError(
            "a value of another kind than those before it",
            source=source, row=odd + 1, column=name, allowed=kind.__name__, got=values[odd],
        ) from None  # fmt: skip


def _read_parquet(path: Path, source: str) -> pa.Table:
    try:
        return pq.read_table(path, page_checksum_verification=True)
    except (pa.ArrowException, OSError) as error:
        raise InputError(f"the Parquet file is damaged ({str(error).splitlines()[0]})", source=source) from None


def write_table(data: pa.Table, path: str | os.PathLike[str]) -> Path:
    """Writes `data` by the suffix of `path`, whole or not at all; Parquet with page checksums.

    Errors: `InputError` for another suffix, `DxmatchError` where it cannot be written.
    """
    target = Path(path)
    suffix = check_output(target)
    with whole_file(target) as temporary:
        if suffix == ".parquet":
            pq.write_table(data, temporary, write_page_checksum=True)
        elif suffix == ".jsonl":
            with temporary.open("w", encoding="utf-8") as handle:
                for batch in data.to_batches(max_chunksize=65_536):
                    handle.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in batch.to_pylist())
        else:
            options = pa_csv.WriteOptions(delimiter="\t" if suffix == ".tsv" else ",", quoting_style="needed")
            pa_csv.write_csv(data, temporary, options)
    return target


def check_output(path: str | os.PathLike[str]) -> str:
    """The suffix of an output file, checked before any long work begins."""
    suffix = Path(path).suffix.lower()
    if suffix not in SUFFIXES:
        raise InputError("an output of an unknown kind", source=str(path), allowed=", ".join(SUFFIXES), got=suffix)
    if not Path(path).parent.is_dir():
        raise InputError("the folder for the output is absent", source=str(path), allowed="an existing folder")
    return suffix


def read_abbreviations(path: str | os.PathLike[str]) -> dict[str, str]:
    """A user's abbreviation table: the columns `abbreviation` and `expansion`, each abbreviation once."""
    table = read_table(path)
    out: dict[str, str] = {}
    for name in ("abbreviation", "expansion"):
        table.require(name)
    for row, (short, long) in enumerate(
        zip(table.required_text("abbreviation").to_pylist(), table.required_text("expansion").to_pylist(), strict=True)
    ):
        if out.setdefault(short, long) != long:
            raise table.error(
                "the abbreviation stands twice", row, "abbreviation", allowed="one expansion each", got=short
            )
    return out


def to_native(data: pa.Table, like: nw.DataFrame[Any] | None) -> Any:
    """`data` as the kind of frame that came in (an Arrow table where a file did)."""
    if like is None or like.implementation.is_pyarrow():
        return data
    return nw.from_arrow(data, backend=like.implementation).to_native()


def with_columns(data: pa.Table, columns: Mapping[str, Any]) -> pa.Table:
    """`data` with columns set; one of the same name is replaced in place."""
    for name, values in columns.items():
        array = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(values)
        at = data.column_names.index(name) if name in data.column_names else -1
        data = data.append_column(name, array) if at < 0 else data.set_column(at, name, array)
    return data


def write_rejects(table: Table, reasons: Mapping[int, str], path: str | os.PathLike[str]) -> None:
    """The refused rows of `table`, with `rejected_row` (their number) and `rejected_because`, to a file of their own."""
    rows = sorted(reasons)
    refused = table.data.take(pa.array(rows, pa.int64()))
    why = {"rejected_row": [table.row_number(i) for i in rows], "rejected_because": [reasons[i] for i in rows]}
    write_table(with_columns(refused, why), path)
