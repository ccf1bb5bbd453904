"""A small vocabulary of diagnoses, for tests of spelling and of what is not understood."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from dxmatch.terms.text.normalizer import Normalizer
from dxmatch.terms.text.vocabulary import Vocabulary

NAMES = {
    1: ("myocardial infarction", "heart attack"), 2: ("asthma", "bronchial asthma"), 3: ("pneumonia",), 4: ("sepsis",),
    5: ("acute kidney injury",), 6: ("systemic lupus erythematosus", "lupus"), 7: ("rheumatoid arthritis",), 8: ("gout",),
    9: ("cholelithiasis", "gallstones"), 10: ("hypertension",), 11: ("prostate cancer",), 12: ("ulcerative colitis",),
    13: ("hyperthyroidism",), 14: ("hypothyroidism",), 15: ("tuberculosis",), 16: ("psoriasis",), 17: ("migraine",),
    18: ("alzheimer disease",), 19: ("diabetes mellitus", "diabetes"), 20: ("plantar fasciitis",), 21: ("freiberg disease",),
    22: ("acute cholecystitis",), 23: ("nausea",), 24: ("vomiting",), 25: ("influenza", "flu"), 26: ("granulomatosis",),
    27: ("bacterial pneumonia",), 28: ("appendicitis",), 29: ("leukemia",), 30: ("crohn disease",), 31: ("tumor",), 32: ("sarcoma",),
}  # fmt: skip


def small_vocabulary(
    common: int = 60, names: dict[int, Iterable[str]] | None = None, language: str = "en"
) -> Vocabulary:
    """Each word in `common` names more than it is in."""
    normalizer = Normalizer()
    diseases: dict[str, set[int]] = defaultdict(set)
    for disease, called in (names or NAMES).items():
        for name in called:
            diseases[normalizer(name)].add(disease)
    words = Counter(word for name in diseases for word in name.split())
    return Vocabulary(
        {word: count + common for word, count in words.items()}, lambda name: diseases.get(name, ()), language
    )
