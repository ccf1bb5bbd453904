"""What the columns of other people's tables are called: one table of English words; anything else is named by the option `columns`."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from ...errors import InputError, OptionError, quoted
from ...files.invisible import visible
from ...files.wording import hint

MORE = ("icd10", "severity", "relation", "category")
FINAL, FINAL_ICD10 = "final", "final_icd10"
OF_THE_REFERENCE = ("reference", "reference_icd10", "reference_severity", FINAL, FINAL_ICD10)
COLUMNS = ("case_id", "rater", "rank", "diagnosis", "role", *OF_THE_REFERENCE, *MORE)
"""The long form: one row for each case, rater and rank."""
PREDICTIONS = "predictions"
"""Cells that hold a whole list each, or a raw answer."""
RANK = "rank"
"""Also of several columns: one for each rank, in their order."""
ROLES_OF_COLUMNS = (*COLUMNS, PREDICTIONS)
ANSWER = "answer"
"""The right one beside predictions, the model's beside a right one; beside `UNREAD_ANSWER` all that the model wrote."""
UNREAD_ANSWER = "unread"
"""The column of the long form with what a model wrote where no list could be read from it, as `dxmatch ask` writes it."""


def words(text: str) -> frozenset[str]:
    """The words of a text."""
    return frozenset(text.split())


def _table(**names: str) -> dict[str, tuple[str, ...]]:
    return {ours: tuple(others.split()) for ours, others in names.items()}


OTHER_NAMES: Mapping[str, tuple[str, ...]] = _table(
    case_id="caseid case_number case_no case_nr case case_name patient_id patientid patient patient_number subject_id subject sample_id record_id record "
    "study_id mrn question_id qid doc_id vignette_id item_id id uid idx index no number nr",
    rater="model model_name model_id llm algorithm system rater_id rater_name annotator reader engine who",
    rank="position place ranking rank_no order",
    diagnosis="dx predicted_diagnosis diagnosis_name differential_diagnosis disease predicted condition",
    reference="references true_differential reference_differential reference_ddx gold gold_standard goldstandard gold_diagnosis gold_answer gold_dx "
    "gold_label golden golden_diagnosis truth ground_truth groundtruth ground_truth_dx ground_truth_diagnosis true_diagnosis true_diagnoses true_dx "
    "reference_diagnosis reference_diagnoses correct_diagnosis correct_diagnoses correct_dx correct_answer correct_answers correct right_answer "
    "right_answers right_diagnosis confirmed_diagnosis actual_diagnosis consensus_diagnosis expected_diagnosis final_diagnosis final_dx "
    "discharge_diagnosis target targets expected solution label labels pathology final",
    predictions="prediction predicted_diagnoses differential differentials ddx differential_diagnoses differential_diagnosis answers output outputs "
    "response responses model_output model_response model_answer completion generation generated diagnoses raw_answer text_answer result results",
    final="final_diagnosis final_diagnoses final_dx pathology discharge_diagnosis",
    final_icd10="final_icd final_diagnosis_icd10 pathology_icd10",
    icd10="icd_10 icd10_code icd10cm icd_10_code icd_code icd",
    reference_icd10="gold_icd10 reference_icd gold_icd true_icd10 icd10_reference",
    reference_severity="gold_severity golden_diagnosis_severity severity_reference",
)
"""Our name of a column -> others that it goes by in English, the surer first; as `folded` writes them."""
KNOWN = frozenset((*ROLES_OF_COLUMNS, *(name for names in OTHER_NAMES.values() for name in names)))
TEXTS = _table(
    text="text vignette case_vignette case_text note clinical_note admission_note chat messages conversation dialogue dialog transcript "
    "case_description case_presentation case_report full_text question description presentation history input prompt"
)["text"]
"""Columns that hold what a model is asked about, the surer first."""
_OF_THE_CASE = {*TEXTS} | words(
    "notes symptoms findings complaint chief_complaint age sex gender "
    "specialty speciality rarity department date source split language country hospital site year difficulty type url title comment comments "
    "remark remarks group set subset dataset options explanation rationale reasoning category severity relation role seed ward reviewer author "
    "clinic unit status version prompt_version model_version finish_reason stop_reason temperature tokens cost time latency unnamed score "
    "scores confidence probability"
)
_ABOUT = words(
    "correct right wrong ok hit correctness accuracy accurate score scores scored match matches matched rating grade points probability prob p "
    "confidence certainty comment comments note notes remark remarks explanation rationale time seconds duration latency tokens cost price date "
    "icd icd10 code codes"
)
"""Words that make of a model's name the name of what is said of its answers."""
_MADE_OF = {
    "case_id": ("case patient subject record question vignette scenario episode encounter", "id no nr number num name uid hash"),
    "rater": ("model llm rater reader annotator agent", "id name"),
    "rank": ("rank", "dx ddx diagnosis number no"),
    "diagnosis": ("dx ddx diagnosis hypothesis", "text name predicted suspected finding"),
    PREDICTIONS: ("answer response output completion", "text full raw"),
    "reference": (
        "reference ref gold golden ground truth groundtruth true actual real correct right confirmed proven verified established definitive final "
        "expected target published adjudicated consensus accepted acceptable discharge histology histopathology pathology autopsy biopsy key solution",
        "dx ddx diagnosis diagnoses diag differential answer answers label standard std list set chart review panel committee expert by of the case",
    ),
}  # fmt: skip
"""Our name of a column -> words of which its heading has at least one, and those that may stand beside them: "Pathology-confirmed Dx"."""
_NO_ANSWER = words(
    "hash title date age sex gender hpi labs icd icd10 confidence probability prob remark remarks comment comments minutes min days years url doi"
)
"""Words that say of a heading, where they open or end it, that it holds no diagnoses."""
_NAMED = words("id no nr number num")
"""Words that say so where they end it; "Dr Smith, no AI" is a rater."""
_NO_MODEL = _OF_THE_CASE | _ABOUT | {*OTHER_NAMES["reference"], "reference", *OTHER_NAMES["icd10"]}

