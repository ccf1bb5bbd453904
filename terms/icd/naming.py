"""From a raw diagnosis to the name that all features see: normalised, its slips mended, a bare ICD-10 code turned into its title.

And whether a text is a diagnosis that M can know anything of, with the reason where it is none. What is refused must be beyond doubt,
since a pair that is not scored is lost: where several signs speak against a text, none of them sure, it is understood.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ..text.assertion import Status, assertion_of
from ..text.modifiers import is_modifier
from ..text.normalizer import EPONYMS, Normalizer, normalize_checked
from ..text.sentences import is_nothing, is_sentence
from ..text.vocabulary import NEVER_ENGLISH, Corrections, Vocabulary, words_in
from .sources import open_tree
from .tree import CODE_FORM, IcdTree

SCRIPT = "another script"
LANGUAGE = "another language, or no words"
SENTENCE = "a sentence"
SEVERAL = "several diagnoses"
NOTHING = "no diagnosis"
_MOST_GREEK = 3
"""Letters of the longest Greek text that is a symbol and no word."""
REASONS = (SCRIPT, LANGUAGE, SENTENCE, SEVERAL, NOTHING)

_HARD = re.compile(r"[;|\n\r]")
_NUMBERED = re.compile(r"(?:^|(?<=[\s;,]))\(?\d{1,2}[.)]\s+(?=[^\W\d])")
_SOFT = re.compile(r"[;|\n\r]|,\s+(?:and\s+|or\s+)?|(?<=\s)(?:/|vs\.?|versus|or|\+)\s", re.IGNORECASE)
_AND = re.compile(r"(?<!\s)\s++(?:and|&)\s+|(?:(?<!\s)\s++)?,\s+(?:and\s+)?", re.IGNORECASE)
_ANY_SEPARATOR = re.compile(r"[;|\n\r,/&+]|\b(?:vs|versus|or|and)\b", re.IGNORECASE)
_MOST_WORDS_BESIDE_AND = 2
"""Longer names joined by "and" are mostly one disease: "esophageal atresia and tracheoesophageal fistula"."""

_ONE_TOGETHER = frozenset(
    (
        "cuts and bruises", "hiv and aids", "anxiety and depression", "depression and anxiety", "coughs and colds",
        "cough and cold", "cold and cough",
    )
)  # fmt: skip
_ANY_DISEASE = words_in(
    "disease disorder syndrome sign symptom finding tumor neoplasm mass lesion condition abnormality"
)
"""Names of any disease, which do not make a part another diagnosis: "sarcoma / tumor"."""

_SYMPTOMS = words_in(
    "pain nausea vomiting diarrhea fever chills cough fatigue headache dizziness swelling rash itching weakness dyspnea malaise "
    "sweats bloating cramps numbness tingling bleeding nosebleed hoarseness congestion sneezing drowsiness anorexia"
)
"""Of one disease there may be several of these: "nausea, vomiting and diarrhea"."""

_HEADS = words_in(
    "syndrome disease disorder deficiency infection degeneration anomaly malformation tumor cancer fever fracture test stain "
    "phenomenon sign palsy type"
)
"""A name of unknown words with one of these is an eponym's."""

_FOREIGN_ENDING = re.compile(
    r"(?:ique|iques|aque|ung|ungen|heit|keit|krankheit|cion|ciones|zione|zioni|encia|enza|dad|idad|eux|euse|ico|ica|aca|aco|oso|osa|"
    r"ado|ada|ido|ida|ite|ites|ie|isch|ische|ischer|isches|fall|schmerz|schmerzen|infarkt|que|aire|aires|ose|oses|eur|miento|"
    r"mento|tura|iere|chen|zustand|anfall|bruch|krebs|sucht|schwache|maladie|zucker)$"
)
"""Endings of other languages; a word that has one is no word of medicine by its beginning: "cardiaque"."""

_ACCENT = re.compile("[\u0300-\u036f]")
_ACCENTED_WORD = re.compile(f"[A-Za-z]+{_ACCENT.pattern}[A-Za-z\u0300-\u036f]*")
_ACCENTED = EPONYMS | words_in("acne cafe deja excoriee mullerian naive role")
"""Words that are written with an accent in English, too."""

_FOREIGN_WORDS = words_in(
    "la el los las del du des le les en au aux der die das und mit et con por para di della il dans avec een het och na de y"
)
"""Small words of other languages: beside an unknown word they say that it is one of theirs, but in an eponym ("de Quervain syndrome")."""

