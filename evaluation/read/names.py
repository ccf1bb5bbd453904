"""What headings say: which column is what, by one table of English words; anything else is named by the option `columns`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...errors import InputError, OptionError
from ...files.invisible import visible
from ...files.wording import hint

MORE = ("icd10", "severity", "relation", "category")
REFERENCE, FINAL = "reference", "final"
PREDICTIONS = "predictions"
"""Cells that hold a whole list each, or a raw answer."""
RANK = "rank"
COLUMNS = (
    "case_id", "rater", RANK, "diagnosis", "role", REFERENCE, "reference_icd10", "reference_severity", FINAL, "final_icd10", *MORE,
)  # fmt: skip
"""The long form: one row for each case, rater and rank."""
ROLES_OF_COLUMNS = (*COLUMNS, PREDICTIONS)
SEVERAL = (PREDICTIONS, RANK, REFERENCE)
"""One of each model, of each rank, of each of several right answers."""
ANSWER = "answer"
"""The right one beside predictions, the model's beside a right one; beside `UNREAD_ANSWER` all that the model wrote."""
UNREAD_ANSWER = "unread"
"""The column of the long form with what a model wrote where no list could be read from it, as `dxmatch ask` writes it."""

_NAMES: Mapping[str, tuple[str, str, str]] = {
    "case_id": (
        "caseid case patient subject record mrn qid", "case patient subject sample record study question doc vignette item scenario episode encounter",
        "id no nr num number name uid hash",
    ),
    "rater": ("model llm algorithm system annotator reader engine who", "model llm rater reader annotator agent", "id name"),
    RANK: ("position place ranking order", "rank", "no dx ddx diagnosis number"),
    "diagnosis": ("dx differential_diagnosis disease predicted condition", "diagnosis dx ddx hypothesis", "predicted name text suspected finding"),
    REFERENCE: (
        "", "reference references ref gold goldstandard golden truth ground groundtruth true correct right confirmed actual consensus expected target targets solution "
        "label labels real proven verified established definitive published adjudicated accepted acceptable discharge histology histopathology pathology autopsy biopsy key final",
        "dx ddx diagnosis diagnoses diag differential answer answers standard std list set chart review panel committee expert by of the case",
    ),
    PREDICTIONS: (
        "prediction predicted_diagnoses differential differentials ddx differential_diagnoses differential_diagnosis answers output outputs response responses "
        "completion generation generated diagnoses result results", "answer response output completion", "model raw text full",
    ),
    FINAL: ("final_diagnosis final_diagnoses final_dx pathology discharge_diagnosis", "", ""),
    "final_icd10": ("final_icd final_diagnosis_icd10 pathology_icd10", "", ""),
    "icd10": ("icd_10 icd10_code icd10cm icd_10_code icd_code icd", "", ""),
    "reference_icd10": ("gold_icd10 reference_icd gold_icd true_icd10 icd10_reference", "", ""),
    "reference_severity": ("gold_severity golden_diagnosis_severity severity_reference", "", ""),
}  # fmt: skip
"""Our name of a column -> others that it goes by, the surer first; words of which its heading may have one, the surer first, and those that
then stand beside it: "Patient ID", "Predicted diagnosis". Those of right answers may also stand alone: "Truth", "Pathology-confirmed Dx"."""
_NO_REFERENCE = ({"final"}, {"answer"}, {"final", "answer"}, {"final", "answers"}, {"final", "list"})
"""A "final answer" may be a model's."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


TEXTS = words(
    "text vignette case_vignette case_text note clinical_note admission_note chat messages conversation dialogue dialog transcript "
    "case_description case_presentation case_report full_text question description presentation history input prompt"
)
"""Columns that hold what a model is asked about."""
_OF_THE_CASE = TEXTS | words(
    "symptoms findings complaint chief_complaint specialty speciality rarity department source split language country hospital site type group set subset "
    "dataset options reasoning seed ward reviewer author clinic unit status version prompt_version model_version finish_reason stop_reason temperature "
    "unnamed difficulty answer journal"
)
"""Whole headings of what is no diagnosis."""
_ASIDE = words(
    "hash title date age sex gender hpi labs icd icd10 confidence probability prob p certainty remark remarks comment comments note notes explanation rationale "
    "minutes min days year years time seconds duration latency tokens cost price url doi code codes "
    "correct right wrong ok hit correctness accuracy accurate score scores scored match matches matched rating grade points"
)
"""Words that say so where they open or end a heading, and of what stands beside a model's name in one."""
_NUMBERS = ("id", "uid", "idx", "index", "no", "number", "nr", "num")
"""Words that say so where they end it, and alone that it is the case; "Dr Smith, no AI" is a rater."""
_LEAST = 100


