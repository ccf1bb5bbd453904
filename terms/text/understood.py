"""Whether a text is a diagnosis that M can know anything of, and the reason where it is none.

What is refused must be beyond doubt, since a pair that is not scored is lost: where several signs speak against a text, none of
them sure, it is understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .correction import Correction, Corrections
from .scripts import share_in
from .vocabulary import Vocabulary, words_in

SCRIPT = "another script"
LANGUAGE = "another language, or no words"
SENTENCE = "a sentence"
SEVERAL = "several diagnoses"
NOTHING = "no diagnosis"
REASONS = (SCRIPT, LANGUAGE, SENTENCE, SEVERAL, NOTHING)

MOST_WORDS = 25
"""Words of the longest name, "severe combined immunodeficiency due to …", that is no sentence."""


@dataclass(frozen=True)
class Reading:
    """What was made of one raw text.

    name : normalised and corrected. read_as : its words that were read as others. not_understood : one of `REASONS`, or None.
    """

    name: str
    read_as: Corrections = ()
    not_understood: str | None = None


class Reader:
    """Corrects names, and says of raw texts why they are not understood. Safe to share between threads.

    Parameters
    ----------
    normalized : gives the normalised form of a part of a text.
    """

    def __init__(self, vocabulary: Vocabulary, normalized: Callable[[str], str]) -> None:
        self.vocabulary, self.normalized = vocabulary, normalized
        self.correction = Correction(vocabulary)

    def __call__(self, raw: str, name: str) -> Reading:
        """The reading of a text whose normalised form is `name`.

        >>> Reader(Vocabulary({"asthma": 80}), str.casefold)("Astma", "astma")
        Reading(name='asthma', read_as=(('astma', 'asthma'),), not_understood=None)
        """
        if self.vocabulary.is_name(name):
            return Reading(name)
        name, read_as = self.correction(name)
        return Reading(name, read_as, self.why_not(raw, name))

    def why_not(self, raw: str, name: str) -> str | None:
        """Why a text, normalised and corrected to `name`, is not understood; None where it is."""
        language = self.vocabulary.language
        if share_in(raw, "LATIN", "GREEK", *(("CYRILLIC",) if language == "ru" else ())) <= 0.5:
            return SCRIPT
        if self.vocabulary.is_name(name):
            return None
        if is_nothing(raw):
            return NOTHING
        if language != "en":
            return None
        if self._is_several(raw):
            return SEVERAL
        if is_sentence(raw, name):
            return SENTENCE
        return LANGUAGE if self._is_foreign(raw, name) else None

    def _is_foreign(self, raw: str, name: str) -> bool:
        """Whether most words are unknown: no word of the vocabulary, none near one, none of a medical form, no short form."""
        words = [word for word in name.split(" ") if len(word) > 2 and word.isalpha()]
        unknown = [word for word in words if not self._is_like_a_word(word)]
        if not unknown or 2 * len(unknown) < len(words) or not _HEADS.isdisjoint(words):
            return False
        if len(words) == 1 or not raw.isupper():
            short = {found.casefold() for found in _SHORT_FORM.findall(raw)}
            unknown = [word for word in unknown if word not in short]
        known = len(words) - len(unknown)
        return len(unknown) > known or (len(unknown) == known > 0 and any(map(_FOREIGN.search, unknown)))

    def _is_like_a_word(self, word: str) -> bool:
        return (
            self.correction.is_kin(word)
            or _MEDICAL.search(word) is not None
            or (self.vocabulary.has_stem_of(word) and _FOREIGN.search(word) is None)
        )

    def _is_several(self, raw: str) -> bool:
        return any(self._are_different(parts) for parts in _ways_apart(raw))

    def _are_different(self, parts: Sequence[str]) -> bool:
        """Whether each part is a whole name, and two of them are names of different diseases, neither worded within the other."""
        names = []
        for part in parts:
            name = self.normalized(part)
            if name in _ANY_DISEASE:
                return False
            if not self.vocabulary.is_name(name):
                name = self.correction(name)[0]
                if not name or not self.vocabulary.is_name(name):
                    return False
            names.append((set(name.split(" ")), set(self.vocabulary.diseases_of(name))))
        (words, diseases), *others = names
        return any(diseases.isdisjoint(more) and not (words <= other or other <= words) for other, more in others)


_HARD = re.compile(r"\s*[;|\n\r]+\s*")
_NUMBERED = re.compile(r"(?:^|(?<=[\s;,]))\(?\d{1,2}[.)]\s+(?=[^\W\d])")
_SOFT = re.compile(r"\s*[;|\n\r]+\s*|\s*,\s+(?:and\s+|or\s+)?|\s+/\s+|\s+(?:vs\.?|versus|or|\+)\s+", re.IGNORECASE)
_AND = re.compile(r"\s+(?:and|&)\s+|\s*,\s+(?:and\s+)?", re.IGNORECASE)
_ANY_SEPARATOR = re.compile(r"[;|\n\r,/&+]|\b(?:vs|versus|or|and)\b", re.IGNORECASE)
_ONE_TOGETHER = frozenset(
    (
        "nausea and vomiting", "fever and chills", "cough and cold", "coughs and colds", "aches and pains", "cold and cough",
        "nausea & vomiting", "cuts and bruises", "hiv and aids",
    )
)  # fmt: skip
_ANY_DISEASE = words_in(
    "disease disorder syndrome sign symptom finding tumor neoplasm mass lesion condition abnormality"
)
"""Names of any disease, which do not make a part another diagnosis: "sarcoma / tumor"."""
_MOST_WORDS_BESIDE_AND = 2
"""Longer names joined by "and" are mostly one disease: "esophageal atresia and tracheoesophageal fistula"."""


def _ways_apart(raw: str) -> list[list[str]]:
    """The ways in which a text falls into parts, where it does. A slash without blanks joins: "MDS/MPN"."""
    ways = []
    if len(numbered := _parts(_NUMBERED, raw)) > 1:
        ways.append([part.strip(" ,;\n") for part in numbered])
    if _ANY_SEPARATOR.search(raw) and " ".join(raw.casefold().split()) not in _ONE_TOGETHER:
        ways += [parts for separator in (_HARD, _SOFT) if len(parts := _parts(separator, raw)) > 1]
        joined = _parts(_AND, raw)
        if len(joined) > 1 and all(len(part.split()) <= _MOST_WORDS_BESIDE_AND for part in joined):
            ways.append(joined)
    return ways


def _parts(separator: re.Pattern[str], raw: str) -> list[str]:
    return [part for part in separator.split(raw) if any(map(str.isalnum, part))]


_NOTHING_SAID = frozenset(
    (
        "none", "n/a", "n.a.", "na", "nan", "nil", "null", "nothing", "no diagnosis", "no diagnoses", "no disease", "unknown",
        "unclear", "undetermined", "not applicable", "not available", "not known", "no answer", "unsure", "diagnosis unknown",
        "unknown diagnosis", "no idea", "i don't know", "don't know", "tbd", "to be determined", "diagnosis", "diagnoses",
        "undiagnosed", "none of the above", "all of the above", "other", "others", "multiple", "various", "test", "true",
        "false", "yes", "no", "error", "no final diagnosis", "no clear diagnosis", "normal", "no specific diagnosis",
    )
)  # fmt: skip
_FILE = re.compile(r"\S+\.(?:txt|csv|tsv|pdf|docx?|xlsx?|json|jsonl|parquet|html?|xml|py|md|png|jpe?g)", re.IGNORECASE)
_CODE = re.compile(r"[A-Za-z]\d[\dA-Za-z]\.[\dA-Za-z]{1,4}")


def is_nothing(raw: str) -> bool:
    """Whether a text says that there is none, or is a number, a file's name, or of the form of a code and none."""
    text = raw.strip()
    return (
        " ".join(text.casefold().strip(" .!-()[]").split()) in _NOTHING_SAID
        or not any(map(str.isalpha, text))
        or _FILE.fullmatch(text) is not None
        or _CODE.fullmatch(text) is not None
    )


