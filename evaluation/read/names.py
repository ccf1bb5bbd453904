"""What the columns of other people's tables are called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from ...errors import InputError, OptionError, quoted
from ...files.did_you_mean import hint
from ...files.invisible import visible
from .long import COLUMNS, FINAL, FINAL_ICD10, MODEL_GROUP

PREDICTIONS = "predictions"
"""Cells that hold a whole list each, or a raw answer."""
RANK = "rank"
"""Also of several columns: one for each rank, in their order."""
ROLES_OF_COLUMNS = (*COLUMNS, PREDICTIONS)
_GROUP = "group"
"""What the option `columns` may call `MODEL_GROUP`; a column of that name may be one of the cases."""

OTHER_NAMES: Mapping[str, tuple[str, ...]] = {
    "case_id": (
        "caseid", "case_number", "case_no", "case_nr", "case", "patient_id", "patientid", "patient", "subject_id", "subject", "sample_id",
        "question_id", "qid", "doc_id", "vignette_id", "item_id", "id", "uid", "idx", "index", "no", "number", "nr",
    ),
    "rater": (
        "model", "model_name", "model_id", "llm", "algorithm", "system", "rater_id", "rater_name", "annotator", "reader", "engine", "who",
    ),
    "rank": ("position", "place", "ranking", "rank_no", "order"),
    "diagnosis": (
        "dx", "predicted_diagnosis", "diagnosis_name", "differential_diagnosis", "disease", "predicted", "condition",
    ),
    "reference": (
        "references", "gold", "gold_standard", "gold_diagnosis", "gold_answer", "gold_dx", "golden", "golden_diagnosis", "truth", "ground_truth",
        "groundtruth", "true_diagnosis", "true_diagnoses", "true_dx", "reference_diagnosis", "reference_diagnoses", "correct_diagnosis", "correct_diagnoses",
        "correct_dx", "correct_answer", "correct_answers", "correct", "right_answer", "right_answers", "right_diagnosis", "final_diagnosis", "final_dx",
        "discharge_diagnosis", "target", "targets", "expected", "solution", "label", "labels",
        "goldstandard",
    ),
    PREDICTIONS: (
        "prediction", "predicted_diagnoses", "differential", "differentials", "ddx", "differential_diagnoses", "differential_diagnosis", "answers",
        "output", "outputs", "response", "responses", "model_output", "model_response", "model_answer", "completion", "generation",
        "generated", "diagnoses", "raw_answer", "text_answer", "result", "results",
    ),
    FINAL: ("final_diagnosis", "final_diagnoses", "final_dx", "pathology", "discharge_diagnosis"),
    FINAL_ICD10: ("final_icd", "final_diagnosis_icd10", "pathology_icd10"),
    MODEL_GROUP: ("group_of_models",),
    "icd10": ("icd_10", "icd10_code", "icd10cm", "icd_10_code", "icd_code", "icd"),
    "reference_icd10": ("gold_icd10", "reference_icd", "gold_icd", "true_icd10", "icd10_reference"),
    "reference_severity": ("gold_severity", "golden_diagnosis_severity", "severity_reference"),
}  # fmt: skip
"""Our name of a column -> others that it goes by in English, the surer first; as `folded` writes them."""
ANSWER = "answer"
"""The right one beside predictions, the model's beside a right one; beside `UNREAD_ANSWER` all that the model wrote."""
UNREAD_ANSWER = "unread"
"""The column of the long form with what a model wrote where no list could be read from it, as `dxmatch ask` writes it."""

TEXTS = (
    "text", "vignette", "case_vignette", "case_text", "note", "clinical_note", "admission_note", "chat", "messages", "conversation", "dialogue",
    "dialog", "transcript", "case_description", "case_presentation", "case_report", "full_text", "question", "description", "presentation",
    "history", "input", "prompt",
)  # fmt: skip
"""Columns that hold what a model is asked about, as `folded` writes them."""
_OF_THE_CASE = frozenset(
    (
        *TEXTS, "notes", "symptoms",
        "findings", "complaint", "chief_complaint", "age", "sex", "gender", "specialty", "speciality", "rarity", "department", "date",
        "source", "split", "language", "country", "hospital", "site", "year", "difficulty", "type", "url", "title", "comment", "comments",
        "remark", "remarks", "group", "set", "subset", "dataset", "options", "explanation", "rationale", "reasoning", "category", "severity", "relation",
        "role", "seed", "ward", "reviewer", "author", "clinic", "unit", "status", "version", "prompt_version", "model_version",
        "finish_reason", "stop_reason", "temperature", "tokens", "cost", "time", "latency", "unnamed", "score", "scores", "confidence", "probability",
    )
)  # fmt: skip

