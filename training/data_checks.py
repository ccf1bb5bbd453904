"""What is wrong, or doubtful, with labelled pairs once their features are known, and with those held out of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, quoted
from ..features.feature_set import FeatureSet
from ..features.registry import EXCLUSION
from .examples import Examples
from .labelled import some
from .options import Split
from .statistics.correlation import likeness
from .statistics.split import grouped_folds

FEW_PAIRS = 50
FEW_OF_A_LABEL = 10


def check_examples(examples: Examples, features: FeatureSet) -> list[str]:
    """One line for each thing that is doubtful, for the terminal and the card.

    Errors: `InputError` for one label only, for features that are all the same for every pair, and where the features say
    the opposite of the labels.
    """
    differ = examples.take(~examples.identical)
    for part, among in ((examples, "the pairs"), (differ, "the pairs that differ after normalisation")):
        labels = sorted(set(part.label.tolist()))
        if len(labels) < 2:
            raise InputError(
                f"only one label among {among}", allowed="both matches (1) and non-matches (0)", got=labels
            )
    told = _few(differ, "labelled pairs", FEW_PAIRS, "what is measured on them is uncertain")
    told += _constant(differ, features)
    _check_reversed(differ, features)
    if wrong := examples.names[examples.identical & (examples.label == 0), 0].tolist():
        told.append(
            f"Pairs labelled 0 that are equal after normalisation, which M calls a match: {len(wrong):,}"
            f" ({some([quoted(name) for name in dict.fromkeys(wrong)])})."
        )
    return told


def _few(differ: Examples, which: str, least: int, so: str) -> list[str]:
    matches = int(differ.label.sum())
    if len(differ) >= least and min(matches, len(differ) - matches) >= FEW_OF_A_LABEL:
        return []
    return [
        f"Only {len(differ):,} {which} that differ, {matches:,} of them matches: {so}."
        f" {least} pairs with {FEW_OF_A_LABEL} of each label are the least to rely on."
    ]


def _constant(differ: Examples, features: FeatureSet) -> list[str]:
    # exclusion decides by itself: it is no matter whether a pair is there to learn it from
    learned = [
        (f.name, column) for f, column in zip(features.features, differ.table.T, strict=True) if f.kind != EXCLUSION
    ]
    values = {name: np.unique(column) for name, column in learned}
    constant = {name: float(of[0]) for name, of in values.items() if len(of) == 1}
    if len(constant) == len(values):
        raise InputError(
            "no feature tells one pair from another: each is missing or the same for every pair",
            allowed="at least one feature with two values",
            got=list(values),
        )
    return [
        f"The feature {name} is {'missing' if np.isnan(value) else f'{value:g}'} for every pair that differs, so nothing was learned from it."
        for name, value in constant.items()
    ]


def _check_reversed(differ: Examples, features: FeatureSet) -> None:
    """Some feature is against the labels beyond chance, and none is with them: 0 and 1 are swapped.

    A feature is with the labels as far as a match is likelier than a non-match to have the value nearer `FeatureKind.alike`:
    the area under the ROC curve. Its standard error without any relation is sqrt((n + 1) / (12 n1 n0)) (Mann & Whitney 1947).
    """
    from sklearn.metrics import roc_auc_score

    areas = {}
    for spec, column in zip(features.features, differ.table.T, strict=True):
        known = ~np.isnan(column)
        label = differ.label[known]
        if 0 < label.sum() < len(label):
            areas[spec.name] = float(roc_auc_score(label, likeness(spec, column[known]))), label
    if not areas or max(area for area, _ in areas.values()) > 0.6:
        return
    name, (area, label) = min(areas.items(), key=lambda item: item[1][0])
    matches = int(label.sum())
    chance = ((len(label) + 1) / (12 * matches * (len(label) - matches))) ** 0.5
    if area < 0.4 and area < 0.5 - 3 * chance:
        raise InputError(
            f"the labels look swapped: pairs labelled 0 are more alike than pairs labelled 1 (by {name} in {1 - area:.0%} of the"
            " comparisons, and by no feature the other way)",
            allowed="1 for a match, 0 for no match",
        )


def check_held_out(examples: Examples, test: NDArray[np.bool_], split: Split) -> list[str]:
    """Where too little is held out, bool[n], to measure on.

    Errors: `InputError` where there is too little to train on; it says so where that is because of what is held out.
    """

    def check(rows: NDArray[np.bool_]) -> None:
        left = examples.take(rows & examples.open)
        grouped_folds(left.groups, left.label, split.folds, split.seed)

    try:
        check(~test)
    except InputError as error:
        check(test | ~test)
        held, every = len(np.unique(examples.groups.code[test])), len(examples.groups.names)
        raise InputError(
            f"{held:,} of {every:,} reference diagnoses are held out to measure on, which leaves too few to train on ({error.problem}): which"
            " ones depends on their names and the seed alone, so those that an earlier training with this seed held out are held out again",
            allowed=f"{error.allowed}; or another seed",
            remedy="the option 'test_share' (0) holds none out and measures out of fold",
        ) from None
    if not test.any():
        return []
    return _few(
        examples.take(test & ~examples.identical),
        "held-out pairs",
        2 * FEW_OF_A_LABEL,
        "look at what is cross-validated",
    )
