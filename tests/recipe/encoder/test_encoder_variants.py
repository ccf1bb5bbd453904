"""Names in other words and names of other diseases, and the batches that they go into."""

from __future__ import annotations

from collections import Counter

import pytest

from dxmatch.recipe.encoder.variants import MAX_PHRASE_WORDS, Meaning, WordTable, word_table
from dxmatch.terms.text.normalizer import Normalizer

from ...case_table import cases

KIDNEY, LIVER = Meaning("site", ("kidney", "renal")), Meaning("site", ("liver", "hepatic", "hepar"))
STONE = Meaning("", ("stone", "calculus"))
TABLE = WordTable(
    [KIDNEY, LIVER, STONE, Meaning("course", ("acute",)), Meaning("course", ("long standing", "chronic"))]
)


def contrasts_of(name: str, table: WordTable = TABLE) -> list[str]:
    return [change.of(name.split()) for change in table.contrasts(name.split())]


@pytest.mark.parametrize(("name", "_", "expected", "why"), cases("silver", "contrasts"))
def test_contrasts_by_number_letter_prefix_and_table(name: str, _: str, expected: str, why: str) -> None:
    assert "; ".join(sorted(contrasts_of(name))) == expected, why


def test_the_table_is_sound() -> None:
    """Each phrase is as the normaliser writes it, stands once in a kind, and the table keeps apart what it must."""
    normalizer, table = Normalizer(), word_table()
    meanings = {meaning for found in table._of_phrase.values() for meaning in found}
    assert len(meanings) > 400
    for meaning in meanings:
        assert [normalizer(phrase) for phrase in meaning.phrases] == list(meaning.phrases)
        assert all(len(phrase.split()) <= MAX_PHRASE_WORDS for phrase in meaning.phrases), meaning
        assert len(meaning.phrases) > 1 or meaning.kind, meaning
    in_kind = Counter((meaning.kind, phrase) for meaning in meanings if meaning.kind for phrase in meaning.phrases)
    assert max(in_kind.values()) == 1, in_kind.most_common(3)
    assert "non hodgkin lymphoma" in contrasts_of("hodgkin lymphoma", table)
    assert "hodgkin lymphoma" in contrasts_of("non hodgkin lymphoma", table)
    assert not set(contrasts_of("kidney cyst", table)) & {"renal cyst", "nephric cyst"}
