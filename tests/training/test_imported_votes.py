"""Votes that a language model gave elsewhere, as one feature of a match function whose labels are not these votes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import dxmatch
from dxmatch.errors import InputError
from dxmatch.features.feature_set import FeatureSet
from dxmatch.files.tables import read_table
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.training.recipe import Recipe
from dxmatch.training.train import fit
from dxmatch.votes.answer_tables import import_table
from dxmatch.votes.store.store import VoteStore

SET = """
[[feature]]
name = "vote_gpt4"
kind = "vote"
model = "gpt-4"
prompt = "imported"
[[feature]]
name = "ratio_stem"
kind = "ratio"
view = "stem"
[[feature]]
name = "levenshtein"
kind = "levenshtein"
"""


@pytest.fixture(scope="module")
def voted(tmp_path_factory: pytest.TempPathFactory, shared_data: Path) -> Path:
    """A folder with the set and a store of the GPT-4 votes of CRAFT-MD."""
    folder = tmp_path_factory.mktemp("voted")
    (folder / "set.toml").write_text(SET)
    naming = FeatureSet.read(folder / "set.toml").open(Normalizer()).naming
    with VoteStore(folder / "votes.sqlite") as store:
        summary = import_table(
            shared_data / "craft_md_pairs.csv", store, naming=naming, a="expert", b="algorithm", verdict="label",
            model="gpt-4", rejects=folder / "rejects.csv",
        )  # fmt: skip
    assert summary.stored > 17_000
    return folder


def test_on_our_own_labels_they_cover_a_part(voted: Path, example: Path) -> None:
    """The example's labels are our own; of its pairs CRAFT-MD voted on some, so the limit has to be lowered to train."""
    with pytest.raises(InputError, match=r"vote_gpt4 is known for [12]\d\.\d % of the pairs"):
        fit(example / "pairs.csv", Recipe(voted / "set.toml", store=voted / "votes.sqlite"))
    result = fit(example / "pairs.csv", Recipe(voted / "set.toml", store=voted / "votes.sqlite", min_coverage=0.1))
    assert 0.1 < result.coverage["vote_gpt4"] < 0.3
    assert f"vote_gpt4 {result.coverage['vote_gpt4']:.1%}".replace("%", " %") in _card(result.matcher, voted)


def test_on_labels_of_the_classification(voted: Path, shared_data: Path, tmp_path: Path) -> None:
    """Pairs whose two names are names of ICD-10-CM, labelled by whether the category is one: GPT-4 had no part in it.

    The split is by reference. The vote is a feature that the trees use; a vote more or less changes a probability.
    """
    pairs = _labelled_by_category(shared_data / "craft_md_pairs.csv")
    result = fit(pairs, Recipe(voted / "set.toml", store=voted / "votes.sqlite", folds=3))
    m = result.matcher
    assert result.coverage["vote_gpt4"] > 0.99
    references = pairs.column("a").to_pylist()
    held_out = {name for name, unseen in zip(references, result.held_out, strict=True) if unseen}
    assert held_out.isdisjoint(name for name, unseen in zip(references, result.held_out, strict=True) if not unseen)
    assert m.metrics["held_out"]["pairs"] == int(result.held_out.sum()) > 300

    m.save(tmp_path / "m")
    again = dxmatch.load(tmp_path / "m", store=voted / "votes.sqlite")
    scored = again.score(pairs, features=True)
    np.testing.assert_array_equal(scored["probability"], m.score(pairs)["probability"])
    votes = np.array(scored["vote_gpt4"].to_pylist(), float)
    assert set(votes[~np.isnan(votes)]) == {0.0, 1.0}
    table = np.stack([np.array(scored[name].to_pylist(), np.float32) for name in m.features.names], axis=1)
    with_votes, without = table.copy(), table.copy()
    with_votes[:, 0], without[:, 0] = 1, 0
    assert (m.raw(with_votes) > m.raw(without)).mean() > 0.5
    with pytest.raises(dxmatch.errors.OptionError, match="store"):  # type: ignore[attr-defined]
        dxmatch.load(tmp_path / "m").probability("angina", "fever")


def _labelled_by_category(path: Path) -> pa.Table:
    table = read_table(path)
    m = dxmatch.load()
    sides = [table.text(column).to_pylist() for column in ("expert", "algorithm")]
    rows = [pair for pair in dict.fromkeys(zip(*sides, strict=True)) if None not in pair]
    naming = m.providers.naming
    a, b = naming([r[0] for r in rows]), naming([r[1] for r in rows])
    index = m.providers.icd_index("icd10cm", "shipped")
    category = [index.category_of(index.direct(side).nodes) for side in (a, b)]
    differ = np.array([x != y for x, y in zip(a, b, strict=True)])
    both = np.flatnonzero((category[0] >= 0) & (category[1] >= 0) & differ)
    # One row for a pair of names, in either order.
    once = {frozenset((a[i], b[i])): i for i in both.tolist()}
    kept = sorted(once.values())
    assert len(kept) > 2_000
    return pa.table(
        {
            "a": [a[i] for i in kept],
            "b": [b[i] for i in kept],
            "label": (category[0][kept] == category[1][kept]).astype(np.int8),
        }
    )


def _card(matcher: dxmatch.MatchFunction, folder: Path) -> str:  # type: ignore[name-defined]
    matcher.save(folder / "m", overwrite=True)
    return (folder / "m" / "CARD.md").read_text("utf-8")
