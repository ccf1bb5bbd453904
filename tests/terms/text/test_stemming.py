"""The stem against NLTK's, and the tagger's rule on which the ratio of tagged words rests."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dxmatch.terms.text.stemming import english_stem

ENDINGS = (
    "ization", "ational", "fulness", "ousness", "iveness", "tional", "biliti", "lessli", "entli", "ation", "alism",
    "aliti", "ousli", "iviti", "fulli", "enci", "anci", "abli", "izer", "ator", "alli", "bli", "ogi", "li", "alize",
    "icate", "iciti", "ative", "ical", "ness", "ful", "ement", "ance", "ence", "able", "ible", "ment", "ant", "ent",
    "ism", "ate", "iti", "ous", "ive", "ize", "ion", "al", "er", "ic", "e", "l", "s", "ed", "ing", "eed", "eedly",
    "ingly", "edly", "sses", "ied", "ies", "us", "ss", "y", "ly", "'s", "'s'", "'",
)  # fmt: skip
MADE = st.builds(
    lambda start, ends: start + "".join(ends),
    st.text("aeiouybcdlstngzrx'", max_size=6),
    st.lists(st.sampled_from(ENDINGS), max_size=3),
)


@pytest.fixture(scope="module")
def oracle():
    from nltk.stem.snowball import EnglishStemmer

    return EnglishStemmer().stem


@settings(deadline=None, max_examples=2000)
@given(
    word=st.one_of(MADE, st.text(max_size=12), st.sampled_from(["dying", "skies", "generally", "arsenic", "communes"]))
)
@example(word="’tis")
@example(word="ykeeyy")
def test_it_is_the_stem_of_nltk(word: str, oracle) -> None:
    assert english_stem(word) == oracle(word)


def test_stems_of_diagnoses() -> None:
    """By the steps of the algorithm: -ures to -ur, -ial to -i (R1 of myocardial is "ardial"), -itis stays."""
    words = ["failures", "failure", "myocardial", "bleeding", "infected", "ulceration", "hepatitis", "skies", "is"]
    stems = ["failur", "failur", "myocardi", "bleed", "infect", "ulcer", "hepat", "sky", "is"]
    assert [english_stem(word) for word in words] == stems


def test_the_tagger_looks_at_each_word_alone() -> None:
    """So the sets of tagged words tell the same as the sets of words, and no tag need be computed for a ratio."""
    from textblob.en.taggers import PatternTagger

    tagger = PatternTagger()
    names = ["acute on chronic renal failure", "left to right shunt", "is not to be bleeding", "aids related 2 aids"]
    words = sorted({word for name in names for word in name.split()})
    alone = {word: tagger.tag(word, tokenize=False)[0][1] for word in words}
    for name in [*names, " ".join(words), " ".join(reversed(words))]:
        assert dict(tagger.tag(name, tokenize=False)) == {word: alone[word] for word in name.split()}