_RANK_WORDS = words(
    "dx ddx diagnosis diagnoses diag differential rank choice answer prediction pred top candidate hypothesis guess"
)
"""Words that say that the number beside them is a rank."""
_ORDINALS = {
    word: place
    for place, words in enumerate(
        ("first 1st", "second 2nd secondary", "third 3rd tertiary", "fourth 4th", "fifth 5th", "sixth 6th", "seventh 7th", "eighth 8th", "ninth 9th", "tenth 10th"),
        1,
    )
    for word in words.split()
}  # fmt: skip
"""Words that are a rank by themselves."""
_CARDINALS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_LEADING = words("main primary leading likeliest principal likely")
"""Words of the first rank, beside columns of others."""
_RATER = re.compile(
    r"model|llm|rater|reader|expert|annotator|doctor|reviewer|gp|resident|fellow|attending|consultant|student|nurse|surgeon|\w+(?:ician|ologist)"
    r"|run|repeat|trial|seed|sample|prompt|attempt|version|v|site|cent(?:re|er)"
)
"""Words that say that the number or letter behind them is a name."""
_FOREIGN = re.compile(
    r"\b(?:erste|zweite|dritte|premier|deuxi[eè]me|troisi[eè]me|primero?|segundo|tercero|prima|seconda|terza)\b|(?:^(?:\w+ )?|\b\w+)diagn[oó](?!sis\b|ses\b)\w*",
    re.IGNORECASE,
)
"""Headings of other languages that hold ranks or right answers as often as a model: they are asked about."""
_ROMAN = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x")
_REPEAT = re.compile(r".*\S\s*\[(?!(?:rank|dx|top)\s*#)[^\[\]#]*[^\[\]#\s]\s*#\d+\]")
"""A repeat under a prompt is no rank: "gpt4 [free #2]"."""
_TOKEN = re.compile(r"\d{1,2}(?:st|nd|rd|th)\b|\d+(?:\.\d+)*|[^\W\d_]+", re.IGNORECASE)
WAYS = "the option 'columns' (rank=COLUMN,COLUMN for the ranks of one list, predictions=COLUMN,COLUMN for models, reference=COLUMN for right answers)"


def folded(name: str) -> str:
    """A column's name without case, blanks and signs: "Ground truth?" is "ground_truth"."""
    return re.sub(r"[\W_]+", "_", name.casefold()).strip("_")


