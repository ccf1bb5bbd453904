"""Damaged and odd tables are read as the standard library's csv and json read them, cell for cell, or refused. Workbooks: tests/files."""

from __future__ import annotations

import csv
import io
import json
import random
import traceback
from contextlib import suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dxmatch.errors import DxmatchError
from dxmatch.files.tables import read_table

from .hostile import examples

Row = dict[str, Any]
WORDS = ("heart attack", "acute MI", "flu", "grippe é", "type 2 diabetes, poor control", 'so-called "gout"', "ménière", "a;b\tc", "asthma\nbronchiale")  # fmt: skip
HEADERS = [["a", "b", "note"], ["a", "b", "label"], ["case_id", "rater", "rank", "diagnosis"], ["diagnosis"]]
ODD = ('"', '""', '"\n', "\n", "\r", "\r\n", "\n\n", "  \n", ",", ";", "\t", "\0", "\ufeff", " ", "'", "\\", "é", "\u2028", "x" * 140_000, "=", "|")  # fmt: skip
ODD_JSON = ("NaN", "1e999", "-Infinity", "\\ud83d", "\\u0000", '"a":1,', "{", "}", "[" * 5000, "null", ",", '"', "9" * 5000, "1" * 30, "true", "{}", "\\")  # fmt: skip
TOLD = ("has no name", "two columns of one name", "no header", "field larger than field limit")
"""Of tables that csv reads in its way, and that are refused with a reason."""


def mutant(seed: int) -> tuple[str, bytes, str | None]:
    """The name, content and told encoding of a file; one in eight is a sound table."""
    rng = random.Random(seed)
    header = rng.choice(HEADERS)
    rows = [header, *([_cell(rng, name, i) for name in header] for i in range(rng.randint(1, 8)))]
    suffix = rng.choice(("csv", "csv", "tsv", "jsonl", "json"))
    damage = 0 if rng.random() < 0.125 else rng.randint(1, 3)
    if suffix in ("csv", "tsv"):
        made = io.StringIO(newline="")
        delimiter = "\t" if suffix == "tsv" else rng.choice(",,;")
        quoting = rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL))
        ends = rng.choice(("\n", "\r\n", "\r"))
        csv.writer(made, delimiter=delimiter, quoting=quoting, lineterminator=ends).writerows(rows)
        text, odd = made.getvalue(), ODD
        if rng.random() < 0.2:
            text = rng.choice(("\n", "\r\n\r\n", "  \n", "\ufeff", "\n\n\n", "\ufeff\r\n")) + text
    else:
        records = [dict(zip(header, row, strict=True)) for row in rows[1:]]
        if suffix == "jsonl":
            text = "\n".join(json.dumps(one, ensure_ascii=rng.random() < 0.5) for one in records)
            text = text.replace("{", rng.choice(("{", "{ ", "{\t")))
        else:
            text = json.dumps(records, indent=rng.choice((None, 1)), ensure_ascii=False)
        odd = ODD_JSON + ODD[:12]
    for _ in range(damage):
        text = _damaged(rng, text, odd)
    encoding, told = rng.choice(
        [("utf-8", None)] * 6 + [("utf-16", None), ("latin-1", "latin-1"), ("cp1252", "cp1252"), ("utf-8-sig", None)]
    )
    content = text.encode(encoding, "replace")
    if damage and rng.random() < 0.15:
        content = _flipped(rng, content)
    return f"t.{suffix}", content, told


def _cell(rng: random.Random, name: str, row: int) -> str:
    of = {"case_id": f"c{row // 2}", "rater": "gpt", "rank": str(row % 2 + 1), "label": str(row % 2)}
    return of.get(name) or rng.choice(WORDS)


def _damaged(rng: random.Random, text: str, odd: tuple[str, ...]) -> str:
    at, kind = rng.randint(0, len(text)), rng.random()
    if kind < 0.6:
        return text[:at] + rng.choice(odd) + text[at:]
    if kind < 0.75:
        return text[:at] + text[at + rng.randint(1, 3) :]
    lines = text.splitlines(keepends=True) or [""]
    line = rng.randrange(len(lines))
    if kind < 0.9:
        lines.insert(line, rng.choice((lines[line], "\n", "\r\n", " \n", ",\n", ",,\n")))
        return "".join(lines)
    return text[:at]


def _flipped(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content) or 1)
    return content[:at] + bytes([rng.choice((0, 0x80, 0xC3, 0xED, 0xFF, rng.randrange(256)))]) + content[at + 1 :]


