"""What is said of diagnoses that are mapped to codes: a past disease and a relative's have codes of their own, or that of the disease."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import quoted
from ..terms.icd.index import HOW, NEAREST, UNMAPPED, IcdIndex
from ..terms.icd.mapping import Candidate, IcdAnswer, nearest_answers
from ..terms.icd.naming import Codable
from ..terms.icd.search import CANDIDATES
from ..terms.text.assertion import Assertion, Status
from ..terms.text.normalizer import Normalizer

if TYPE_CHECKING:
    from .match_function import MatchFunction

_TOLD = (Status.POSSIBLE, Status.PAST, Status.FAMILY, Status.NO_DISEASE)
_OF_OTHER_TIMES_AND_PEOPLE = (Status.PAST, Status.FAMILY)


def said_beside(looked_up: Mapping[str, Codable], normalizer: Normalizer) -> str:
    """The warning of diagnoses that are said to be possible, past, or not the patient's own; "" where none is."""
    said = {text: normalizer.assertion(normalizer(text)) for text in looked_up}
    told = [text for text, one in said.items() if one.status in _TOLD]
    if not told:
        return ""
    first = f"{quoted(told[0])}, {said[told[0]].status}"
    return (
        f"{len(told):,} of {len(said):,} diagnoses {'is' if len(told) == 1 else 'are'} said to be possible, past, or not the patient's own "
        f"({first}): the code is of the disease that is named, or of the nearest title, and may not hold what is said."
    )


def code_as_said(
    columns: dict[str, list[Any]], read_as: Mapping[str, str], m: MatchFunction, index: IcdIndex, k: int
) -> None:
    """Takes, for what is said to be past or of the family, another code than that of the nearest name where M does not match it.

    "History of stroke" is near "family history of stroke". The first of these is taken: the best candidate whose title says the same of
    a disease that M matches ("old myocardial infarction"); the best whose title is the disease itself; the code of the disease alone; none.

    columns : of `map_to_icd`, changed in place. read_as : the name that each text was looked up by.
    """
    if m.rests_on_votes:
        return
    normalizer = m.providers.normalizer
    said: dict[str, Assertion] = {}
    for text, how in zip(columns["diagnosis"], columns["how"], strict=True):
        assertion = normalizer.assertion(read_as.get(text, ""))
        if how == HOW[NEAREST] and assertion.status in _OF_OTHER_TIMES_AND_PEOPLE:
            said[text] = assertion
    if not said:
        return
    found = nearest_answers([read_as[text] for text in said], index, max(k, CANDIDATES))
    candidates = {text: answer.candidates for text, answer in zip(said, found, strict=True)}
    cores = list(dict.fromkeys(one.core for one in said.values()))
    of_core = dict(zip(cores, nearest_answers(cores, index, k), strict=True))
    answers = {}
    for text, fits in _fitting(said, candidates, m):
        if fits is not None:
            others = [one for one in candidates[text] if one is not fits]
            answers[text] = IcdAnswer(fits.code, fits.name, HOW[NEAREST], fits.score, [fits, *others][:k])
        elif of_core[said[text].core].icd10 is not None:
            answers[text] = of_core[said[text].core]._replace(how=HOW[NEAREST])
        else:
            answers[text] = IcdAnswer(None, None, HOW[UNMAPPED], candidates[text][0].score, candidates[text][:k])
    for row, text in enumerate(columns["diagnosis"]):
        if text in answers:
            for name, value in answers[text]._asdict().items():
                columns[name][row] = value


def _fitting(
    said: Mapping[str, Assertion], candidates: Mapping[str, Sequence[Candidate]], m: MatchFunction
) -> Iterator[tuple[str, Candidate | None]]:
    """Of each text the candidate that says the same of its disease, else the one that is the disease, by M; None where none does."""
    normalizer = m.providers.normalizer
    titles = {one.name: normalizer.assertion(normalizer(one.name)) for found in candidates.values() for one in found}
    pairs = list(dict.fromkeys((said[text].core, titles[one.name].core) for text in said for one in candidates[text]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a disease that is not understood matches no title
        probability = m.probabilities([a for a, _ in pairs], [b for _, b in pairs])
    matching = {pair for pair, p in zip(pairs, probability.tolist(), strict=True) if p >= m.threshold}
    for text, assertion in said.items():
        of_disease = [one for one in candidates[text] if (assertion.core, titles[one.name].core) in matching]
        alike = [one for one in of_disease if titles[one.name].status == assertion.status]
        present = [one for one in of_disease if titles[one.name].status is Status.PRESENT]
        yield text, next(iter([*alike, *present]), None)