_MEDICAL_ENDING = re.compile(
    r"(?:itis|itides|oma|omas|omata|osis|oses|iasis|asis|emia|aemia|emic|uria|uric|pathy|pathic|plegia|plegic|paresis|trophy|trophic|"
    r"plasia|plastic|algia|dynia|ectomy|ostomy|otomy|plasty|scopy|graphy|gram|ism|rrhea|rrhagia|cele|ectasia|ectasis|penia|penic|"
    r"cytosis|philia|phobia|mania|sclerosis|malacia|megaly|opia|opsia|lysis|lytic|stenosis|spasm|ptosis|mycosis|virus|viral|coccus|"
    r"coccal|bacter|bacteria|toxicity|genic|genesis|genous|edema|derma|dermia|phagia|phasia|kinesia|lexia|lalia|taxia|thymia|"
    r"mab|nib|ciclib|parib|statin|pril|sartan|olol|azole|cillin|mycin|micin|floxacin|cycline|vir|prazole|dipine|zosin|gliptin|"
    r"gliflozin|glutide|caine|barbital|azepam|triptan|setron|tidine|thiazide|semide|amide|idine|azine|oxetine|triptyline|"
    r"zolamide|dronate|parin|xaban|grel|cept|stim|poietin|ferol|sone|solone|nazole|quine|oid|oidal|otic|ulent|iform|itic|ectatic|"
    r"chezia|asma|cyesis|lith|lithiasis|celes|renone|amine|dactyly|cephaly|schisis|mastia|gnosia|phagy|synapsis|melia|chromacy|somy)$"
)
"""Endings of diseases, operations, drugs and microbes: a rare one of these is in no vocabulary."""
_SHORT_FORM = re.compile(r"(?<![^\W_])(?=[A-Za-z]*[A-Z][A-Za-z]*[A-Z])[A-Za-z]{2,9}(?![^\W_])")
"""Words with two capitals or more: "MPSIIID", "psJIA"."""

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_ALIKE = frozenset(("LATIN", "GREEK", "CYRILLIC"))
"""The scripts whose letters look alike; others do not pass for one another."""


@dataclass(frozen=True)
class Reading:
    """What was made of one raw text.

    name : normalised and corrected. read_as : its words that were read as others. not_understood : one of `REASONS`, or None.
    """

    name: str
    read_as: Corrections = ()
    not_understood: str | None = None


