"""The words that are known, the names that are, and forms of words: what tells a slip or another language from a rare disease."""

from __future__ import annotations

import csv
import re
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

HEADS = words_in(
    "syndrome disease disorder deficiency infection degeneration anomaly malformation tumor cancer fever fracture test stain "
    "phenomenon sign palsy type"
)
"""A name of unknown words with one of these is an eponym's."""

FOREIGN_ENDING = re.compile(
    r"(?:ique|iques|aque|ung|ungen|heit|keit|krankheit|cion|ciones|zione|zioni|encia|enza|dad|idad|eux|euse|ico|ica|aca|aco|oso|osa|"
    r"ado|ada|ido|ida|ite|ites|ie|isch|ische|ischer|isches|fall|schmerz|schmerzen|infarkt|que|aire|aires|ose|oses|eur|miento|"
    r"mento|tura|iere|chen|zustand|anfall|bruch|krebs|sucht|schwache|maladie|zucker)$"
)
"""Endings of other languages; a word that has one is no word of medicine by its beginning: "cardiaque"."""

FOREIGN_WORDS = words_in(
    "la el los las del du des le les der die das und mit et con por para di della il aux dans avec een het och na de y"
)
"""Small words of other languages: beside an unknown word they say that it is one of theirs."""

FOREIGN_DENIALS = words_in(
    "kein keine keinen keiner nicht ohne sin senza sans ningun ninguna aucun aucune niet geen ingen ikke inte"
)
"""Words of other languages that deny: "kein Asthma" would be an asthma."""

FALSE_FRIENDS = words_in("hypertonie hypotonie")
"""Words of other languages near English ones of another meaning: German "Hypertonie" is high blood pressure, no hypertonia."""

NEVER_ENGLISH = FOREIGN_DENIALS | FALSE_FRIENDS
"""No slips of English words; where one stands, the text is of another language."""

MEDICAL_ENDING = re.compile(
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
SHORT_FORM = re.compile(r"(?<![^\W_])(?=[A-Za-z]*[A-Z][A-Za-z]*[A-Z])[A-Za-z]{2,9}(?![^\W_])")
"""Words with two capitals or more: "MPSIIID", "psJIA"."""


class Vocabulary:
    """Words of diagnoses, English at large, and whole names.

    Parameters
    ----------
    words : normalised word -> how many names hold it.
    diseases_of : what a normalised name is a name of; nothing where it is no name that is known.
    language : "en" also knows English at large; "ru" and others know `words` alone.

    Safe to share between threads.
    """

    def __init__(
        self,
        words: Mapping[str, int],
        diseases_of: Callable[[str], Collection[Hashable]] = lambda name: (),
        language: str = "en",
    ) -> None:
        self.words, self.diseases_of, self.language = words, diseases_of, language
        self.knows = lru_cache(_WORDS_KEPT)(self._knows)

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
