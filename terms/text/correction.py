"""Spelling: an unknown word is read as the known word that is a slip or two away, where no other is as near.

A slip is a letter left out, put in, changed, or swapped with its neighbour (optimal string alignment, of which Damerau (1964)
found that one makes 80 % of misspellings).
"""

from __future__ import annotations

from functools import cache, lru_cache

from .scripts import latin_look
from .vocabulary import NEVER_ENGLISH, Vocabulary, rows_in, words_in

SHORTEST_FOR_ONE, SHORTEST_FOR_TWO = 5, 8
"""Letters of a word that one slip, that two slips may be found in."""

MUCH_COMMONER = 20
"""So many times as many names as each rival hold the reading of a word that has several as near."""

COMMON_FOR_ONE = {5: 20, 6: 10, 7: 10}
"""So many names hold what a short word is mended into by one slip, by its letters; a longer one is seldom another word."""

COMMON = 15
"""So many names hold what is two slips away, or has another first letter."""

COMMON_FOR_TWO = {8: 50, 9: 50}
"""The same for short words and two slips."""

_WORDS_KEPT = 1 << 16

Corrections = tuple[tuple[str, str], ...]
"""What was written, and what it was read as."""


class Correction:
    """Corrects normalised names by a vocabulary. Safe to share between threads: what it keeps is made of pure functions."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._read = lru_cache(_WORDS_KEPT)(self._found)
        self._confusions = _confusions(vocabulary.language)

    def __call__(self, name: str) -> tuple[str, Corrections]:
        """The name as it was meant, and the words that were read as others.

        >>> Correction(Vocabulary({"asthma": 80}))("severe astma")
        ('severe asthma', (('astma', 'asthma'),))
        """
        words = name.split(" ")
        read = [self._confused(word, words) if word in self._confusions else self.reading(word) for word in words]
        if read == words:
            return name, ()
        changed = dict.fromkeys((word, other) for word, other in zip(words, read, strict=True) if word != other)
        return " ".join(read), tuple(changed)

    def _confused(self, word: str, words: list[str]) -> str:
        """A word that is taken for another one in diagnoses, each of which is right elsewhere: "infraction"."""
        meant, beside = self._confusions[word]
        return meant if not beside or not beside.isdisjoint(words) else word

    def reading(self, word: str) -> str:
        """What a single word is read as: itself where it is known, or where nothing is clearly meant."""
        return self._read(word)[0]

    def _found(self, word: str) -> tuple[str, bool]:
        """The reading of a word, and whether it is known or near a word that is."""
        if self.vocabulary.knows(word):
            return word, True
        if word in NEVER_ENGLISH:  # "nicht" is no slip of "night"
            return word, False
        if look := self._looked_like(word):
            return look, True
        return self._nearest(word)

    def _looked_like(self, word: str) -> str | None:
        """The known word that a word with letters of another script looks like."""
        look = word if word.isascii() else latin_look(word)
        return look if look != word and look.isascii() and self.vocabulary.knows(look) else None

    def is_kin(self, word: str) -> bool:
        """Whether a word is known, or within the slips of one that is, though it may be no slip: "diabete", "neonatalis"."""
        return self._read(word)[1]

    def _nearest(self, word: str) -> tuple[str, bool]:
        if len(word) < SHORTEST_FOR_ONE or not word.isalpha():
            return word, False
        words = self.vocabulary.words
        if word.endswith("s") and words.get(word[:-1], 0) > 1:
            return word[:-1], True  # "parkinsons"
        found = self._within(word, 1)
        if not found and len(word) >= SHORTEST_FOR_TWO:
            found = self._within(word, 2) or (self._within(word[:-1], 2) if word.endswith("s") else [])
        (count, best), *rivals = sorted(found, reverse=True) or [(0, "")]
        is_other = not best or _is_form_of(word, best) or _other_prefix(word, best)
        if is_other or any(count < MUCH_COMMONER * n and not _of_one_stem(best, rival) for n, rival in rivals):
            return word, best != ""
        return best, True

    def _within(self, word: str, slips: int) -> list[tuple[int, str]]:
        """(names, word) of the words so many slips away, at most, that are common enough to be what was meant."""
        from rapidfuzz import process
        from rapidfuzz.distance import OSA, Prefix

        words, by_form = self.vocabulary.words, self.vocabulary.by_form
        least = (COMMON_FOR_ONE if slips == 1 else COMMON_FOR_TWO).get(len(word), 1 if slips == 1 else COMMON)
        near: set[str] = set()
        for length in range(len(word) - slips, len(word) + slips + 1):
            choices = by_form.get((word[0], length), ())
            near.update(
                each
                for each, _, _ in process.extract(word, choices, scorer=OSA.distance, score_cutoff=slips, limit=None)
            )
        if slips == 2:  # two letters of the end are another ending: "thyroxin" is no slip of "thyroid"
            near = {each for each in near if Prefix.similarity(word, each) <= max(len(word) - 5, 3)}
            near = {each for each in near if word[:_SURE] == each[:_SURE]}
        near = {each for each in near if words[each] >= least}
        if slips == 1 and len(word) > SHORTEST_FOR_ONE + 1:
            near.update(each for each in _first_letter_mended(word) if words.get(each, 0) >= COMMON)
        return [(words[each], each) for each in near]


_SURE = 3
"""First letters that are right where two others are wrong: "friability" is no slip of "fragility"."""


def _first_letter_mended(word: str) -> list[str]:
    """`word` with its first letter swapped with the next, left out, or set before it: "npeumonia", "neumonia".

    No other letter in its place, since that is how names of people differ; and no "a", which denies.
    """
    out = [word[1] + word[0] + word[2:], *(letter + word for letter in "bcdefghijklmnopqrstuvwxyz")]
    return out if word[0] == "a" else [*out, word[1:]]


_PREFIXES = words_in(
    "macro micro hyper hypo phono photo intra inter poly oligo normo endo ecto exo epi peri para pre post hemi tachy brady "
    "pachy brachy dys mono anti ante sub supra infra super non"
)


def _other_prefix(word: str, other: str) -> bool:
    """Whether a word begins as its reading does not, and says another thing by it: "hypotelorism", "hypertelorism"."""
    return any(word.startswith(prefix) and not other.startswith(prefix) for prefix in _PREFIXES)


def _of_one_stem(one: str, other: str) -> bool:
    """Whether two readings differ in their last letters alone ("diabetes", "diabetic"), so that either says much the same."""
    from rapidfuzz.distance import Prefix

    return Prefix.similarity(one, other) >= max(len(one), len(other), 7) - 2


_FORMS = words_in(
    "a al ally an ar ary ae e ed en er ers es ese i ia ian ias ic ica ical icum icus ide ies iform in ine ing ion ist itic ium ius "
    "ive o oid oidal oma omas on one or ose osis oses ostomy otic otomy ous s sis ses tic um us y yl"
)
_NO_ENDINGS = ("itus", "ites", "itys", "emea", "imea", "alga")


def _is_form_of(word: str, other: str) -> bool:
    """Whether two words differ in their endings alone, and both have one of Latin, Greek or English: no slip.

    "granulomatous" and "granulomatosis"; but "arthritus" is a slip, since nothing ends in "-itus" but -itis.
    """
    from rapidfuzz.distance import Prefix

    same = Prefix.similarity(word, other)
    if same < 4 or word.endswith(_NO_ENDINGS):
        return False
    for at in range(max(same - 2, 4), same + 1):
        ending, meant = word[at:], other[at:]
        if ending in _FORMS and (not meant or meant in _FORMS or (meant == "is" and ending not in ("i", "s", "sis"))):
            return True
        if ending == "is" and not meant:
            return True  # "neonatalis"
    return False


@cache
def _confusions(language: str) -> dict[str, tuple[str, frozenset[str]]]:
    """`{"infraction": ("infarction", {"myocardial", …})}`; a word without such neighbours is read so anywhere."""
    return {row["written"]: (row["read"], words_in(row["beside"])) for row in rows_in("confusions", language)}
