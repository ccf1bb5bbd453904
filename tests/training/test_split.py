from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from dxmatch.training.statistics.split import Groups, grouped_folds, held_out

NAMES = [f"disease {i}" for i in range(60)]


@settings(deadline=None, max_examples=30)
@given(st.lists(st.sampled_from(NAMES), min_size=80, max_size=300), st.integers(0, 5))
def test_no_reference_on_both_sides(references: list[str], seed: int) -> None:
    groups = Groups.of(references)
    test = held_out(groups, 0.3, seed)
    assert not set(groups.code[test]) & set(groups.code[~test])
    label = np.arange(len(references), dtype=np.int8) % 2
    if len(groups.names) < 20:
        return
    fold = grouped_folds(groups, label, 3, seed)
    assert set(fold.tolist()) == {0, 1, 2}
    for code in range(len(groups.names)):
        assert len(set(fold[groups.code == code].tolist())) == 1


def test_side_depends_on_the_name_alone() -> None:
    few, many = Groups.of(NAMES[10:20]), Groups.of(NAMES[::-1] * 3)
    chosen = {many.names[c] for c in many.code[held_out(many, 0.3, 1)]}
    assert {few.names[c] for c in few.code[held_out(few, 0.3, 1)]} == chosen & set(NAMES[10:20])
    assert 0.1 < len(chosen) / len(NAMES) < 0.5
    assert not held_out(many, 0.0, 1).any()
