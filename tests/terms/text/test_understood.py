"""What is no diagnosis that M can know of, and that nothing else is called so; an unknown word is read as the known one that is a slip or two away."""

from __future__ import annotations

import csv
import time
from collections import Counter, defaultdict
from pathlib import Path

import pytest

from dxmatch.terms.icd.naming import SCRIPT, Naming, mixed_scripts, ways_apart
from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.terms.text.sentences import is_nothing
from dxmatch.terms.text.vocabulary import Vocabulary

from ...case_table import cases
from ...small_vocabulary import small_vocabulary

N = Normalizer()
NAMING = Naming(N, None, small_vocabulary())
CORRECTED = small_vocabulary().corrected


@pytest.mark.parametrize(("raw", "reason"), cases("understood", "not understood"))
def test_not_understood(raw: str, reason: str) -> None:
    assert NAMING.read([raw])[0].not_understood == (reason or None)


def test_a_whole_name_is_never_taken_apart_and_cyrillic_is_a_script_of_russian() -> None:
    both = {1: ("gout",), 2: ("asthma",), 3: ("gout, asthma",)}
    assert Naming(N, None, small_vocabulary(names=both)).read(["gout, asthma"])[0].not_understood is None
    naming = Naming(Normalizer("ru"), None, small_vocabulary(language="ru"))
    for raw, reason in (("инфаркт миокарда", None), ("高脂血症", SCRIPT), ("нет; n/a", None)):
        assert naming.read([raw])[0].not_understood == reason


@pytest.mark.slow
def test_next_to_no_real_diagnosis_is_refused(shared_data: Path) -> None:
    """With every disease known but each fifth."""
    diseases: dict[str, set[str]] = defaultdict(set)
    with (shared_data / "disease_names.csv").open(encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    for row in rows:
        if int(row["disease"].encode().hex(), 16) % 5:
            diseases[N(row["name"])].add(row["disease"])
    words = Counter(word for name in diseases for word in set(name.split()))
    naming = Naming(N, None, Vocabulary(words, lambda name: diseases.get(name, ())))
    with (shared_data / "craft_md_pairs.csv").open(encoding="utf-8") as handle:
        said = sorted({row[side] for row in csv.DictReader(handle) for side in ("expert", "algorithm")})
    for texts in (said, [row["name"] for row in rows]):
        refused = [one for one in naming.read(text for text in texts if N(text)) if one.not_understood]
        assert len(refused) <= 0.005 * len(texts)


@pytest.mark.parametrize(("text", "mixed"), cases("understood", "mixed scripts"))
def test_mixed_scripts(text: str, mixed: str) -> None:
    assert mixed_scripts(text) == mixed.split()


@pytest.mark.parametrize(
    "raw", ["gout ; asthma", "gout\n \r\nasthma", "gout vs. asthma", "gout / / asthma", "1. gout 2) asthma"]
)
def test_parts_come_without_the_blanks_around_them(raw: str) -> None:
    assert ["gout", "asthma"] in [way for way, _ in ways_apart(raw)]


@pytest.mark.parametrize(
    "raw", ["a" * 9_999 + "!", "aaa " * 2_400 + "b", "gout" + " " * 50_000 + "b; c", " or" * 20_000]
)
def test_what_is_said_again_and_again_takes_no_more_time_than_its_length(raw: str) -> None:
    """Each way to cut a run of one letter into threes was tried, and there are exponentially many."""
    began = time.thread_time()
    ways_apart(raw)
    if len(raw) <= 10_000:
        NAMING.read([raw])
    assert time.thread_time() - began < 1
    assert [is_nothing(text) for text in ("xxxx", "aaaaaa bbb", "xx", "xxxxy")] == [True, True, False, False]


@pytest.mark.parametrize(("written", "read"), cases("understood", "slip"))
def test_slips_are_read_as_what_was_meant_and_nothing_else_is(written: str, read: str) -> None:
    name, changed = CORRECTED(N(written))
    assert name == read and len(changed) == (N(written) != read)


def test_what_could_be_two_things_or_has_another_prefix_is_left() -> None:
    near = {"maxillary": 30, "mammillary": 25, "hypertelorism": 90, "macrophthalmia": 90}
    assert [Vocabulary(near).corrected(word)[0] for word in ("maxmillary", "hypotelorism", "microphthalmos")] == ["maxmillary", "hypotelorism", "microphthalmos"]  # fmt: skip
    assert Vocabulary(near | {"maxillary": 800}).corrected("maxmillary")[0] == "maxillary"


def test_what_was_changed_is_named_once_and_letters_of_another_script_are_read_as_they_look() -> None:
    assert CORRECTED("astma or astma") == ("asthma or asthma", (("astma", "asthma"),))
    assert CORRECTED("\u0430sthma") == ("asthma", (("\u0430sthma", "asthma"),))
    assert CORRECTED("\u0441\u0435\u0440\u0441\u0438\u0441")[1] == ()
    assert small_vocabulary(language="ru").corrected("myocardial infraction") == ("myocardial infraction", ())
    knows = small_vocabulary().knows
    assert knows("neurosarcoma") and knows("nonpneumonia") and not knows("herzinfarkt")
