"""What the columns of other people's tables are called."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from ....errors import InputError, OptionError, quoted
from ....files.did_you_mean import hint
from ....files.invisible import visible
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
        "question_id", "qid", "doc_id", "vignette_id", "item_id",
        "fall_id", "fallid", "fallnummer", "fall_nummer", "fallnr", "fall_nr", "fall_no", "fall", "patienten_id", "patientennummer", "patienten_nr",
        "id_cas", "cas_id", "numero_de_cas", "numero_du_cas", "numero_cas", "cas_n", "cas_no", "cas", "id_patient",
        "id_caso", "caso_id", "numero_de_caso", "numero_del_caso", "numero_caso", "caso_n", "caso_no", "caso", "id_paciente", "paciente", "id_paziente", "paziente",
        "id", "uid", "idx", "index", "no", "number", "nr", "nummer", "numero",
    ),
    "rater": (
        "model", "model_name", "model_id", "llm", "algorithm", "system", "rater_id", "rater_name", "annotator", "reader", "engine", "who",
        "modell", "modellname", "sprachmodell", "ki_modell", "algorithmus", "modele", "nom_du_modele", "algorithme", "modelo", "algoritmo", "modello",
    ),
    "rank": (
        "position", "place", "ranking", "rank_no", "order", "rang", "platz", "rangfolge", "rango", "classement", "puesto", "posicion", "posizione",
    ),
    "diagnosis": (
        "dx", "predicted_diagnosis", "diagnosis_name", "differential_diagnosis", "disease", "predicted", "condition",
        "diagnose", "verdachtsdiagnose", "differentialdiagnose", "differenzialdiagnose", "krankheit",
        "diagnostic", "diagnostic_differentiel", "maladie", "diagnostico", "diagnostico_diferencial", "enfermedad",
        "diagnosi", "diagnosi_differenziale", "malattia",
    ),
    "reference": (
        "references", "gold", "gold_standard", "gold_diagnosis", "gold_answer", "gold_dx", "golden", "golden_diagnosis", "truth", "ground_truth",
        "groundtruth", "true_diagnosis", "true_diagnoses", "true_dx", "reference_diagnosis", "reference_diagnoses", "correct_diagnosis", "correct_diagnoses",
        "correct_dx", "correct_answer", "correct_answers", "correct", "right_answer", "right_answers", "right_diagnosis", "final_diagnosis", "final_dx",
        "discharge_diagnosis", "target", "targets", "expected", "solution", "label", "labels",
        "goldstandard", "richtige_diagnose", "richtige_diagnosen", "richtige_antwort", "korrekte_diagnose", "wahre_diagnose", "tatsachliche_diagnose",
        "referenzdiagnose", "referenz", "finale_diagnose", "endgultige_diagnose", "enddiagnose", "entlassungsdiagnose", "entlassdiagnose", "hauptdiagnose",
        "musterlosung", "losung",
        "diagnostic_correct", "bon_diagnostic", "diagnostic_exact", "diagnostic_final", "diagnostic_definitif", "diagnostic_de_reference", "diagnostic_reel",
        "diagnostic_retenu", "bonne_reponse", "reponse_correcte",
        "diagnostico_correcto", "diagnostico_final", "diagnostico_definitivo", "diagnostico_de_referencia", "diagnostico_real", "respuesta_correcta",
        "referencia", "patron_oro", "estandar_de_oro",
        "diagnosi_corretta", "diagnosi_finale", "diagnosi_definitiva", "diagnosi_di_riferimento", "risposta_corretta", "riferimento",
    ),
    PREDICTIONS: (
        "prediction", "predicted_diagnoses", "differential", "differentials", "ddx", "differential_diagnoses", "differential_diagnosis", "answers",
        "output", "outputs", "response", "responses", "model_output", "model_response", "model_answer", "completion", "generation",
        "generated", "diagnoses", "raw_answer", "text_answer", "result", "results",
        "antwort", "antworten", "modellantwort", "ausgabe", "differentialdiagnosen", "differenzialdiagnosen", "diagnosen",
        "reponse", "reponses", "diagnostics", "diagnostics_differentiels", "respuesta", "respuestas", "diagnosticos", "diagnosticos_diferenciales",
        "risposta", "risposte", "diagnosi_differenziali",
    ),
    FINAL: (
        "final_diagnosis", "final_diagnoses", "final_dx", "pathology", "discharge_diagnosis", "finale_diagnose", "endgultige_diagnose", "enddiagnose",
        "diagnostic_final", "diagnostic_definitif", "diagnostico_final", "diagnostico_definitivo", "diagnosi_finale", "diagnosi_definitiva",
    ),
    FINAL_ICD10: ("final_icd", "final_diagnosis_icd10", "pathology_icd10"),
    MODEL_GROUP: ("group_of_models",),
    "icd10": ("icd_10", "icd10_code", "icd10cm", "icd_10_code", "icd_code", "icd"),
    "reference_icd10": ("gold_icd10", "reference_icd", "gold_icd", "true_icd10", "icd10_reference"),
    "reference_severity": ("gold_severity", "golden_diagnosis_severity", "severity_reference"),
}  # fmt: skip
"""Our name of a column -> others that it goes by in English, German, French, Spanish and Italian, the surer first; as `folded` writes them."""
ANSWER = "answer"
"""The right one beside predictions, the model's beside a right one; beside `UNREAD_ANSWER` all that the model wrote."""
UNREAD_ANSWER = "unread"
"""The column of the long form with what a model wrote where no list could be read from it, as `dxmatch ask` writes it."""

