"""The blocks of a long job of linking, kept beside its output until that is written: an interrupted job goes on with them."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..files.atomic import make_folder, whole_file
from ..files.tables import check_output, write_table
from ..models.releases import SHAPE_FEATURES, installed_releases
from ..progress import say

_LIBRARIES = ("numpy", "pyarrow", "faiss-cpu", *SHAPE_FEATURES)

Block = Mapping[str, NDArray[Any]]
"""What came of a block, by name; numbers alone."""


class KeptBlocks:
    """The blocks in `folder` of one job: another input, model or option finds none of them.

    judged_by : what tells the match function from any other, as JSON can hold it.

    A block is there as soon as its file has its name; one that is damaged is not there.

    Attributes
    ----------
    blocks : how many the job has. resumed : of them, those that an earlier run has left. made : those of this run.
    """

    def __init__(self, folder: Path, *judged_by: Any) -> None:
        self.folder, self.blocks, self.resumed, self.made = folder, 1, 0, 0
        self._judged_by = judged_by
        self._name = ""

    def open(self, blocks: int, *job: Any) -> dict[int, Block]:
        """The blocks that are there, by number. job : all that the result depends on besides who judges, as JSON can hold it."""
        libraries = installed_releases(_LIBRARIES)
        about = json.dumps([metadata.version("dxmatch"), libraries, blocks, *self._judged_by, *job], sort_keys=True)
        self._name, self.blocks = hashlib.sha256(about.encode("utf-8", "surrogatepass")).hexdigest()[:16], blocks
        read = {number: self._read(number) for number in range(blocks)}
        found = {number: block for number, block in read.items() if block is not None}
        self.resumed = len(found)
        if found:
            say(f"{self.resumed:,} of {blocks:,} blocks were there already.")
        return found

    def add(self, number: int, block: Block) -> None:
        """Keeps a block, unless it is all of the job."""
        if self.blocks > 1:
            with whole_file(make_folder(self.folder) / self._file(number)) as temporary, temporary.open("wb") as file:
                np.savez(file, **dict[str, Any](block))
            self.made += 1

    def remove(self) -> None:
        """Takes the job's blocks away, and the folder if nothing else is in it."""
        for path in self.folder.glob(f"*{self._file('*')}*"):  # also what a killed process was about to write
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def _file(self, number: int | str) -> str:
        return f"links-{self._name}-{number:>05}.npz"

    def _read(self, number: int) -> Block | None:
        try:
            with np.load(self.folder / self._file(number), allow_pickle=False) as file:
                return dict(file)
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile):
            return None


def written(
    make: Callable[[KeptBlocks | None], pa.Table], output: str | os.PathLike[str] | None, *judged_by: Any
) -> pa.Table:
    """The table that `make` gives of the blocks of its job; with an output it is written, and until it is there the blocks stand beside it.

    They are in a folder named like it with ".parts", and go where all ends well. Errors: `InputError` for an output that cannot be written.
    """
    if output is None:
        return make(None)
    check_output(output)
    kept = KeptBlocks(Path(f"{os.fspath(output)}.parts"), *judged_by)
    try:
        write_table(made := make(kept), output)
    except KeyboardInterrupt:
        if not (there := kept.resumed + kept.made):
            raise
        raise KeyboardInterrupt(
            f"interrupted; {there:,} of {kept.blocks:,} blocks are kept in {kept.folder}. Run the same command again to go on."
        ) from None
    kept.remove()
    return made
