"""`python -m dxmatch.tests.golden.freeze evaluation [NAME ...]`: writes what runs find today as what is expected of them.

A number that moves with the seed is frozen as what it is under twelve seeds; see `compare.frozen`.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from .compare import SEEDS, frozen, write

HERE = Path(__file__).parent


def freeze(folder: str, name: str) -> None:
    """Needs of the folder an `adapter` with `find(run, folder, seed)`."""
    find = import_module(f".{folder}.adapter", __package__).find
    run = json.loads((HERE / folder / "runs" / f"{name}.json").read_text("utf-8"))
    found = []
    for seed in range(SEEDS):
        with TemporaryDirectory() as place:
            found.append(find(run, Path(place), seed))
    write(HERE / folder / "expected" / f"{name}.json", frozen(found))


if __name__ == "__main__":
    folder, *names = sys.argv[1:]
    for name in names or sorted(path.stem for path in (HERE / folder / "runs").glob("*.json")):
        print(name)
        freeze(folder, name)