_OF_THE_CASE = frozenset(
    (
        "text", "note", "notes", "vignette", "question", "prompt", "input", "description", "presentation", "history", "symptoms",
        "findings", "complaint", "chief_complaint", "age", "sex", "gender", "specialty", "speciality", "rarity", "department", "date",
        "source", "split", "language", "country", "hospital", "site", "year", "difficulty", "type", "url", "title", "comment", "comments",
        "remark", "remarks", "group", "set", "subset", "dataset", "options", "explanation", "rationale", "reasoning", "category", "severity", "relation",
        "role", "seed", "ward", "reviewer", "physician", "doctor", "clinician", "author", "clinic", "unit", "status", "version", "prompt_version", "model_version",
        "finish_reason", "stop_reason", "temperature", "tokens", "cost", "time", "latency", "unnamed", "score", "scores", "confidence", "probability",
        "fachgebiet", "fachrichtung", "fachbereich", "abteilung", "fallbeschreibung", "beschreibung", "anamnese", "befund", "befunde", "alter",
        "geschlecht", "kommentar", "kommentare", "bemerkung", "bemerkungen", "anmerkung", "anmerkungen", "quelle", "sprache", "land", "klinik", "jahr",
        "schwierigkeit", "schweregrad", "datum", "gruppe", "haufigkeit", "frage", "begrundung", "notiz", "notizen", "punkte",
        "specialite", "service", "sexe", "commentaire", "commentaires", "remarque", "remarques", "langue", "pays", "hopital", "annee", "difficulte",
        "groupe", "antecedents", "symptomes", "justification",
        "especialidad", "servicio", "edad", "sexo", "comentario", "comentarios", "observaciones", "idioma", "pais", "ano", "dificultad", "grupo", "fecha",
        "antecedentes", "sintomas", "vineta", "justificacion",
        "specialita", "reparto", "eta", "sesso", "commento", "commenti", "osservazioni", "lingua", "paese", "anno", "difficolta", "gruppo", "anamnesi",
        "sintomi", "vignetta",
    )
)  # fmt: skip

