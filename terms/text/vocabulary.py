"""The words that are known, the names that are, and forms of words: what tells a slip or another language from a rare disease.

An unknown word is read as the known word that is a slip or two away, where no other is as near. A slip is a letter left out, put in,
changed, or swapped with its neighbour (optimal string alignment, of which Damerau (1964) found that one makes 80 % of misspellings).
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping
from functools import cached_property, lru_cache
from importlib import resources

SHORTEST_PART = 4
"""The shortest word, in letters, that a compound is taken apart into: "broncho" and "pneumonia"."""
COMMON_PART = 3
"""So many names at least hold each of the two."""

_WORDS_KEPT = 1 << 16
STEM, WORDS_OF_A_STEM = 6, 4
"""So many letters are a stem, where so many words of diagnoses begin with them."""


def words_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


def rows_in(table: str, language: str) -> list[dict[str, str]]:
    """Of a table of words beside this file, `TABLE_LANGUAGE.csv`; none where a language has no such table."""
    file = resources.files(__package__ or "") / f"{table}_{language}.csv"
    return list(csv.DictReader(file.read_text("utf-8").splitlines())) if file.is_file() else []


_PREFIXES = words_in(
    "hyper hypo non un in im pre post peri endo intra inter extra sub supra infra retro anti poly multi hemi pseudo micro "
    "macro neuro osteo cardio cerebro gastro hepato broncho cranio thrombo angio myo adeno fibro chondro lympho hemato "
    "pan para epi meso tri bi di mono auto immuno radio naso oro laryngo tracheo pneumo pleuro pericardio encephalo "
    "meningo myelo radiculo spondylo arthro dermo dermato kerato oculo rhino oto uro nephro pyelo cysto utero vagino "
    "cervico colo entero procto ileo jejuno duodeno esophago cholangio cholecysto pancreato spleno sarco carcino lipo "
    "co hydro pyo crypto idio re de dis over under trans ultra semi super "
    "thoraco lumbo sacro costo sterno abdomino pelvi scroto tubo salpingo oophoro veno arterio vaso"
)

NEVER_ENGLISH = words_in(" ".join(row["words"] for row in rows_in("never_english", "en")))
"""No slips of English words; where one stands, the text is of another language. Words that deny ("kein Asthma" would be an asthma), false
friends (German "Hypertonie" is high blood pressure, no hypertonia), and what is common in diagnoses and far from any English word."""

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
_SURE = 3
"""First letters that are right where two others are wrong: "friability" is no slip of "fragility"."""
_LATIN_LOOK = str.maketrans("аеорсухіјѕвкмнт", "aeopcyxijsbkmht")
"""Small Cyrillic letters, and those whose capitals look so: a Cyrillic "а" in "аsthma" looks right and matches nothing."""

Corrections = tuple[tuple[str, str], ...]
"""What was written, and what it was read as."""


class Vocabulary:
    """Words of diagnoses, English at large, and whole names; corrects normalised names by them.

    Parameters
    ----------
    words : normalised word -> how many names hold it.
    diseases_of : what a normalised name is a name of; nothing where it is no name that is known.
    language : "en" also knows English at large; "ru" and others know `words` alone.

    Safe to share between threads: what it keeps is made of pure functions.
    """

    def __init__(
        self,
        words: Mapping[str, int],
        diseases_of: Callable[[str], Collection[Hashable]] = lambda name: (),
        language: str = "en",
    ) -> None:
        self.words, self.diseases_of, self.language = words, diseases_of, language
        self.knows, self.found = lru_cache(_WORDS_KEPT)(self._knows), lru_cache(_WORDS_KEPT)(self._found)
        # {"infraction": ("infarction", {"myocardial", …})}; a word without such neighbours is read so anywhere: as itself where it is no slip ("clonus")
        rows = rows_in("confusions", language)
        self._confusions = {row["written"]: (row["read"], words_in(row["beside"])) for row in rows}

    def is_name(self, name: str) -> bool:
        """Whether a normalised text is the whole name of a disease."""
        return bool(self.diseases_of(name))

    def _knows(self, word: str) -> bool:
        """Whether a normalised word is known: a word of diagnoses, of the language, or made of two such."""
        is_plain = word in self.words or len(word) == 1 or not word.isalpha()
        return is_plain or self.is_english(word) or self._is_compound(word)

    def is_english(self, word: str) -> bool:
        """Whether English at large has the word; False in a model of another language."""
        if self.language != "en" or not word.isascii():
            return False
        import simplemma

        return simplemma.is_known(word, lang="en")

    def has_stem_of(self, word: str) -> bool:
        """Whether a word begins as words of diagnoses do, six letters or more: "hematochezia", as "hematoma"."""
        return word[:STEM] in self._stems

    @cached_property
    def _stems(self) -> frozenset[str]:
        begun = Counter(word[:STEM] for word in self.words if len(word) > STEM)
        return frozenset(stem for stem, words in begun.items() if words >= WORDS_OF_A_STEM)

    def _is_compound(self, word: str) -> bool:
        """Whether a word is a known one after a prefix ("retropharyngeal"), or two known ones ("hepatocarcinoma")."""
        for prefix in _PREFIXES:
            rest = word[len(prefix) :]
            if len(rest) > SHORTEST_PART and word.startswith(prefix) and (rest in self.words or self.is_english(rest)):
                return True
        cuts = range(SHORTEST_PART, len(word) - SHORTEST_PART + 1)
        return any(min(self.words.get(word[:at], 0), self.words.get(word[at:], 0)) >= COMMON_PART for at in cuts)

    @cached_property
    def by_form(self) -> dict[tuple[str, int], list[str]]:
        """What a slip may be read as: words of letters alone in two names or more, or in English too; by first letter and length."""
        found: dict[tuple[str, int], list[str]] = {}
        for word, count in self.words.items():
            if word.isalpha() and (count > 1 or self.is_english(word)):
                found.setdefault((word[0], len(word)), []).append(word)
        return found

    def corrected(self, name: str) -> tuple[str, Corrections]:
        """The name as it was meant, and the words that were read as others.

        >>> Vocabulary({"asthma": 80}).corrected("severe astma")
        ('severe asthma', (('astma', 'asthma'),))
        """
        words = name.split(" ")
        read = [self._confused(word, words) if word in self._confusions else self.found(word)[0] for word in words]
        if read == words:
            return name, ()
        changed = dict.fromkeys((word, other) for word, other in zip(words, read, strict=True) if word != other)
        return " ".join(read), tuple(changed)

    def _confused(self, word: str, words: list[str]) -> str:
        """A word that is taken for another one in diagnoses, each of which is right elsewhere: "infraction"."""
        meant, beside = self._confusions[word]
        return meant if not beside or not beside.isdisjoint(words) else word

    def _found(self, word: str) -> tuple[str, bool]:
        """What a single word is read as: itself where it is known, or where nothing is clearly meant; and whether it is known, or within
        the slips of a word that is, though it may be no slip: "diabete", "neonatalis".
        """
        if self.knows(word):
            return word, True
        if word in NEVER_ENGLISH:  # "nicht" is no slip of "night"
            return word, False
        look = word.translate(_LATIN_LOOK)
        return (look, True) if look != word and look.isascii() and self.knows(look) else self._nearest(word)

    def _nearest(self, word: str) -> tuple[str, bool]:
        if len(word) < SHORTEST_FOR_ONE or not word.isalpha():
            return word, False
        words = self.words
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

        words = self.words
        least = (COMMON_FOR_ONE if slips == 1 else COMMON_FOR_TWO).get(len(word), 1 if slips == 1 else COMMON)
        lengths = range(len(word) - slips, len(word) + slips + 1)
        choices = [each for length in lengths for each in self.by_form.get((word[0], length), ())]
        found = process.extract(word, choices, scorer=OSA.distance, score_cutoff=slips, limit=None)
        near = {each for each, _, _ in found if words[each] >= least}
        if slips == 2:  # two letters of the end are another ending: "thyroxin" is no slip of "thyroid"
            near = {each for each in near if Prefix.similarity(word, each) <= max(len(word) - 5, 3)}
            near = {each for each in near if word[:_SURE] == each[:_SURE]}
        if slips == 1 and len(word) > SHORTEST_FOR_ONE + 1:
            near.update(each for each in _first_letter_mended(word) if words.get(each, 0) >= COMMON)
        return [(words[each], each) for each in near]


def _first_letter_mended(word: str) -> list[str]:
    """`word` with its first letter swapped with the next, left out, or set before it: "npeumonia", "neumonia".

    No other letter in its place, since that is how names of people differ; and no "a", which denies.
    """
    out = [word[1] + word[0] + word[2:], *(letter + word for letter in "bcdefghijklmnopqrstuvwxyz")]
    return out if word[0] == "a" else [*out, word[1:]]


_OTHER_BY_PREFIX = words_in(
    "macro micro hyper hypo phono photo intra inter poly oligo normo endo ecto exo epi peri para pre post hemi tachy brady "
    "pachy brachy dys mono anti ante sub supra infra super non"
)


def _other_prefix(word: str, other: str) -> bool:
    """Whether a word begins as its reading does not, and says another thing by it: "hypotelorism", "hypertelorism"."""
    return any(word.startswith(prefix) and not other.startswith(prefix) for prefix in _OTHER_BY_PREFIX)


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