_RANK_WORDS = frozenset(
    (
        "dx",
        "ddx",
        "diagnosis",
        "diagnoses",
        "diag",
        "differential",
        "rank",
        "choice",
        "answer",
        "prediction",
        "pred",
        "top",
        "candidate",
        "hypothesis",
        "guess",
    )
)
"""Words that say that the number beside them is a rank."""
_ORDINALS = (
    ("first", "1st"), ("second", "2nd", "secondary"), ("third", "3rd", "tertiary"), ("fourth", "4th"), ("fifth", "5th"),
    ("sixth", "6th"), ("seventh", "7th"), ("eighth", "8th"), ("ninth", "9th"), ("tenth", "10th"),
)  # fmt: skip
"""Words that are a rank by themselves."""
_LEADING = frozenset(("main", "primary", "leading", "likeliest", "principal"))
"""Words of the first rank, beside columns of others."""
_RATERS = frozenset(
    ("model", "llm", "rater", "reader", "expert", "annotator", "physician", "doctor", "clinician", "reviewer", "run", "repeat", "trial", "seed",
     "sample", "prompt", "attempt", "version", "v", "site", "centre", "center")
)  # fmt: skip
"""Words that say that the number or letter behind them is a name."""
_FOREIGN_ORDINALS = frozenset(
    (
        "erste",
        "zweite",
        "dritte",
        "premier",
        "deuxieme",
        "troisieme",
        "primer",
        "primero",
        "segundo",
        "tercero",
        "prima",
        "seconda",
        "terza",
    )
)
_BARE_DIAGNOSIS = re.compile(r"(?:\w+ )?diagnos\w*|diagnosi", re.IGNORECASE)
"""In any language: "Diagnose", "Diagnostic final"; beside models it may be the right answer."""
_CASES = frozenset(("case", "patient", "subject", "record", "study", "encounter", "participant", "vignette", "mrn"))
_NUMBERS = frozenset(("id", "identifier", "no", "nr", "number", "code", "name"))
_RIGHT = frozenset(
    ("gold", "golden", "truth", "true", "reference", "correct", "right", "confirmed", "actual", "final", "discharge", "consensus", "expected",
     "adjudicated", "proven", "histological", "histopathological", "pathological", "molecular")
)  # fmt: skip
_DIAGNOSIS = frozenset(("dx", "diagnosis", "diagnoses", "answer", "standard", "truth", "label"))
_CODES = frozenset(("icd", "icd10", "code", "severity", "date", "id"))
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_REPEAT = re.compile(r".*\S\s*\[(?!(?:rank|dx|top)\s*#)[^\[\]#]*[^\[\]#\s]\s*#\d+\]")
"""A repeat under a prompt is no rank: "gpt4 [free #2]"."""
_CARDINALS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_TOKEN = re.compile(r"\d{1,2}(?:st|nd|rd|th)\b|\d+(?:\.\d+)*|[^\W\d_]+", re.IGNORECASE)
_ABOUT = frozenset(
    (
        "correct", "right", "wrong", "ok", "hit", "correctness", "accuracy", "accurate", "score", "scores", "scored", "match", "matches", "matched", "rating", "grade",
        "points", "probability", "prob", "p", "confidence", "certainty", "comment", "comments", "note", "notes", "remark", "remarks", "explanation",
        "rationale", "time", "seconds", "duration", "latency", "tokens", "cost", "price", "date", "icd", "icd10", "code", "codes",
    )
)  # fmt: skip
"""Words that make of a model's name the name of what is said of its answers."""
_NO_MODEL = _OF_THE_CASE | _ABOUT | {*OTHER_NAMES["reference"], "reference", *OTHER_NAMES["icd10"], "icd10"}


def folded(name: str) -> str:
    """A column's name without case, accents, blanks and signs: "Diagnóstico correcto?" is "diagnostico_correcto"."""
    return re.sub(r"[\W_]+", "_", _without_accents(name).casefold()).strip("_")


def _without_accents(name: str) -> str:
    """As long as it was."""
    return "".join(unicodedata.normalize("NFKD", sign)[0] for sign in name)


