"""Rules over the words of a diagnosis, one set per language: numerals, compounds, words that say nothing, hedges."""

from __future__ import annotations

from collections.abc import Sequence

from .vocabulary import words_in


def _numbered(words: str) -> dict[str, str]:
    return {word: str(number) for number, word in enumerate(words.split(), start=1)}


_ROMAN = _numbered("i ii iii iv v vi vii viii ix x")
_IN_WORDS = _numbered("one two three four five six seven eight nine ten")
_ROMAN_ONLY = {"ii": "2", "iii": "3", "vii": "7", "viii": "8", "ix": "9", "xi": "11", "xii": "12"}
"""Numerals wherever they stand; iv (intravenous), v, i, x (X-linked) only after a word that counts."""
_WITH_LETTER = frozenset(a + b for a in ("i", "ii", "iii", "iv") for b in "abcабв")

_COUNTS = words_in(
    "type stage grade class factor phase level group category types stages grades degree bipolar nerve killip nyha "
    "gold figo mucopolysaccharidosis mucolipidosis glycogenosis hyperlipoproteinemia antithrombin collagen"
)
_JOINS = words_in(
    "pre hyper hypo peri endo intra extra sub supra infra retro poly multi hemi pseudo micro gastro broncho cardio "
    "cerebro neuro osteo thrombo hepato genito cranio tracheo naso"
)
_STANDS_ALONE = words_in("syndrome disease with from type")
_AFTER_POST = words_in(
    "traumatic infectious infective surgical streptococcal viral operative partum herpetic menopausal thrombotic "
    "concussion concussional concussive natal nasal ictal term prandial dural inflammatory"
)
_NOT_NEGATED = words_in("nonsense nonaka nonagenarian nonanoic")
_SAYS_NOTHING = words_in("nos unspecified the an")
_HEDGES = words_in("suspected probable possible presumed presumptive likely query")
_HEDGE_PHRASES = frozenset(
    (
        ("rule", "out"), ("suspicion", "of"), ("suspicious", "for"), ("concern", "for"), ("consistent", "with"),
        ("compatible", "with"), ("case", "of"), ("diagnosis", "of"),
    )
)  # fmt: skip
_GREEK = words_in("alpha beta gamma delta")

_RU_SAYS_NOTHING = words_in(
    "неуточненный неуточненная неуточненное неуточненные неуточненного неуточненной неуточненных бду"
)
_RU_HEDGES = words_in(
    "вероятный вероятная вероятное возможный возможная возможное вероятно возможно предположительно подозрение"
)
_RU_HEDGE_PHRASES = frozenset((("подозрение", "на"),))
_RU_ENDINGS = words_in("го й я ой ая ый ое е ей му м")
_RU_ROMAN = {numeral: digit for numeral, digit in _ROMAN.items() if numeral != "x"}


NEGATED = "non"


def _english(words: Sequence[str]) -> list[str]:
    out: list[str] = []
    counted = False  # the last word is a number after a word that counts: "stage 3 (iv)"
    said = f" {' '.join(words)} ".replace(" not otherwise specified ", " ").split()
    for here, word in enumerate(said):
        if word in _SAYS_NOTHING:
            continue
        last = out[-1] if out else ""
        if last in _COUNTS:
            counted = True
            if word == "x" and "linked" in said[here + 1 : here + 2]:
                counted = False
            elif (digit := _ROMAN.get(word) or _IN_WORDS.get(word)) is not None:
                word = digit
            elif word in _WITH_LETTER:
                word = _ROMAN[word[:-1]] + word[-1]
            else:
                counted = word.isdigit()
        elif word in _ROMAN_ONLY:
            word = _ROMAN_ONLY[word]
        elif counted and word in ("iv", "vi"):
            word = _ROMAN[word]
        else:
            counted = False
        if len(word) >= 4 and word.isalpha() and word not in _STANDS_ALONE:
            if last in _JOINS or (last == "post" and word in _AFTER_POST):
                out[-1] = last + word
                continue
            if len(word) >= 7 and word.startswith(NEGATED) and word not in _NOT_NEGATED:
                out += [NEGATED, word[3:]]
                continue
        out.append(word)
    return out or list(words)


def _is_name(word: str) -> bool:
    """Whether an "a" before `word` can be an article: not in "A beta amyloidosis"."""
    return len(word) >= 4 and word.isalpha() and word not in _GREEK


def _russian(words: Sequence[str]) -> list[str]:
    out: list[str] = []
    for word in words:
        if word in _RU_SAYS_NOTHING or (word in _RU_ENDINGS and out and out[-1].isdigit()):
            continue
        if word in _RU_ROMAN:
            word = _RU_ROMAN[word]
        elif word in _WITH_LETTER:
            word = _ROMAN[word[:-1]] + word[-1]
        out.append(word)
    return out or list(words)


def without_hedges(words: list[str], language: str) -> list[str]:
    """Hedges off the front, English ones off the end too."""
    hedges, phrases = (_HEDGES, _HEDGE_PHRASES) if language == "en" else (_RU_HEDGES, _RU_HEDGE_PHRASES)
    while len(words) > 1 and words[:2] != ["query", "fever"]:
        if tuple(words[:2]) in phrases and len(words) > 2:
            words = words[2:]
        elif words[0] in hedges or (language == "en" and words[0] == "a" and _is_name(words[1])):
            words = words[1:]
        elif language == "en" and words[-1] in hedges:
            words = words[:-1]
        else:
            break
    return words


def ruled(words: Sequence[str], language: str) -> list[str]:
    """The rules of a language for numerals, compounds and words that say nothing."""
    return _english(words) if language == "en" else _russian(words)


SPECIAL = {
    "en": words_in("a post not").union(
        _COUNTS, _JOINS, _SAYS_NOTHING, _HEDGES, _ROMAN_ONLY, (phrase[0] for phrase in _HEDGE_PHRASES)
    ),
    "ru": _RU_SAYS_NOTHING | _RU_HEDGES | _RU_ENDINGS | _RU_ROMAN.keys() | _WITH_LETTER,
}
"""The words without which the rules of a language change nothing; "non…" aside, see `NEGATED`."""