def folded(name: str) -> str:
    """A column's name without case, blanks and signs: "Ground truth?" is "ground_truth"."""
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


def _doubt(name: str, ours: str) -> int | None:
    """How far a heading is from saying that it holds this column, 0 for its own name; None where it does not say so."""
    fold, (others, heads, beside) = folded(name), map(str.split, _NAMES.get(ours, ("", "", "")))
    if fold in (known := [ours, *others]):
        return known.index(fold)
    said, alone = {*fold.split("_")}, ours == REFERENCE and not says(name, FINAL)
    said -= {word for word in said if alone and word.isdecimal()}
    at = [place for place, word in enumerate(heads) if word in said]
    if at and said <= {*heads, *beside} and (alone if said.isdisjoint(beside) or ours == REFERENCE else True):
        return len(known) + (min(len(said), 2) if alone else at[0]) if said not in _NO_REFERENCE else None
    return _LEAST + _NUMBERS.index(fold) if ours == "case_id" and fold in _NUMBERS else None


def says(name: str, ours: str) -> bool:
    """Whether a heading says that it holds this column: "Answer key" right answers."""
    return _doubt(name, ours) is not None


def surest(names: Iterable[str], ours: str) -> list[str]:
    """The headings that say most surely that they hold this column."""
    found = [(doubt, name) for name in names if (doubt := _doubt(name, ours)) is not None]
    return [name for doubt, name in found if doubt == min(found)[0]]


def known_as(name: str) -> bool:
    """Whether a column's name says what it holds, and that this is not a model's answers."""
    fold = folded(name)
    said = fold.split("_")
    aside = fold in _OF_THE_CASE or said[0] in _ASIDE or said[-1] in {*_ASIDE, *_NUMBERS}
    return aside or any(says(name, ours) for ours in ROLES_OF_COLUMNS)


def says_what_it_holds(name: str, names: Iterable[str]) -> bool:
    """Whether a column's name is known, or says that it is about another's content: "GPT-4o correct?" beside "GPT-4o"."""
    said = f"_{folded(name)}_"
    rests = (said.replace(f"_{other}_", "_") for other in map(folded, names) if f"_{other}_" in said)
    return known_as(name) or any(not _ASIDE.isdisjoint(rest.split("_")) for rest in rests)


def check_columns(columns: Mapping[str, Any] | None) -> dict[str, Any]:
    """The option as it was given. Raises `OptionError` for a name of ours that is none."""
    if columns is not None and not isinstance(columns, Mapping):
        raise OptionError("columns", "a dict, {our name: the table's}", columns)
    given = dict[str, Any]()
    for ours, name in (columns or {}).items():
        if ours not in ROLES_OF_COLUMNS:
            raise OptionError("columns", f"names for {', '.join(ROLES_OF_COLUMNS)}", ours)
        if ours not in SEVERAL and not isinstance(name, str):
            raise OptionError("columns", f"one name for {ours}", name)
        given[ours] = visible(name) if isinstance(name, str) else [*map(visible, name)]
    return given


def listed(given: Any, names: Sequence[str]) -> list[str]:
    """The columns that an option names: a list of them, or one text with commas between them."""
    if given in names or not isinstance(given, str):
        return [given] if isinstance(given, str) else list(given)
    return [part.strip() for part in given.split(",")]


def columns_named(given: Any, names: Sequence[str], source: str, ours: str = "") -> list[str]:
    """`listed`, all of them there. Errors: `InputError` for one that the table lacks."""
    for name in (found := listed(given, names)):
        if name not in names:
            problem = f"the column {name!r} is missing{f' ({ours})' if ours else ''}{hint(str(name), names)}"
            allowed = "a column of the table, named in the option 'columns'"
            raise InputError(problem, source=source, allowed=allowed, got=names)
    return found


def columns_by_name(names: Sequence[str], given: Mapping[str, list[str]] = {}) -> dict[str, str]:
    """Our name of a column -> the table's: as `given`, else the one that says so most surely; of right answers none where several do.

    given : columns that are there; of several for one name of ours none is taken.
    """
    found = {ours: named[0] for ours, named in given.items() if len(named) == 1 and ours != PREDICTIONS}
    for ours in (ours for ours in ROLES_OF_COLUMNS if ours not in given):
        saying = surest([name for name in names if name not in found.values()], ours)
        if saying and (ours != REFERENCE or len(saying) == 1):
            found[ours] = saying[0]
    return found
