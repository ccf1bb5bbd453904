"""How to Evaluate Medical AI: its five examples of a match, and how many features it names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import dxmatch

from .figure import Figure

PAPER = "How to Evaluate Medical AI"
_ORGANS = "the shipped M learnt from other labels than theirs; the two diseases are of different organs by the criteria that the paper prints"
_ERROR = "the shipped M errs: it takes the two for related, where the one is a kind of the other"
_EXAMPLES = [
    ("pelvic inflammatory disease", "interstitial cystitis", 1, 0, _ORGANS),
    ("acute pancreatitis", "chronic pancreatitis exacerbation", 0, None, ""),
    ("rotavirus gastroenteritis", "acute intestinal infection gastroenteritis", 1, 0, _ERROR),
    ("foodborne toxicosis", "viral infection", 0, None, ""),
    ("arrhythmia", "functional heart rhythm disorders syndrome", 1, None, ""),
]
_SEVENTEENTH = (
    "the text announces 17 features and names 16 (5 votes, 2 ICD-10 picks, 3 cosines, 5 ratios, Levenshtein); "
    "ours adds the ICD-10 match without a language model"
)


def figures(folder: Path | None) -> Iterator[Figure]:
    """folder : not read; the paper publishes no files of its own."""
    m = dxmatch.load()
    for answer, expert, printed, instead, why in _EXAMPLES:
        yield Figure(PAPER, "Table 1", f"{answer} / {expert}", printed, m.match(expert, answer), 0, instead, why)
    features = dxmatch.PairFeatures("paper17").fit([["gout", "asthma"]]).get_feature_names_out()
    yield Figure(PAPER, "3.2", "features that the text names", 16, len(features), 0, 17, _SEVENTEENTH)