def says(name: str, ours: str) -> bool:
    """Whether the words of a column's name say that it is one of ours: "Answer key" a reference; a "final answer" may be a model's."""
    said, (heads, beside) = {*folded(name).split("_")}, map(words, _MADE_OF[ours])
    if ours == "reference":
        said = {word for word in said if not word.isdecimal()}
    return bool(said & heads) and said <= heads | beside and not said <= {"final", "answer", "answers", "list"}


def known_as(name: str) -> bool:
    """Whether a column's name says what it holds, and that this is not a model's answers."""
    known = folded(name) in _OF_THE_CASE | KNOWN | {ANSWER} or says(name, "reference")
    said = folded(name).split("_")
    return known or said[0] in _NO_ANSWER or said[-1] in _NO_ANSWER | _NAMED


def says_what_it_holds(name: str, names: Iterable[str]) -> bool:
    """Whether a column's name is known, or says that it is about another's content: "GPT-4o correct?" beside "GPT-4o"."""
    fold = folded(name)
    for other in map(folded, names):
        rest = fold.removeprefix(f"{other}_") if fold.startswith(f"{other}_") else fold.removesuffix(f"_{other}")
        if rest != fold and not _ABOUT.isdisjoint(rest.split("_")):
            return True
    return known_as(name)


def column_in_words(name: str) -> str:
    """A column in a message: a name that dxmatch knows is none of the user's data."""
    return "a column without a name" if not name.strip() else repr(name) if known_as(name) else quoted(name)


def check_columns(columns: Mapping[str, Any] | None) -> dict[str, Any]:
    """The option as it was given. Raises `OptionError` for a name of ours that is none."""
    if columns is not None and not isinstance(columns, Mapping):
        raise OptionError("columns", "a dict, {our name: the table's}", columns)
    given = dict(columns or {})
    for ours, name in given.items():
        if ours not in ROLES_OF_COLUMNS:
            raise OptionError("columns", f"names for {', '.join(ROLES_OF_COLUMNS)}", ours)
        if ours not in (PREDICTIONS, RANK) and not isinstance(name, str):
            raise OptionError("columns", f"one name for {ours}", name)
    return {ours: visible(name) if isinstance(name, str) else [*map(visible, name)] for ours, name in given.items()}


def columns_by_name(names: Iterable[str], given: Mapping[str, Any], source: str) -> dict[str, str]:
    """Our name of a column -> the table's: as `given`, else of the same name, else of a name that it goes by.

    Raises
    ------
    InputError
        For a column in `given` that the table lacks.
    """
    present = list(names)
    by_fold = {folded(name): name for name in reversed(present)}
    several = {PREDICTIONS} | ({RANK} if RANK in given and several_named(given[RANK], present) else set())
    found = {
        ours: columns_named([name], present, source, ours)[0] for ours, name in given.items() if ours not in several
    }
    taken = {*found.values()}
    for ours in ROLES_OF_COLUMNS:
        for other in (ours, *OTHER_NAMES.get(ours, ())):
            name = by_fold.get(other)
            if ours not in found and name is not None and name not in taken:
                found[ours] = name
                taken.add(name)
    for ours in (ours for ours in _MADE_OF if ours not in found):
        saying = [name for name in present if name not in taken and says(name, ours)]
        if len(saying) == 1:
            (found[ours],) = saying
            taken.add(found[ours])
    return found


def unnamed_cases(names: Collection[str]) -> dict[str, str]:
    """The column without a name, as pandas writes an index, as that of the cases."""
    return {"case_id": ""} if "" in names else {}


def several_named(given: Any, names: Collection[str]) -> bool:
    """Whether an option names several columns: a list of them, or one text with commas between them."""
    return not isinstance(given, str) or (given not in names and "," in given)


def columns_named(given: Any, names: list[str], source: str, ours: str = "") -> list[str]:
    """The columns that an option names: a list of them, or one text with commas between them.

    Raises
    ------
    InputError
        For one that the table lacks.
    """
    several = isinstance(given, str) and given not in names
    listed = [part.strip() for part in given.split(",")] if several else [given] if isinstance(given, str) else given
    for name in listed:
        if name not in names:
            problem = f"the column {name!r} is missing{f' ({ours})' if ours else ''}{hint(str(name), names)}"
            allowed = "a column of the table, named in the option 'columns'"
            raise InputError(problem, source=source, allowed=allowed, got=names)
    return list(listed)