def known_as(name: str) -> bool:
    """Whether a column's name says what it holds, and that this is not a model's answers."""
    fold = folded(name)
    return (
        fold in _OF_THE_CASE
        or fold in ROLES_OF_COLUMNS
        or fold == ANSWER
        or any(fold in others for others in OTHER_NAMES.values())
    )


def column_in_words(name: str) -> str:
    """A column in a message: a name that dxmatch knows is none of the user's data."""
    return repr(name) if known_as(name) else quoted(name)


def about_another(name: str, names: Iterable[str]) -> bool:
    """Whether a column is named for what is said of another's content: "GPT-4o correct?" beside "GPT-4o"."""
    fold = folded(name)
    for other in map(folded, names):
        rest = fold.removeprefix(f"{other}_") if fold.startswith(f"{other}_") else fold.removesuffix(f"_{other}")
        if rest != fold and not _ABOUT.isdisjoint(rest.split("_")):
            return True
    return False


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
    if "case_id" not in found:
        cases = [name for name in present if name not in taken and _names_cases(name)]
        if len(cases) == 1:
            found["case_id"] = cases[0]
    if not found.keys() & {"reference", FINAL, "role"}:
        right = [name for name in present if name not in taken and _says_right(name)]
        if len(right) == 1:
            found["reference"] = right[0]
    if FINAL in found and FINAL not in given and not found.keys() & {"reference", "role"}:
        # beside no set of right answers it is the right answer
        found["reference"] = found.pop(FINAL)
    return found


def _names_cases(name: str) -> bool:
    """Whether a heading says that it names cases: "Record ID", "MRN"."""
    words = {one.casefold() for one in _TOKEN.findall(_without_accents(name))}
    return words == {"mrn"} or (not words.isdisjoint(_CASES) and words <= _CASES | _NUMBERS)


def _says_right(name: str) -> bool:
    """Whether a heading says of a diagnosis that it is the right one: "Confirmed diagnosis", "Ground_Truth_Dx"."""
    words = {one.casefold() for one in _TOKEN.findall(_without_accents(name))}
    return (
        not words.isdisjoint(_RIGHT)
        and not words.isdisjoint(_DIAGNOSIS)
        and _rank_of(name) is None
        and words.isdisjoint(_CODES)
    )


def check_columns(columns: Mapping[str, Any] | None) -> dict[str, Any]:
    """The option as it was given. Raises `OptionError` for a name of ours that is none."""
    if columns is not None and not isinstance(columns, Mapping):
        raise OptionError("columns", "a dict, {our name: the table's}", columns)
    given = {MODEL_GROUP if ours == _GROUP else ours: name for ours, name in (columns or {}).items()}
    for ours, name in given.items():
        if ours not in ROLES_OF_COLUMNS:
            raise OptionError("columns", f"names for {', '.join(ROLES_OF_COLUMNS)}", ours)
        if ours not in (PREDICTIONS, RANK) and not isinstance(name, str):
            raise OptionError("columns", f"one name for {ours}", name)
    return {ours: visible(name) if isinstance(name, str) else [*map(visible, name)] for ours, name in given.items()}


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
    """Whose -> the columns of its ranks in order: dx1, dx2, … ("" for nobody's); gpt4_dx1, …; first diagnosis, second diagnosis; Main diagnosis, Differential 1, ….

    A heading says its rank by a number beside a word of ranks, or by an ordinal; the numbers go on from 0 or 1, or behind a leading one.
    """
    ranks: dict[str, dict[int, str]] = {}
    leading: dict[str, str] = {}
    twice: set[str] = set()
    for name in names:
        found = _rank_of(name)
        if found is None:
            continue
        model, rank = found
        if rank is None:
            twice |= {model} & leading.keys()
            leading[model] = name
        else:
            twice |= {model} if rank in ranks.setdefault(model, {}) else set()
            ranks[model][rank] = name
    out: dict[str, list[str]] = {}
    for model, columns in ranks.items():
        numbers, first = sorted(columns), [leading[model]] if model in leading else []
        starts = (1, 2) if first else (0, 1)
        in_order = numbers == [*range(numbers[0], numbers[0] + len(numbers))] and numbers[0] in starts
        if in_order and len(numbers) + len(first) > 1 and model not in twice and folded(model) not in _NO_MODEL:
            out[model] = [*first, *(columns[n] for n in numbers)]
    return out