_SPEAKS = frozenset(
    (
        "i", "we", "you", "she", "he", "they", "my", "your", "our", "their", "please", "think", "thinks", "believe", "believes",
        "should", "would", "could", "cannot", "must", "let", "because", "therefore", "however", "although", "recommend",
        "recommends", "recommended", "want", "wants", "know", "don't", "doesn't", "isn't", "i'm", "it's", "what", "why", "how",
        "whether", "needs", "suggests", "suggest", "indicates", "warrants", "requires", "explains",
    )
)  # fmt: skip
"""Words of one who speaks; none is in a name. Two are asked for, or one beside another sign."""
_SAYS = re.compile(
    r"\b(?:it is|this is|there is|there are|that is|it could|it may|it might|may be|might be|should be|must be|"
    r"can be|will be|has been|have been|most likely|less likely|more likely|(?:the|this|a) patient (?:is|has|was|had|will|can|does|did|may)|"
    r"i think|i believe|i suspect|i would|we suspect|would be|could be|does not|do not|did not|is most|is likely|is not)\b",
    re.IGNORECASE,
)
_ORDERS = frozenset(
    (
        "request", "order", "administer", "give", "prescribe", "refer", "obtain", "perform", "recommend", "start", "stop",
        "continue", "discontinue", "initiate", "schedule", "arrange", "send", "admit", "discharge", "monitor", "measure", "take",
        "reassure", "advise", "ask", "offer", "provide", "begin", "switch", "avoid", "treat", "observe", "increase", "decrease",
        "repeat", "conduct", "check", "evaluate", "proceed", "counsel", "consult", "transfer", "withhold", "add", "use",
    )
)  # fmt: skip
_FINITE = words_in("is are was were has have had will does do did may might can")
_TOKEN = re.compile(r"[^\W\d_]+(?:['’][a-z]+)?")


