from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from dxmatch.features.names import Names
from dxmatch.features.pairs import Pairs
from dxmatch.features.providers import Providers
from dxmatch.features.registry import levenshtein
from dxmatch.terms.icd.naming import Naming
from dxmatch.terms.text.normalizer import Normalizer


def in_plain_python(a: str, b: str) -> int:
    """The textbook's rows."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, above = [i, *row[1:]], row
        for j, y in enumerate(b, 1):
            row[j] = min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y))
    return row[-1]


@given(names=st.lists(st.one_of(st.text(max_size=20), st.text("ab", max_size=150)), min_size=1, max_size=5))
def test_edits_over_the_longer(names: list[str]) -> None:
    first, second = (grid.ravel().astype(np.int32) for grid in np.divmod(np.arange(len(names) ** 2), len(names)))
    of_names = Names(names, Providers(Naming(Normalizer(version="1"))))
    out = levenshtein(Pairs(of_names, first, second), {})
    for i, j, value in zip(first, second, out, strict=True):
        a, b = names[i], names[j]
        assert value == np.float32(in_plain_python(a, b) / max(len(a), len(b), 1))