def _rank_of(name: str) -> tuple[str, int | None] | None:
    """Whose rank a heading says it holds, and which; None in its place for "leading"; None for a heading that says none."""
    if _REPEAT.fullmatch(name.strip()):
        return None
    found = list(_TOKEN.finditer(_without_accents(name)))
    words = [one[0].casefold() for one in found]
    words = [
        str(_CARDINALS.index(word) + 1) if word in _CARDINALS and at and words[at - 1] in _RANK_WORDS else word
        for at, word in enumerate(words)
    ]
    said: dict[int, int] = {}
    for at, word in enumerate(words):
        number = word.isdecimal() and len(word) < 3
        if (ordinal := next((place for place, forms in enumerate(_ORDINALS, 1) if word in forms), 0)) > 0:
            said[at] = ordinal
        elif number and ((at > 0 and words[at - 1] in _RANK_WORDS) or name[: found[at].start()].endswith("#")):
            said = {at: int(word)}
        elif number and at == 0 and at + 1 < len(words) and words[at + 1] in _RANK_WORDS:
            said[at] = int(word)
    leads = [at for at, word in enumerate(words) if word in _LEADING or (word == "likely" and "most" in words)]
    if len(said) + (not said and len(leads)) != 1:
        return None
    at, rank = next(iter(said.items()), (leads[0] if leads else 0, None))
    rest = [i for i, word in enumerate(words) if i != at and word not in _RANK_WORDS | {"most", "likely"}]
    if not rest:
        return "", rank
    model = name[found[rest[0]].start() : found[rest[-1]].end()].strip()
    return (model, rank) if rest == [*range(rest[0], rest[-1] + 1)] else None


def check_told_apart(names: Iterable[str], source: str) -> None:
    """Refuses headings that differ in nothing but a number, a letter or a Roman number that go on from the first: "A1, A2", "I, II".

    Raises
    ------
    InputError
        For such: they may be ranks of one list, or models.
    """
    names = list(names)
    bare = [name for name in names if _BARE_DIAGNOSIS.fullmatch(_without_accents(name).strip())]
    if bare and len(bare) < len(names):
        raise InputError(
            f"the column {quoted(bare[0])} may hold the right answers, or a model's", source=source,
            allowed=f"the option 'columns': reference={bare[0]} for right answers, or predictions=COLUMN,COLUMN for the models", got=names,
        )  # fmt: skip
    series: dict[tuple[str, ...], dict[int, str]] = {}
    for name in names:
        words = [token.casefold() for token in _TOKEN.findall(_without_accents(name))]
        if (rank := _rank_of(name)) is not None and (rank[1] or 0) > 1:
            raise InputError(
                f"the column {quoted(name)} is of rank {rank[1]}, and the columns of the ranks before it are not there, or twice",
                source=source, allowed="columns of the ranks from 1 on, or the option 'columns' (rank=COLUMN,COLUMN or predictions=COLUMN,COLUMN)", got=name,
            )  # fmt: skip
        if not _FOREIGN_ORDINALS.isdisjoint(words):
            raise InputError(
                f"the column {quoted(name)} may be a rank in words, or a model", source=source,
                allowed="words of ranks in English, or the option 'columns' (rank=COLUMN,COLUMN or predictions=COLUMN,COLUMN)", got=name,
            )  # fmt: skip
        if not words or not _RATERS.isdisjoint(words) or _REPEAT.fullmatch(name.strip()):
            continue
        last = words[-1]
        places = [int(last)] if last.isdecimal() else []
        places += [_ROMAN.index(last) + 1] if last in _ROMAN else []
        places += [ord(last) - ord("a") + 1] if len(words) > 1 and len(last) == 1 and "a" <= last <= "j" else []
        for kind, place in enumerate(places):
            series.setdefault((*words[:-1], str(kind)), {})[place] = name
    for columns in series.values():
        if len(columns) > 1 and sorted(columns) == [*range(1, len(columns) + 1)]:
            named = ",".join(columns[n] for n in sorted(columns))
            raise InputError(
                f"the columns {', '.join(map(quoted, columns.values()))} differ in a number or letter alone: they may be ranks of one list, or models",
                source=source, allowed=f"the option 'columns': rank={named} for ranks, or predictions={named} for models", got=list(columns.values()),
            )  # fmt: skip