def numbered(names: Iterable[str]) -> dict[str, list[str]]:
    """Whose -> the columns of its ranks in order: dx1, dx2, … ("" for nobody's); gpt4_dx1, …; first diagnosis, second diagnosis; Main diagnosis, Differential 1, ….

    A heading says its rank by a number beside a word of ranks, or by an ordinal; the numbers go on from 0 or 1, or behind a leading one.
    """
    ranks: dict[str, list[tuple[int, str]]] = {}
    for name in names:
        if (found := _rank_of(name)) is not None:
            ranks.setdefault(found[0], []).append((found[1], name))
    out: dict[str, list[str]] = {}
    for model, columns in ranks.items():
        columns.sort()
        at = [rank for rank, _ in columns]
        rest = at[1:] if at[0] == _LEADS else at
        starts = (1, 2) if at[0] == _LEADS else (0, 1)
        in_order = rest and rest == [*range(rest[0], rest[0] + len(rest))] and rest[0] in starts
        if in_order and len(at) > 1 and folded(model) not in _NO_MODEL and not (model and says(model, "reference")):
            out[model] = [name for _, name in columns]
    return out


_LEADS = -1


def _rank_of(name: str) -> tuple[str, int] | None:
    """Whose rank a heading says it holds, and which, `_LEADS` for "leading"; None for a heading that says none."""
    if _REPEAT.fullmatch(name.strip()):
        return None
    found = list(_TOKEN.finditer(name))
    words = [one[0].casefold() for one in found]
    said: dict[int, int] = {}
    for at, word in enumerate(words):
        behind = at > 0 and words[at - 1] in _RANK_WORDS
        before = at == 0 and len(words) > 1 and words[1] in _RANK_WORDS
        if word in _ORDINALS:
            said[at] = _ORDINALS[word]
        elif word.isdecimal() and len(word) < 3 and (behind or before or name[: found[at].start()].endswith("#")):
            said = {at: int(word)}
        elif behind and word in _CARDINALS:
            said = {at: _CARDINALS.index(word)}
    leads = [at for at, word in enumerate(words) if word in _LEADING and (word != "likely" or "most" in words)]
    said = said or dict.fromkeys(leads, _LEADS)
    if len(said) != 1:
        return None
    ((at, rank),) = said.items()
    rest = [i for i, word in enumerate(words) if i != at and word not in _RANK_WORDS | {"most", "likely"}]
    if not rest:
        return "", rank
    model = name[found[rest[0]].start() : found[rest[-1]].end()].strip()
    return (model, rank) if rest == [*range(rest[0], rest[-1] + 1)] else None


def check_told_apart(names: Collection[str], source: str) -> None:
    """Refuses headings that may be ranks of one list, models, or right answers.

    Raises
    ------
    InputError
        For headings that differ in nothing but a number, a letter or a Roman number that go on from the first ("A1, A2", "I, II"); for a rank
        without those before it; and for ordinals, or the word diagnosis, of another language.
    """
    series: dict[tuple[str, ...], dict[int, str]] = {}
    for name in names:
        words = [token.casefold() for token in _TOKEN.findall(name)]
        rank = _rank_of(name)
        if (rank is not None and rank[1] > 1) or (_FOREIGN.search(name) and len(names) > 1):
            problem = f"the column {quoted(name)} may hold a rank, the right answers, or a model's"
            raise InputError(problem, source=source, allowed=WAYS, got=list(names))
        if not words or _REPEAT.fullmatch(name.strip()) or (len(words) > 1 and _RATER.fullmatch(words[-2])):
            continue
        last = words[-1]
        places = [int(last)] if last.isdecimal() else []
        places += [_ROMAN.index(last) + 1] if last in _ROMAN else []
        places += [ord(last) - ord("a") + 1] if len(last) == 1 and "a" <= last <= "j" else []
        for kind, place in enumerate(places):
            series.setdefault((*words[:-1], str(kind)), {})[place] = name
    for columns in series.values():
        if len(columns) > 1 and sorted(columns) == [*range(1, len(columns) + 1)]:
            named = [columns[n] for n in sorted(columns)]
            raise InputError(
                f"the columns {', '.join(map(quoted, named))} differ in a number or letter alone: they may be ranks of one list, or models",
                source=source, allowed=f"the option 'columns': rank={','.join(named)} for ranks, or predictions={','.join(named)} for models", got=named,
            )  # fmt: skip
