from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

from dxmatch.models.releases import SHAPE_FEATURES, warn_of_other_releases


def test_another_release_than_at_training_is_told(recwarn) -> None:
    library = SHAPE_FEATURES[0]
    warn_of_other_releases("mine", {library: version(library), "numpy": "0"})
    assert not recwarn.list
    with pytest.warns(
        UserWarning, match=rf"^Model mine: its features may differ here, for {library} .* \(trained with 0\)"
    ):
        warn_of_other_releases("mine", {library: "0"})


def test_a_pair_is_matched_without_what_is_slow_to_import() -> None:
    code = """
import sys, dxmatch
dxmatch.load().match("heart attack", "acute MI")
print([name for name in ("pyarrow", "narwhals", "lightgbm", "pandas") if name in sys.modules])
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "[]\n"
