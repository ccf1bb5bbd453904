"""What is no diagnosis that M can know of, and that nothing else is called so; an unknown word is read as the known one that is a slip or two away."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path

import pytest

from dxmatch.terms.icd.naming import SCRIPT, Naming, mixed_scripts
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.terms.text.vocabulary import Vocabulary

from ...case_table import cases, rows_of
from ...small_vocabulary import small_vocabulary

N = Normalizer()
NAMING = Naming(N, vocabulary=small_vocabulary())


@pytest.mark.parametrize(("raw", "reason"), cases("understood", "not understood"))
def test_not_understood(raw: str, reason: str) -> None:
    assert NAMING.read([raw])[0].not_understood == (reason or None)


def test_a_whole_name_is_never_taken_apart_and_cyrillic_is_a_script_of_russian() -> None:
    both = {1: ("gout",), 2: ("asthma",), 3: ("gout, asthma",)}
    assert Naming(N, vocabulary=small_vocabulary(names=both)).read(["gout, asthma"])[0].not_understood is None
    russian = Naming(Normalizer("ru"), vocabulary=small_vocabulary(language="ru"))
    found = [one.not_understood for one in russian.read(["инфаркт миокарда", "高脂血症", "нет; n/a"])]
    assert found == [None, SCRIPT, None]


@pytest.mark.slow
def test_next_to_no_real_diagnosis_is_refused(shared_data: Path) -> None:
    """With every disease known but each fifth."""
    diseases: dict[str, set[str]] = defaultdict(set)
    rows, pairs = (rows_of(shared_data / f"{name}.csv") for name in ("disease_names", "craft_md_pairs"))
    for row in rows:
        if int(row["disease"].encode().hex(), 16) % 5:
            diseases[N(row["name"])].add(row["disease"])
    words = Counter(word for name in diseases for word in set(name.split()))
    naming = Naming(N, vocabulary=Vocabulary(words, lambda name: diseases.get(name, ())))
    said = sorted({row[side] for row in pairs for side in ("expert", "algorithm")})
    for texts in (said, [row["name"] for row in rows]):
        refused = [one for one in naming.read(texts) if one.not_understood]
        assert len(refused) <= 0.005 * len(texts)


@pytest.mark.parametrize(("text", "mixed"), cases("understood", "mixed scripts"))
def test_mixed_scripts(text: str, mixed: str) -> None:
    assert mixed_scripts(text) == mixed.split()


@pytest.mark.parametrize(("written", "read"), cases("understood", "slip"))
def test_slips_are_read_as_what_was_meant_and_nothing_else_is(written: str, read: str) -> None:
    (found,) = NAMING.read([written])
    assert found.name == read and len(found.read_as) == (N(written) != read)


def test_what_could_be_two_things_or_has_another_prefix_is_left() -> None:
    near = {"maxillary": 30, "mammillary": 25, "hypertelorism": 90, "macrophthalmia": 90}
    left = ["maxmillary", "hypotelorism", "microphthalmos"]
    assert Naming(N, vocabulary=Vocabulary(near))(left) == left
    assert Naming(N, vocabulary=Vocabulary(near | {"maxillary": 800}))(left[:1]) == ["maxillary"]


def test_what_was_changed_is_named_once_and_letters_of_another_script_are_read_as_they_look() -> None:
    slip, cyrillic, russian = NAMING.read(["astma with astma", "\u0430sthma", "\u0441\u0435\u0440\u0441\u0438\u0441"])
    assert (slip.name, slip.read_as) == ("asthma with asthma", (("astma", "asthma"),))
    assert (cyrillic.name, cyrillic.read_as) == ("asthma", (("\u0430sthma", "asthma"),))
    assert russian.read_as == ()
    assert Naming(N, vocabulary=small_vocabulary(language="ru"))(["myocardial infraction"]) == ["myocardial infraction"]
