"""What bad labelled pairs get of a training: an error or a warning that names what is wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dxmatch

pytestmark = pytest.mark.usefixtures("few_rounds")


def strange(pairs: pd.DataFrame) -> pd.DataFrame:
    """No two names share a word."""
    return pairs.assign(b=[f"illness{i} site{i}" for i in range(len(pairs))])


def test_labels_that_teach_the_opposite(toy_pairs: pd.DataFrame, strings_only: Path) -> None:
    """One label alone: tests/cases/refused.csv."""
    told = r"the labels look swapped: .* \(by (ratio_unigram|levenshtein) in \d\d% of the"
    with pytest.raises(dxmatch.InputError, match=told):
        dxmatch.train(toy_pairs.assign(label=1 - toy_pairs["label"]), features=strings_only)


def test_what_is_learned_all_the_same_is_told(toy_pairs: pd.DataFrame, strings_only: Path, tmp_path: Path) -> None:
    equal = pd.DataFrame({"a": ["mumps"], "b": ["Mumps"], "label": [0]})
    few = pd.concat([toy_pairs[::7], equal])
    said = dxmatch.train(few, features=strings_only, split=dxmatch.Split(folds=2, test_share=0)).data["warnings"]
    assert any(one.startswith("Only 43 labelled pairs that differ, ") for one in said), said
    assert any("labelled 0 that are equal after normalisation, which M calls a match" in one for one in said)
    rng = np.random.default_rng(0)
    split = dxmatch.Split(test_share=0)
    random = strange(toy_pairs).assign(label=rng.integers(0, 2, len(toy_pairs)))
    said = dxmatch.train(random, features=strings_only, split=split).data["warnings"]
    assert said == ["The feature ratio_unigram is 0 for every pair that differs, so nothing was learned from it."]
    (tmp_path / "one.toml").write_text('[[feature]]\nname = "words"\nkind = "ratio"\nview = "unigram"\n')
    with pytest.raises(dxmatch.InputError, match=r"no feature tells one pair from another.* Got: \['words'\]"):
        dxmatch.train(random, features=tmp_path / "one.toml", split=split)
