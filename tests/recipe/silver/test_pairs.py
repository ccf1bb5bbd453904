"""Silver pairs as a table: shares, folds_of, the checks of every pair, the command."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pytest

from dxmatch.errors import OptionError
from dxmatch.recipe.encoder.data import Synonyms
from dxmatch.recipe.silver import GENERATORS, silver_pairs, vocabulary
from dxmatch.recipe.silver.__main__ import app
from dxmatch.recipe.silver.pairs import counts
from dxmatch.recipe.silver.vocabulary import Vocabulary
from dxmatch.terms.icd.sources import open_tree
from dxmatch.terms.icd.tree import CATEGORY
from dxmatch.terms.text.normalizer import Normalizer


def keys(pairs: pa.Table) -> list[frozenset[str]]:
    normalizer = Normalizer()
    return [
        frozenset(map(normalizer, pair)) for pair in zip(pairs["a"].to_pylist(), pairs["b"].to_pylist(), strict=True)
    ]


def check(pairs: pa.Table) -> None:
    assert pairs.column_names == ["a", "b", "label", "kind", "group", "source"]
    assert all(
        GENERATORS[kind].label == label
        for kind, label in zip(pairs["kind"].to_pylist(), pairs["label"].to_pylist(), strict=True)
    )
    found = keys(pairs)
    assert all(len(key) == 2 and "" not in key for key in found)
    assert len(set(found)) == len(found)
    assert all(pairs["group"].to_pylist()) and all(pairs["source"].to_pylist())


def test_shares_are_scaled_and_counted() -> None:
    total = sum(kind.share for kind in GENERATORS.values())
    assert counts(None, 1000)["synonym"] == round(1000 * GENERATORS["synonym"].share / total)
    assert sum(counts(None, 10_000).values()) == pytest.approx(10_000, abs=len(GENERATORS) / 2)
    only = dict.fromkeys(GENERATORS, 0.0) | {"random": 0.1, "synonym": 0.3}
    assert counts(only, 100) == {"synonym": 75, "random": 25}


@pytest.mark.parametrize(
    ("shares", "n", "told"),
    [
        ({"sinonym": 0.1}, 10, "did you mean 'synonym'"),
        ({"synonym": 1.5}, 10, "'share synonym' parameter must be from 0 to 1"),
        (dict.fromkeys(GENERATORS, 0.0), 10, "above 0 for one kind at least"),
        ({}, 0, "'n' parameter must be 1 or more"),
    ],
)
def test_shares_that_cannot_be(shares: dict[str, float], n: int, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        counts(shares, n)


def test_the_same_again_and_another_seed(toy_sources: Path) -> None:
    pairs = silver_pairs(toy_sources, n=300, seed=1)
    check(pairs)
    assert pairs.equals(silver_pairs(toy_sources, n=300, seed=1))
    assert not pairs.equals(silver_pairs(toy_sources, n=300, seed=2))


def test_no_negative_is_known_to_be_one_disease(toy_sources: Path) -> None:
    pairs, vocabulary = silver_pairs(toy_sources, n=500), Vocabulary(toy_sources, Normalizer())
    for a, b, label in zip(*(pairs[name].to_pylist() for name in ("a", "b", "label")), strict=True):
        assert label or vocabulary.may_differ((a,), (b,)), (a, b)


def test_a_fold_has_names_of_that_fold_alone(toy_sources: Path) -> None:
    whole = Vocabulary(toy_sources, Normalizer())
    fold_of = {t: whole._fold_of[d] for t, d in whole.disease_of.items() if d >= 0}
    sizes = []
    for fold in range(5):
        pairs = silver_pairs(toy_sources, n=200, fold=fold)
        check(pairs)
        for key in keys(pairs):
            assert {fold_of[name] for name in key if name in fold_of} <= {fold}
        sizes.append(len(pairs))
    assert min(sizes) > 0
    with pytest.raises(OptionError, match="'fold' parameter must be 0 to 4"):
        silver_pairs(toy_sources, fold=5)


def test_the_command(toy_sources: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "silver.csv"
    arguments = ["--data", str(toy_sources), "-o", str(out), "-n", "100", "--share", "random=0.5", "--seed", "3"]
    app(arguments, result_action="return_value")
    shown = capsys.readouterr().out
    assert "other_site" in shown and "silver.csv" in shown.replace("\n", "")
    with out.open() as handle:
        kinds = Counter(row["kind"] for row in csv.DictReader(handle))
    others = sum(kind.share for name, kind in GENERATORS.items() if name != "random")
    assert kinds["random"] == round(100 * 0.5 / (others + 0.5))
    for share, told in (("randon=0.5", "did you mean 'random'"), ("random", "KIND=NUMBER")):
        with pytest.raises(SystemExit, match="1"):
            app([*arguments[:6], "--share", share])
        assert told in capsys.readouterr().err
    with pytest.raises(SystemExit, match="1"):
        app([*arguments[:2], "-o", "x.docx"])


def test_on_the_real_sources(shared_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vocabulary, "icd_synonyms", _titles)  # parsing ICD-10-CM takes seconds, its kept tree none
    pairs = silver_pairs(shared_data, n=400)
    check(pairs)
    kinds = Counter(pairs["kind"].to_pylist())
    assert set(kinds) == set(GENERATORS)
    assert all(kinds[name] == count for name, count in counts(None, 400).items())


def _titles() -> Synonyms:
    tree = open_tree("icd10cm")
    names = [tree.name(node) for node in range(len(tree)) if tree.kinds[node] == CATEGORY]
    return Synonyms("ICD-10-CM", names, names, [None] * len(names))
