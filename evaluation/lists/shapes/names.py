"""What the columns of other people's tables are called."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ....errors import InputError, OptionError
from ....files.did_you_mean import hint
from .long import COLUMNS

PREDICTIONS = "predictions"
"""Cells that hold a whole list each, or a raw answer."""
RANK = "rank"
"""Also of several columns: one for each rank, in their order."""
ROLES_OF_COLUMNS = (*COLUMNS, PREDICTIONS)

OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "case_id": (
        "case", "caseid", "case_number", "case_no", "patient_id", "patient", "patientid", "subject_id", "subject", "sample_id",
        "question_id", "qid", "doc_id", "vignette_id", "item_id", "id", "uid", "idx", "index", "no", "number",
    ),
    "rater": (
        "model", "model_name", "model_id", "llm", "algorithm", "system", "rater_id", "rater_name", "annotator", "reader", "engine", "who",
    ),
    "rank": ("position", "place", "ranking", "rank_no", "order"),
    "diagnosis": (
        "dx", "predicted_diagnosis", "diagnosis_name", "differential_diagnosis", "disease", "predicted", "diagnose", "condition",
    ),
    "reference": (
        "references", "gold", "gold_standard", "gold_diagnosis", "gold_answer", "golden", "golden_diagnosis", "truth", "ground_truth",
        "groundtruth", "true_diagnosis", "true_diagnoses", "reference_diagnosis", "reference_diagnoses", "correct_diagnosis", "correct_answer",
        "correct_answers", "correct", "right_answer", "right_answers", "right_diagnosis", "final_diagnosis", "discharge_diagnosis", "target",
        "targets", "expected", "solution", "label", "labels",
    ),
    PREDICTIONS: (
        "prediction", "predicted_diagnoses", "differential", "differentials", "ddx", "differential_diagnoses", "differential_diagnosis", "answers",
        "output", "outputs", "response", "responses", "model_output", "model_response", "model_answer", "completion", "generation",
        "generated", "diagnoses", "raw_answer", "text_answer", "result", "results",
    ),
    "icd10": ("icd_10", "icd10_code", "icd10cm", "icd_10_code", "icd_code", "icd"),
    "reference_icd10": ("gold_icd10", "reference_icd", "gold_icd", "true_icd10", "icd10_reference"),
    "reference_severity": ("gold_severity", "golden_diagnosis_severity", "severity_reference"),
}  # fmt: skip
"""Our name of a column -> others that it goes by, the surer first."""
ANSWER = "answer"
"""The right one beside predictions, the model's beside a right one."""

_OF_THE_CASE = frozenset(
    (
        "text", "note", "notes", "vignette", "question", "prompt", "input", "description", "presentation", "history", "symptoms",
        "findings", "complaint", "chief_complaint", "age", "sex", "gender", "specialty", "speciality", "rarity", "department", "date",
        "source", "split", "language", "country", "hospital", "site", "year", "difficulty", "type", "url", "title", "comment", "comments",
        "remark", "remarks", "group", "set", "subset", "dataset", "options", "explanation", "rationale", "reasoning", "category", "severity", "relation",
        "role", "seed", "temperature", "tokens", "cost", "time", "latency", "unnamed",
    )
)  # fmt: skip

_NUMBERED = re.compile(r"^(?P<stem>.*?)[\s_.\-#]*(?P<number>\d{1,2})$")
_OF_A_RANK = re.compile(
    r"(?:^|[\s_.\-]+)(?:dx|ddx|diagnosis|diag|diagnoses|rank|top|prediction|pred|answer|differential|candidate|hypothesis|guess)$"
)


def folded(name: str) -> str:
    """A column's name without case, blanks and hyphens."""
    return re.sub(r"[\s\-_.]+", "_", name.strip().casefold()).strip("_")


def known_as(name: str) -> bool:
    """Whether a column's name says what it holds, and that this is not a model's answers."""
    fold = folded(name)
    return (
        fold in _OF_THE_CASE
        or fold in ROLES_OF_COLUMNS
        or fold == ANSWER
        or any(fold in others for others in OTHER_NAMES.values())
    )


def columns_by_name(names: Iterable[str], given: Mapping[str, Any], source: str) -> dict[str, str]:
    """Our name of a column -> the table's: as `given`, else of the same name, else of a name that it goes by.

    Raises
    ------
    InputError
        For a column in `given` that the table lacks.
    """
    present = list(names)
    by_fold: dict[str, str] = {}
    for name in present:
        by_fold.setdefault(folded(name), name)
    found: dict[str, str] = {}
    for ours, name in given.items():
        if ours == PREDICTIONS or (ours == RANK and several_named(name, present)):
            continue
        if name not in present:
            allowed = "a column of the table, named in the option 'columns'"
            problem = f"the column {name!r} is missing ({ours}){hint(name, present)}"
            raise InputError(problem, source=source, allowed=allowed, got=present)
        found[ours] = name
    taken = {*found.values()}
    for ours in ROLES_OF_COLUMNS:
        for other in (ours, *OTHER_NAMES.get(ours, ())):
            name = by_fold.get(other)
            if ours not in found and name is not None and name not in taken:
                found[ours] = name
                taken.add(name)
    return found


def check_columns(columns: Mapping[str, Any] | None) -> dict[str, Any]:
    """The option as it was given. Raises `OptionError` for a name of ours that is none."""
    given = dict(columns or {})
    for ours, name in given.items():
        if ours not in ROLES_OF_COLUMNS:
            raise OptionError("columns", f"names for {', '.join(ROLES_OF_COLUMNS)}", ours)
        if ours not in (PREDICTIONS, RANK) and not isinstance(name, str):
            raise OptionError("columns", f"one name for {ours}", name)
    return given


def several_named(given: Any, names: Iterable[str]) -> bool:
    """Whether an option names several columns: a list of them, or one text with commas between them."""
    return not isinstance(given, str) or (given not in names and "," in given)


def columns_named(given: Any, names: list[str], source: str) -> list[str]:
    """The columns that an option names: a list of them, or one text with commas between them.

    Raises
    ------
    InputError
        For one that the table lacks.
    """
    if isinstance(given, str):
        listed = [given] if given in names else [part.strip() for part in given.split(",")]
    else:
        listed = list(given)
    for name in listed:
        if name not in names:
            problem = f"the column {name!r} is missing{hint(str(name), names)}"
            raise InputError(problem, source=source, allowed="a column of the table", got=names)
    return listed


def numbered(names: Iterable[str]) -> dict[str, list[str]]:
    """Whose -> the columns of its ranks in order, of names such as dx1, dx2, … ("" for nobody's) or gpt4_dx1, gpt4_dx2, ….

    The name must say that it is a rank or a diagnosis ("gpt 1" may be a model), and the numbers go on from 0 or 1.
    """
    stems: dict[str, dict[int, str]] = {}
    for name in names:
        if found := _NUMBERED.match(name.strip()):
            stems.setdefault(found["stem"].strip(), {})[int(found["number"])] = name
    out: dict[str, list[str]] = {}
    for stem, columns in stems.items():
        numbers = sorted(columns)
        of_ranks = _OF_A_RANK.search(stem.casefold())
        if of_ranks and len(numbers) > 1 and numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1))):
            out.setdefault(stem[: of_ranks.start()].strip(" _-."), [columns[n] for n in numbers])
    return out
