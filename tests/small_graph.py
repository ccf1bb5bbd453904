"""A made-up graph of twelve diseases, small enough to walk by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from dxmatch.terms.diseases.graph import DiseaseGraph
from dxmatch.terms.icd.ranking import MoreNames

ROWS: Mapping[str, tuple[str, Sequence[str], Sequence[str]]] = {
    "DOID:01": ("Heart disorder", ["heart disorder", "cardiac disease"], []),
    "DOID:02": ("ischemic heart disease", ["ischemic heart disease"], ["DOID:01"]),
    "DOID:03": ("myocardial infarction", ["myocardial infarction", "heart attack", "acute mi"], ["DOID:02"]),
    "DOID:04": ("anterior wall infarction", ["anterior wall infarction"], ["DOID:03"]),
    "DOID:05": ("angina pectoris", ["angina pectoris"], ["DOID:02"]),
    "DOID:06": ("unstable angina", ["unstable angina"], ["DOID:05"]),
    "MONDO:07": ("hypertension", ["hypertension", "high blood pressure"], []),
    "MONDO:08": ("vasculitis", ["vasculitis"], []),
    "MONDO:09": ("large vessel vasculitis", ["large vessel vasculitis"], ["MONDO:08"]),
    "MONDO:10": ("Takayasu arteritis", ["takayasu arteritis", "pulseless disease"], ["MONDO:09", "dxmatch:11"]),
    "dxmatch:11": ("arteritis", ["arteritis"], ["MONDO:08"]),
    "dxmatch:12": ("bird fancier lung", ["bird fancier lung"], []),
}
"""Of each disease its label, its names, and what it is a kind of."""
VAGUE = frozenset(("DOID:01",))


def graph_of(
    rows: Mapping[str, tuple[str, Sequence[str], Sequence[str]]] = ROWS, vague: frozenset[str] = VAGUE
) -> DiseaseGraph:
    ids = list(rows)
    above = [sorted(ids.index(parent) for parent in parents) for _, _, parents in rows.values()]
    names = [(name, number) for number, (_, own, _) in enumerate(rows.values()) for name in own]
    words = sorted({word for name, _ in names for word in name.split()})
    return DiseaseGraph(
        ids,
        [label for label, _, _ in rows.values()],
        [name for name, _ in names],
        words,
        name_disease=np.array([number for _, number in names], np.int32),
        parent_starts=np.cumsum([0, *map(len, above)]).astype(np.int32),
        parents=np.array([parent for each in above for parent in each], np.int32),
        vague=np.array([each in vague for each in ids], np.bool_),
        signs=np.zeros(sum(map(len, above)), np.bool_),
        word_counts=np.array([sum(word in name.split() for name, _ in names) for word in words], np.int32),
        more_names=MoreNames(["coronary"], ["I21.9"], np.zeros(1, np.float32)),
    )
