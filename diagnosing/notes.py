"""Notes in files of their own: the file is named as the case."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from ..errors import InputError, quoted
from ..files.encodings import utf8_of
from ..files.tables import Table

NOTES = (".txt", ".md")


def read_notes(folder: Path, encoding: str | None) -> Table:
    """One row for each note of a folder, by name: case_id, text. Files of other kinds are told in the table's note.

    Errors: `InputError` where there is none, two of one name, or one that is not text.
    """
    files = sorted(path for path in folder.iterdir() if path.is_file() and not path.name.startswith((".", "~")))
    notes = [path for path in files if path.suffix.lower() in NOTES]
    allowed = f"notes that end in {' or '.join(NOTES)}, one for each case"
    if not notes:
        raise InputError("the folder holds no note", source=str(folder), allowed=allowed)
    claimed: dict[str, Path] = {}
    for path in notes:
        if (other := claimed.setdefault(path.stem, path)) is not path:
            problem = f"two notes of the case {quoted(path.stem)}: {other.name} and {path.name}"
            raise InputError(problem, source=str(folder), allowed="one note for each case")
    others = [path.name for path in files if path not in notes]
    told = f"Not read, since they are no notes: {', '.join(others[:4])}{', …' if len(others) > 4 else ''}."
    return _table(notes, str(folder), encoding, told if others else "")


def read_note(path: Path, encoding: str | None) -> Table:
    """One case in one file. Errors: `InputError`."""
    return _table([path], str(path), encoding, "")


def _table(paths: list[Path], source: str, encoding: str | None, note: str) -> Table:
    data = pa.table(
        {
            "case_id": [path.stem for path in paths],
            "text": pa.array([utf8_of(path, encoding).decode() for path in paths]),
        }
    )
    return Table(data, source, 1, sources=[str(path) for path in paths], note=note)
