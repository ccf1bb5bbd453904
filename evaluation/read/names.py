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
PREDICTIONS = "predictions"  # cells that hold a whole list each, or a raw answer
RANK = "rank"
COLUMNS = (  # the long form: one row for each case, rater and rank
    "case_id", "rater", RANK, "diagnosis", "role", REFERENCE, "reference_icd10", "reference_severity", FINAL, "final_icd10", *MORE,
)  # fmt: skip
ROLES_OF_COLUMNS = (*COLUMNS, PREDICTIONS)
SEVERAL = (PREDICTIONS, RANK, REFERENCE)  # one of each model, of each rank, of each of several right answers
ANSWER = "answer"  # the right one beside predictions, the model's beside a right one; beside `UNREAD_ANSWER` all that it wrote
UNREAD_ANSWER = "unread"  # what a model wrote where no list could be read from it, as `dxmatch ask` writes it
ASIDE = "aside"  # what is no diagnosis


def folded(name: str) -> str:
    """A column's name without case, blanks and signs: "Ground truth?" is "ground_truth", "PatientID" is "patient_id"."""
    return re.sub(r"[\W_]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).casefold()).strip("_")


_RIGHT = (
    "reference references ref gt gold goldstandard golden truth ground groundtruth true correct right confirmed actual consensus expected target targets solution label "
    "labels real proven verified established definitive published adjudicated accepted acceptable discharge histology histopathology pathology autopsy biopsy key chart"
)  # fmt: skip
TEXTS = (  # columns that hold what a model is asked about
    "text vignette case_vignette case_text note clinical_note admission_note chat messages conversation dialogue dialog transcript "
    "case_description case_presentation case_report full_text question description presentation history input prompt"
)
_NAMES: Mapping[str, tuple[str, str, str]] = {
    "case_id": (
        "caseid case patient subject record item mrn qid * id uid idx index no number nr num scenario vignette",
        "case patient subject sample record study question doc vignette item scenario episode encounter", "id no nr num number name uid hash",
    ),
    "rater": ("model llm algorithm system annotator reader engine who *", "model llm rater reader annotator agent", "id name"),
    RANK: ("position place ranking order *", "rank", "no dx ddx diagnosis number"),
    "diagnosis": ("dx differential_diagnosis disease predicted condition *", "diagnosis dx ddx hypothesis", "predicted proposed suggested name text suspected finding"),
    REFERENCE: (
        "*", _RIGHT, f"{_RIGHT} dx ddx diagnosis diagnoses diag differential answer answers standard std list set review panel committee expert by of the case "
        "final 1 2 3 4 5 6 7 8 9",
    ),
    PREDICTIONS: (
        "prediction predicted_diagnoses differential differentials ddx differential_diagnoses differential_diagnosis answers output outputs response responses "
        "completion generation generated diagnoses result results *", "answer response output completion", "model raw text full",
    ),
    FINAL: ("final_diagnosis final_diagnoses final_dx pathology discharge_diagnosis", "", ""),
    "final_icd10": ("final_icd final_diagnosis_icd10 final_dx_icd10 final_dx_icd_10 pathology_icd10", "", ""),
    "icd10": ("icd_10 icd10_code icd10cm icd_10_code icd_code icd", "", ""),
    "reference_icd10": ("gold_icd10 reference_icd gold_icd true_icd10 icd10_reference", "", ""),
    "reference_severity": ("gold_severity golden_diagnosis_severity severity_reference", "", ""),
    ASIDE: (
        f"{TEXTS} vignette_text phenopacket symptoms findings complaint chief_complaint specialty speciality rarity department source split language country hospital site type group set subset "
        "dataset options reasoning seed ward reviewer author clinic unit status version prompt_version model_version finish_reason stop_reason temperature "
        "unnamed difficulty answer journal", "", "",
    ),
}  # fmt: skip
"""Our name of a column -> others that it goes by, the surer first; a heading of one word or more of the first kind and of the second, and of
no others, says it as well: "Patient ID", "Predicted diagnosis", "Pathology-confirmed Dx"; it is as sure as the "*" among the names."""
WORDS_ASIDE = (  # that say so where they open or end a heading
    "id uid idx index number nr num hash title date age sex gender hpi labs icd icd10 confidence probability prob certainty remark remarks comment comments note notes explanation rationale "
    "thinking trace cot why terms minutes min days year years time seconds duration latency tokens cost price url doi code codes "
    "correct right wrong ok hit correctness accuracy accurate score scores scored match matches matched rating grade points"
)
_KNOWN = {
    ours: ([ours, *names.split()], {*heads.split()}, {*beside.split()})
    for ours, (names, heads, beside) in {**dict.fromkeys(ROLES_OF_COLUMNS, ("", "", "")), **_NAMES}.items()
}


def known_as(name: str) -> dict[str, int]:
    """What a heading says that it holds: our names of columns, or `ASIDE`; and how far it is from saying so, 0 for our own name."""
    said = re.sub(r"(?<=[^\W\d_])(?=\d$)", "_", fold := folded(name)).split("_")
    exact = {ours: names.index(fold) for ours, (names, *_) in _KNOWN.items() if fold in names}
    by_words = {
        ours: names.index("*")
        for ours, (names, heads, beside) in _KNOWN.items()
        if not heads.isdisjoint(said) and not beside.isdisjoint(said) and heads | beside >= {*said}
    }
    # "Dr Smith, no AI" is a rater
    aside = not {said[0], said[-1]}.isdisjoint(WORDS_ASIDE.split()) or said[-1] == "no"
    return exact or by_words or ({ASIDE: 0} if aside else {})


def says(name: str, ours: str) -> bool:
    """Whether a heading says that it holds this column: "Answer key" right answers."""
    return ours in known_as(name)


def surest(names: Iterable[str], ours: str) -> list[str]:
    """The headings that say most surely that they hold this column."""
    doubt = {name: known[ours] for name in names if ours in (known := known_as(name))}
    return [name for name in doubt if doubt[name] == min(doubt.values())]


def check_columns(columns: Mapping[str, Any] | None) -> dict[str, Any]:
    """The option as it was given. Raises `OptionError` for a name of ours that is none, and for several columns where one is meant."""
    given, kinds = columns or {}, {ours: Iterable if ours in SEVERAL else str for ours in ROLES_OF_COLUMNS}
    if not (isinstance(given, Mapping) and all(isinstance(of, kinds.get(ours, ())) for ours, of in given.items())):
        allowed = f"names for {', '.join(ROLES_OF_COLUMNS)}; one each, but for {', '.join(SEVERAL)}"
        raise OptionError("columns", allowed, given)
    return {ours: visible(name) if isinstance(name, str) else [*map(visible, name)] for ours, name in given.items()}


def listed(given: Any, names: Sequence[str]) -> list[str]:
    """The columns that an option names: a list of them, or one text with commas between them."""
    if given in names or not isinstance(given, str):
        return [given] if isinstance(given, str) else list(given)
    return [part.strip() for part in given.split(",")]


def columns_named(given: Any, names: Sequence[str], source: str, ours: str, option: str = "columns") -> list[str]:
    """`listed`, all of them there. Errors: `InputError` for one that the table lacks. option : that names it."""
    found = listed(given, names)
    if lacking := [name for name in found if name not in names]:
        problem = f"the column {lacking[0]!r} is missing ({ours}){hint(str(lacking[0]), names)}"
        raise InputError(problem, source=source, allowed=f"a column of the table in the option '{option}'", got=names)
    return found


def columns_by_name(names: Sequence[str], given: Mapping[str, list[str]] = {}) -> dict[str, str]:
    """Our name of a column -> the table's: as `given`, else the first that says so most surely.

    given : columns that are there; of several for one name of ours none is taken.
    """
    found = {ours: named[0] for ours, named in given.items() if len(named) == 1 and ours != PREDICTIONS}
    for ours in (ours for ours in ROLES_OF_COLUMNS if ours not in given):
        if saying := surest([name for name in names if name not in found.values()], ours):
            found[ours] = saying[0]
    return found