def _text(path: Path, encoding: str | None) -> str:
    """By its mark, else UTF-8; as it is told where it is neither."""
    raw = path.read_bytes()
    marked = raw.startswith((b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf"))
    try:
        return raw.decode("utf-16" if marked and raw[0] > 0xEF else "utf-8-sig")
    except UnicodeDecodeError:
        if encoding is None or marked:
            raise
        return raw.decode(encoding)


def _by_csv(path: Path, encoding: str | None) -> list[Row]:
    text = _text(path, encoding).lstrip("\ufeff")
    if "\0" in text:
        raise ValueError("NUL")
    first = next(line for line in io.StringIO(text, newline="") if line.strip())
    width = {each: len(next(csv.reader([first], delimiter=each))) for each in ",;\t"}
    usual = "\t" if path.suffix == ".tsv" else ";" if width[";"] > width[","] else ","
    delimiter = usual if width[usual] > 1 else max(width, key=lambda each: (width[each], each == usual))
    records = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    start = next(i for i, record in enumerate(records) if "".join(record).strip())
    names = [name.strip() for name in records[start]]
    rows = []
    for record in records[start + 1 :]:
        blank = not "".join(record).strip() and len(record) < 2
        if not blank and len(record) != len(names):
            raise ValueError("ragged")
        cells = record if len(record) == len(names) else [""] * len(names)
        if len(names) == 1 or any(cells):
            rows.append([cell or None for cell in cells])
    kept = [i for i, name in enumerate(names) if name or any(row[i] is not None for row in rows)]
    if len({names[i] for i in kept}) < len(kept):
        raise ValueError("names")
    return [{names[i]: row[i] for i in kept} for row in rows]


def _by_json(path: Path, encoding: str | None) -> list[Row]:
    def once(pairs: list[tuple[str, Any]]) -> Row:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("equal keys")
        return dict(pairs)

    text = _text(path, encoding)
    loads = partial(json.loads, object_pairs_hook=once)
    rows = None
    if path.suffix == ".json":  # which may hold an object a line, too
        with suppress(json.JSONDecodeError):
            rows = loads(text)
    if rows is None:
        rows = [loads(line) for line in text.split("\n") if line.strip()]
    if not (isinstance(rows, list) and all(isinstance(row, dict) for row in rows)):
        raise ValueError("no objects")
    json.dumps(rows, ensure_ascii=False).encode()
    return [{name: row.get(name) for name in dict.fromkeys(key for one in rows for key in one)} for row in rows]


def same(read: Any, wanted: Any) -> bool:
    """Whether a cell holds what a reference reader says; a column of several kinds is one of texts."""
    if wanted is None or wanted != wanted:
        return read is None
    if isinstance(wanted, dict) and isinstance(read, dict):
        return all(same(read.get(key), wanted.get(key)) for key in read.keys() | wanted.keys())
    if isinstance(wanted, list) and isinstance(read, list):
        return len(read) == len(wanted) and all(map(same, read, wanted))
    if read == wanted and isinstance(read, bool) == isinstance(wanted, bool):
        return True
    return read == (json.dumps(wanted, ensure_ascii=False) if isinstance(wanted, list | dict) else str(wanted))


READERS = {".json": _by_json, ".jsonl": _by_json}


def difference(one: tuple[str, bytes, str | None], folder: Path) -> str:
    """How a mutant is read differently from the reference reader, or ends in anything but an error of dxmatch; "" where in none."""
    name, content, encoding = one
    path = folder / name
    path.write_bytes(content)
    longest = csv.field_size_limit(1 << 30)
    try:
        wanted: list[Row] | str = READERS.get(path.suffix, _by_csv)(path, encoding) or "no rows"
    except Exception as error:
        wanted = repr(error)
    finally:
        csv.field_size_limit(longest)
    try:
        found = read_table(path, encoding)
    except DxmatchError as error:
        if isinstance(wanted, str) or any(told in str(error) for told in TOLD) or _of_kinds(wanted):
            return ""
        return f"refused, but the reference reads it: {error}"
    except Exception:
        return traceback.format_exc()
    if isinstance(wanted, str):
        return f"read, but the reference refuses it: {wanted}; read {found.data.to_pylist()}"
    rows = found.data.to_pylist()
    if len(rows) != len(wanted):
        return f"{len(rows)} rows, not {len(wanted)}"
    for row, right in zip(rows, wanted, strict=True):
        if row.keys() != right.keys() or not all(same(row[name], right[name]) for name in row):
            return f"{row} instead of {right}"
    return ""


def _of_kinds(rows: list[Row]) -> bool:
    """Whether a column holds values of several kinds, or a number of more than 64 bits, which JSON lines may not."""
    kinds = [{type(row[name]) for row in rows if row[name] is not None} for name in rows[0]]
    return any(len(of) > 1 for of in kinds) or any(isinstance(v, int) and abs(v) >= 2**63 for r in rows for v in r.values())  # fmt: skip


@pytest.mark.filterwarnings("ignore")
@examples()
@given(st.integers(0, 1 << 32))
def test_a_damaged_table(seed: int) -> None:
    with TemporaryDirectory() as folder:
        assert difference(mutant(seed), Path(folder)) == ""