class Naming:
    """Raw diagnoses -> names, in their order. Safe to share between threads.

    Parameters
    ----------
    normalizer : what is done to every text.
    code_source : the ICD-10 whose codes stand for their titles ("I21" for "acute myocardial infarction"): "icd10cm",
        "icd10" or the path of a CSV; None where a code is a text like any other. The tree is opened when the first
        text has the form of a code.
    vocabulary : the words and names that are known; without one no slip is mended, and every text is understood.

    >>> Naming(Normalizer(), None, Vocabulary({"asthma": 80})).read(["Astma"])
    [Reading(name='asthma', read_as=(('astma', 'asthma'),), not_understood=None)]
    """

    def __init__(
        self, normalizer: Normalizer, code_source: str | None = None, vocabulary: Vocabulary | None = None
    ) -> None:
        self.normalizer, self.code_source, self.vocabulary = normalizer, code_source, vocabulary

    def __call__(self, texts: Iterable[str]) -> list[str]:
        """Errors: `InputError` for a text without a letter or digit, or of more than 10,000 characters."""
        return [reading.name for reading in self.read(texts)]

    def read(self, texts: Iterable[str]) -> list[Reading]:
        """The same with what was made of each text: the slips that were mended, and why it is not understood.

        Errors: as of a call.
        """
        texts = list(texts)
        return list(map(self._reading, texts, normalize_checked(self.normalizer, texts)))

    def to_code(self, text: str) -> Reading:
        """What the mapping to ICD-10 looks up for a text: a bare code stays one, slips are mended.

        What is denied, too, is not understood here, with the word that denies it: ICD-10 has codes for history, screening and exposure, and
        none for what is not there. Errors: as of a call.
        """
        (name,) = normalize_checked(self.normalizer, [text])
        reading, said = self._reading(text, name), self.normalizer.assertion(name)
        if reading.not_understood is None and said.status is Status.NEGATED:
            reading = replace(reading, not_understood=f"{said.status}: '{said.trigger}'")
        return reading if self._title(name) is name else replace(reading, name=name)

    def _reading(self, text: str, name: str) -> Reading:
        vocabulary, title = self.vocabulary, self._title(name)
        # A code that has a title is known, whatever the words of the title.
        if title is not name or vocabulary is None or vocabulary.is_name(name):
            return Reading(title)
        if (other := next(filter(vocabulary.is_name, map(self.normalizer, other_orders(text))), None)) is not None:
            return Reading(other)
        name, read_as = vocabulary.corrected(name)
        if read_as:
            name = self._named(name)  # what is mended may be an abbreviation or a lay name: "heart attak"
        return Reading(name, read_as, self._why_not(text, name, vocabulary))

    def _named(self, text: str) -> str:
        return self._title(self.normalizer(text))

    def _title(self, name: str) -> str:
        # Most names are no code by their second character; the pattern and the tree are for the few that may be.
        if self.code_source is None or len(name) < 3 or not name[1].isdigit() or CODE_FORM.fullmatch(name) is None:
            return name
        node = self._tree.find(name)
        return name if node < 0 else self.normalizer(self._tree.names[node])

    @cached_property
    def _tree(self) -> IcdTree:
        return open_tree(self.code_source or "icd10cm")

    def _why_not(self, raw: str, name: str, vocabulary: Vocabulary) -> str | None:
        """Why a text, normalised and corrected to `name`, is not understood; None where it is."""
        language = vocabulary.language
        if _share_in(raw, "LATIN", "GREEK", *(("CYRILLIC",) if language == "ru" else ())) <= 0.5:
            return SCRIPT
        if not raw.isascii() and _share_in(raw, "GREEK") == 1 and len(raw) > _MOST_GREEK:
            return SCRIPT
        if vocabulary.is_name(name):
            return None
        if is_nothing(raw):
            return NOTHING
        if language != "en":
            return None
        if any(self._are_different(parts, sure, vocabulary) for parts, sure in ways_apart(raw)):
            return SEVERAL
        if is_sentence(raw, name):
            said = assertion_of(name, language)
            # no more than that a disease is, may be or is not there: "patient does not have asthma"
            if said.trigger == "" or not vocabulary.is_name(said.core):
                return SENTENCE
        return LANGUAGE if _is_foreign(raw, name, vocabulary) else None

    def _are_different(self, parts: Sequence[str], sure: bool, vocabulary: Vocabulary) -> bool:
        """Whether two parts are names of different diseases, neither worded within the other, and no mere symptoms.

        sure : the parts are surely parts; else each must be a whole name.
        """
        names = []
        for part in parts:
            name = self._named(part)
            if not vocabulary.is_name(name):
                name = vocabulary.corrected(name)[0] if name else ""
            if name in _ANY_DISEASE or is_modifier(name, vocabulary.language) or not vocabulary.is_name(name):
                if sure:
                    continue
                return False
            names.append((set(name.split(" ")), set(vocabulary.diseases_of(name))))
        if all(not _SYMPTOMS.isdisjoint(words) for words, _ in names):
            return False
        (words, diseases), *others = names
        return any(diseases.isdisjoint(more) and not (words <= other or other <= words) for other, more in others)


def _is_foreign(raw: str, name: str, vocabulary: Vocabulary) -> bool:
    """Whether most words are unknown: no word of the vocabulary, none near one, none of a medical form, no short form."""
    words = [word for word in name.split(" ") if len(word) > 2 and word.isalpha()]
    unknown = [
        word for word in words
        if not vocabulary.found(word)[1] and _MEDICAL_ENDING.search(word) is None
        and (not vocabulary.has_stem_of(word) or _FOREIGN_ENDING.search(word) is not None)
    ]  # fmt: skip
    every = name.split(" ")
    joined = every[-1] not in _HEADS and not _FOREIGN_WORDS.isdisjoint(every)
    if not NEVER_ENGLISH.isdisjoint(words) or _is_accented(raw, vocabulary, joined):
        return True
    if joined and not all(vocabulary.found(word)[1] for word in words):
        return True
    if not unknown or not _HEADS.isdisjoint(words):
        return False
    if 2 * len(unknown) < len(words):
        return False
    if len(words) == 1 or not raw.isupper():
        short = {found.casefold() for found in _SHORT_FORM.findall(raw)}
        unknown = [word for word in unknown if word not in short]
    known = len(words) - len(unknown)
    return len(unknown) > known or (len(unknown) == known > 0 and any(map(_FOREIGN_ENDING.search, unknown)))


