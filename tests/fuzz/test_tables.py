"""Damaged tables as their reference readers read them; `tests/files` holds a thousand known ones."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given
from hypothesis import strategies as st

from .hostile import examples
from .tables import difference, mutant


@examples()
@given(st.integers(1000, 1 << 32))
def test_a_damaged_table(seed: int) -> None:
    with TemporaryDirectory() as folder:
        assert difference(mutant(seed), Path(folder)) == ""