def is_sentence(raw: str, name: str) -> bool:
    """Whether a text is said rather than named: a question, an order, what one thinks of a case, or too long for a name."""
    text = raw.strip()
    if len(name.split(" ")) > MOST_WORDS:
        return True
    shouted = text.isupper()
    tokens = [token.casefold() for token in _TOKEN.findall(text) if shouted or len(token) == 1 or not token.isupper()]
    if len(tokens) < 3:
        return False
    if text.endswith("?") and (tokens[0] in _SPEAKS or tokens[0] in _FINITE or len(tokens) > 6):
        return True
    speaks = sum(token in _SPEAKS for token in tokens if token != "i")
    finite = sum(token in _FINITE for token in tokens)
    orders = (
        tokens[0] in _ORDERS
        and tokens[1] not in ("of", "in")
        and len(tokens) > 3
        and bool({"a", "an", "the", "for", "with", "to"} & set(tokens[1:]))
    )
    return (
        orders
        or speaks > 1
        or (speaks > 0 and (len(tokens) > 5 or finite > 0 or tokens[0] in _SPEAKS))
        or (_SAYS.search(text) is not None and len(tokens) > 4)
        or (finite > 0 and len(tokens) > 9)
    )


_HEADS = words_in(
    "syndrome disease disorder deficiency infection degeneration anomaly malformation tumor cancer fever fracture test stain "
    "phenomenon sign palsy type"
)
"""A name of unknown words with one of these is an eponym's."""

_FOREIGN = re.compile(
    r"(?:ique|iques|aque|ung|ungen|heit|keit|krankheit|cion|ciones|zione|zioni|encia|enza|dad|idad|eux|euse|ico|ica|aca|aco|oso|osa|"
    r"ado|ada|ido|ida|ite|ites|ie|isch|ische|ischer|isches|fall|schmerz|schmerzen|infarkt|que|aire|aires|ose|oses|eur|miento|"
    r"mento|tura|iere|chen|zustand|anfall|bruch|krebs|sucht|schwache|maladie|zucker)$"
)
"""Endings of other languages; a word that has one is no word of medicine by its beginning: "cardiaque"."""

_MEDICAL = re.compile(
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