def _is_accented(raw: str, vocabulary: Vocabulary, joined: bool) -> bool:
    """Whether an accent is another language's: "sclérose". A person's name may have one, and a known word a stray one ("cyánosis").

    joined : by a small word of another language: then a known word's accent counts, too ("cáncer de mama").
    """
    if raw.isascii():
        return False
    eponym = not _HEADS.isdisjoint(raw.casefold().split())
    for word in _ACCENTED_WORD.findall(unicodedata.normalize("NFD", raw)):
        plain = _ACCENT.sub("", word).casefold()
        known = not (joined and word[0].islower()) if plain in vocabulary.words else eponym and word[0].isupper()
        if plain not in _ACCENTED and not known:
            return True
    return False


def other_orders(raw: str) -> Iterator[str]:
    """What an inverted name, as an index has it, and two that are joined say otherwise.

    >>> [*other_orders("Leukemia, myeloid, acute"), *other_orders("narcolepsy and cataplexy")]
    ['acute myeloid Leukemia', 'narcolepsy with cataplexy']
    """
    if len(parts := raw.split(", ")) > 1:
        yield " ".join(reversed(parts))
    if " and " in raw:
        yield raw.replace(" and ", " with ")


def ways_apart(raw: str) -> list[tuple[list[str], bool]]:
    """The ways in which a text falls into parts, where it does, and whether these are surely parts.

    Numbers, semicolons and lines part; a comma may stand within a name. A slash without blanks joins: "MDS/MPN".
    """
    ways = []
    if len(numbered := _parts(_NUMBERED, raw)) > 1:
        ways.append(([part.strip(" ,;\n") for part in numbered], True))
    if _ANY_SEPARATOR.search(raw) and " ".join(raw.casefold().split()) not in _ONE_TOGETHER:
        split = [(_parts(separator, raw), sure) for separator, sure in ((_HARD, True), (_SOFT, False))]
        ways += [(parts, sure) for parts, sure in split if len(parts) > 1]
        joined = _parts(_AND, raw)
        if len(joined) > 1 and all(len(part.split()) <= _MOST_WORDS_BESIDE_AND for part in joined):
            ways.append((joined, False))
    return ways


def _parts(separator: re.Pattern[str], raw: str) -> list[str]:
    return [part.strip() for part in separator.split(raw) if any(map(str.isalnum, part))]


def _script_of(letter: str) -> str:
    """ "LATIN", "CYRILLIC", "GREEK", "CJK", …: the first word of the letter's name in Unicode."""
    return unicodedata.name(letter, "UNNAMED").split(" ", 1)[0].removesuffix("-")


def _share_in(text: str, *scripts: str) -> float:
    """The share, in [0, 1], of the letters of a text that are in one of the scripts; 1 where it has no letter."""
    if text.isascii():
        return float("LATIN" in scripts or not any(map(str.isalpha, text)))
    letters = [character for character in unicodedata.normalize("NFKC", text) if character.isalpha()]
    return sum(_script_of(letter) in scripts for letter in letters) / len(letters) if letters else 1.0


def mixed_scripts(text: str) -> list[str]:
    """The words of `text` that mix Latin, Greek or Cyrillic letters, in their order.

    A Greek letter that is a word of its own makes none ("β-thalassemia"), nor does one beside an abbreviation or a unit
    ("TNFα", "μg").

    >>> mixed_scripts("\\N{CYRILLIC SMALL LETTER A}sthma, β thalassemia")
    ['аsthma']
    """
    if text.isascii():
        return []
    # NFKC: a ligature or a full-width letter is a Latin letter.
    words = _LETTERS.findall(unicodedata.normalize("NFKC", text))
    return [word for word in words if not word.isascii() and len(_scripts(_without_symbol(word))) > 1]


def _scripts(word: str) -> set[str]:
    return set(map(_script_of, word)) & _ALIKE


def _without_symbol(word: str) -> str:
    """`word` less the Greek letter at one end, if the rest is an abbreviation or a unit."""
    for symbol, rest in ((word[0], word[1:]), (word[-1], word[:-1])):
        if rest.isascii() and (len(rest) < 3 or rest[1:] != rest[1:].lower()) and _scripts(symbol) == {"GREEK"}:
            return rest
    return word