_RANKED = (
    r"(?:dd?x|diagnos[ei]s?|diagnosen|diagnostic|diagnostico|diag|rank|rang|rango|platz|top|prediction|pred|answer|antwort|reponse|respuesta|risposta|"
    r"differential|candidate|hypothesis|guess)"
)
_RANK_SAID = (
    rf"(?:{_RANKED}[\s_.\-#]*(?P<after>\d{{1,2}})|#\s*(?P<sign>\d{{1,2}})|(?P<ordinal>\d{{1,2}})(?:st|nd|rd|th)(?:[\s_.\-]+{_RANKED})?"
    rf"|(?P<before>\d{{1,2}})\.[\s_]*{_RANKED})"
)
_BETWEEN = r"[\s_.\-–—:/|(\[]"
_REPEAT = rf".*\S\s*\[(?!{_RANKED}\W)[^\[\]#]*[^\[\]#\s]\s*#\d+\]$"
"""A repeat under a prompt is no rank: "gpt4 [free #2]"."""
_RANK_LAST = re.compile(rf"^(?!{_REPEAT})(?:(?P<model>.*?)(?:{_BETWEEN}+|(?=#)))?{_RANK_SAID}[)\]]?$", re.IGNORECASE)
_RANK_FIRST = re.compile(rf"^{_RANK_SAID}{_BETWEEN}+(?P<model>.*?)[)\]]?$", re.IGNORECASE)
"""A column of one rank: "dx1", "GPT-4o (rank 1)", "GPT-4o #1", "GPT-4o - 1st", "GPT-4o Diagnosis 1", "1. Diagnose"; and "dx1 (GPT-4o)"."""
_ABOUT = frozenset(
    (
        "correct", "right", "wrong", "ok", "hit", "correctness", "accuracy", "accurate", "score", "scores", "scored", "match", "matches", "matched", "rating", "grade",
        "points", "probability", "prob", "p", "confidence", "certainty", "comment", "comments", "note", "notes", "remark", "remarks", "explanation",
        "rationale", "time", "seconds", "duration", "latency", "tokens", "cost", "price", "date", "icd", "icd10", "code", "codes",
        "richtig", "korrekt", "falsch", "treffer", "punkte", "bewertung", "wahrscheinlichkeit", "kommentar", "bemerkung", "zeit", "dauer", "kosten",
        "juste", "faux", "commentaire", "probabilite", "temps", "correcto", "correcta", "comentario", "probabilidad", "tiempo",
        "corretto", "corretta", "commento", "probabilita", "tempo",
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
    if FINAL in found and FINAL not in given and not found.keys() & {"reference", "role"}:
        # beside no set of right answers it is the right answer
        found["reference"] = found.pop(FINAL)
    return found


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
    """Whose -> the columns of its ranks in order, of names such as dx1, dx2, … ("" for nobody's) or gpt4_dx1, gpt4_dx2, ….

    The name must say that it is a rank or a diagnosis ("gpt 1" may be a model), and the numbers go on from 0 or 1.
    """
    ranks: dict[tuple[str, str], dict[int, str]] = {}
    for name in names:
        plain = _without_accents(name.strip())
        found = _RANK_LAST.match(plain) or _RANK_FIRST.match(plain)
        if found is None:
            continue
        at, end = found.span("model")
        model = name.strip()[at:end].strip(" _-–—.:/|([") if at >= 0 else ""
        of = next(of for of in ("after", "sign", "ordinal", "before") if found[of])
        # "dx1" and "diagnosis 1" are two series; "1st" and "2nd" are one
        series = "" if of == "ordinal" else plain[: found.start(of)] + plain[found.end(of) :]
        ranks.setdefault((model, series.strip()), {})[int(found[of])] = name
    out: dict[str, list[str]] = {}
    for (model, _), columns in ranks.items():
        numbers = sorted(columns)
        whole = numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))
        if len(numbers) > 1 and whole and folded(model) not in _NO_MODEL:
            out.setdefault(model, [columns[n] for n in numbers])
    return out
