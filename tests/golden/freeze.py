"""`python -m dxmatch.tests.golden.freeze FAMILY [NAME ...]`: writes what runs find today as what is expected of them.

A number of an evaluation that moves with the seed is frozen as what it is under twelve seeds; see `compare.frozen`.
"""

from __future__ import annotations

import sys
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

from .compare import SEEDS, frozen
from .frozen import FAMILIES, keep


def freeze(family: str, name: str) -> None:
    found = []
    for seed in range(SEEDS if family == "evaluation" else 1):
        with TemporaryDirectory() as folder:
            found.append(FAMILIES[family].find(name, Path(folder), seed))
    keep(family, {name: frozen(found) if len(found) > 1 else found[0]})


if __name__ == "__main__":
    warnings.simplefilter("ignore")  # as the tests of all families but those whose runs warn of nothing
    family, *names = sys.argv[1:]
    for name in names or FAMILIES[family].RUNS:
        print(name)
        freeze(family, name)
