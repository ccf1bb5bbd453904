"""What is set for a whole process and for what it starts: who may read the files it writes, what messages and spreadsheets show."""

from __future__ import annotations

import os

QUIET = "DXMATCH_QUIET"


def configure(
    *, shared_files: bool | None = None, hide_cells: bool | None = None, spreadsheet: bool | None = None
) -> None:
    """Sets, for this process and those that it starts, how dxmatch guards what it reads and writes. What is None stays as it is.

    Parameters
    ----------
    shared_files
        True: what the command line writes, stores and caches get the usual permissions (the umask). False, the default: their owner
        alone can read them. The environment variable DXMATCH_SHARED_FILES=1 says the same.
    hide_cells
        True: errors and warnings say how long a cell is, not what is in it. The environment variable DXMATCH_HIDE_CELLS=1
        says the same.
    spreadsheet
        True: in every CSV and TSV file that is written for people, an apostrophe goes before each text that a spreadsheet would
        run as a formula. The environment variable DXMATCH_SPREADSHEET=1 says the same.

    Examples
    --------
    >>> configure(hide_cells=True)
    >>> from dxmatch.errors import quoted
    >>> quoted("heart attack")
    '<hidden: 12 characters>'
    >>> configure(hide_cells=False)
    """
    for name, wanted in (("SHARED_FILES", shared_files), ("HIDE_CELLS", hide_cells), ("SPREADSHEET", spreadsheet)):
        if wanted is not None:
            os.environ[f"DXMATCH_{name}"] = "1" if wanted else "0"


def cells_hidden() -> bool:
    """Whether messages hide cells."""
    return _wanted("DXMATCH_HIDE_CELLS")


def for_spreadsheets() -> bool:
    """Whether no text of a CSV file may run as a formula in a spreadsheet."""
    return _wanted("DXMATCH_SPREADSHEET")


def quiet() -> bool:
    """Whether the command line shows no progress, and says nothing of what it wrote."""
    return _wanted(QUIET)


def _wanted(name: str) -> bool:
    """Any word but "0": what guards is rather on than off."""
    return os.environ.get(name, "0") not in ("", "0")


def cores() -> int:
    """The processor cores that this process may use: in a container fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def permissions(mode: int) -> int:
    """Of permissions those of the owner, unless the user asked for shared files. Only "1" opens them, so that a slip in the word does not."""
    return mode if os.environ.get("DXMATCH_SHARED_FILES") == "1" else mode & 0o700
