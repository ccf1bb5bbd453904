"""The normaliser and what reads a name after it, on any Unicode: never raises, its own fixed point, no more time than the length asks for."""

from __future__ import annotations

from functools import cache

from hypothesis import example, given
from hypothesis import strategies as st

from dxmatch.files.limits import MAX_CHARACTERS
from dxmatch.terms.icd.naming import REASONS, Naming
from dxmatch.terms.text.assertion import assertion_of
from dxmatch.terms.text.normalizer import LANGUAGES, Normalizer
from dxmatch.terms.text.vocabulary import Vocabulary

from ..case_table import cases
from .hostile import assert_quick, examples

MOST_SECONDS = 0.5
"""Of processor time for 10,000 characters."""

_WORDS = (
    "heart attack", "MI", "type II", "pre-", "eclampsia", "(SLE)", "systemic lupus erythematosus", "no evidence of", "r/o", "possible",
    "w/", "w/o", "HER2+", "HIV-", "Crohn's", "’s", "'", "non", "not", "history of", "h/o", "grade three", "1.", "12)", "and", "or", "/", ",",
    "инфаркт", "миокарда", "ИМ", "без", "ё", "β-", "α", "≥", "&", "_", "𝐌𝐈", "ﬁ", "İ", "ẞ", "ß", "ǅ", "㎎", "½", "²", "①", "Ⅻ",
)  # fmt: skip
_SIGNS = "()[]{}<>+-'’`&/\\.,;:!?\"%#=*_|~^\n\r\t\v\f\0\x1b\x85\u2028\u2029 \u00a0\u3000"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff\u061c\ufe0f\U000e0041"
_MARKS = "\u0300\u0301\u0308\u030a\u0327\u0345\u0483\u20dd\u0f71\u0f72\u3099\u1161\u11a8"
_HALVES = "\ud800\udbff\udc00\udfff"

piece = st.one_of(
    st.sampled_from(_WORDS),
    st.sampled_from(sorted({word for raw, _ in cases("normalised", "en") for word in raw.split()})),
    st.sampled_from([*_SIGNS, *_INVISIBLE, *_MARKS, *_HALVES]),
    st.text(st.characters(), max_size=8),  # surrogates among them
)
short = st.lists(piece, max_size=14).map("".join) | st.lists(piece, max_size=10).map(" ".join)
long = st.tuples(st.lists(piece, min_size=1, max_size=4).map("".join), piece, st.booleans()).map(
    lambda made: (made[0] * MAX_CHARACTERS)[: MAX_CHARACTERS - len(made[1])] + made[1] if made[2]
    else made[1] + (made[0] * MAX_CHARACTERS)[: MAX_CHARACTERS - len(made[1])]
)  # fmt: skip


@cache
def _readers() -> list[tuple[Normalizer, Naming]]:
    words = {"heart": 90, "attack": 90, "systemic": 50, "lupus": 40, "erythematosus": 40, "миокарда": 30, "инфаркт": 30}
    normalizers = [Normalizer(language) for language in LANGUAGES]
    return [(one, Naming(one, None, Vocabulary(words, language=one.language))) for one in normalizers]


@examples()
@given(short)
@example("ῢ")
def test_a_name_is_its_own_fixed_point(text: str) -> None:
    for normalizer, naming in _readers():
        name = normalizer(text)
        again = normalizer(name)
        assert again == name, f"{normalizer.language}: {name!r} becomes {again!r}"
        assert name == " ".join(name.split()), f"blanks in {name!r}"
        assert name == name.casefold() == normalizer(f"  {text}\t") == normalizer(f"\ufeff{text}\u2060"), repr(name)
        assert all(map(str.isalnum, name.split())), repr(name)
        if len(text) < 400:
            shown = "".join(between + "\u200b" for between in text)
            assert normalizer(shown) == name, f"with zero-width spaces it is {normalizer(shown)!r}, without {name!r}"
        said = assertion_of(name, normalizer.language)
        assert not any(map(str.isspace, (said.core[:1], said.core[-1:]))), said
        if name:
            assert naming.read([text])[0].not_understood in (*REASONS, None)


@examples(10)
@given(long)
def test_no_name_is_slow_to_read(text: str) -> None:
    for normalizer, naming in _readers():
        name = normalizer(text)
        parts = {
            "normaliser": lambda n=normalizer: n(text),
            "assertion": lambda n=normalizer, name=name: assertion_of(name, n.language),
            "naming": lambda n=naming, name=name: n.read([text] if name else []),
        }
        assert_quick(parts, MOST_SECONDS, len(text))
