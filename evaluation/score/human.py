"""How well a judge, M or a language model, agrees with humans, and these with each other, over cases.

ClinBench-HPB, §3.2, prints the first of it: 97.5 % with physicians on 393 Chinese diseases, 97.7 % on 132 English ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...files.invisible import read_visible
from ...files.pair_labels import BLANK, HUMAN, experts_of, majority_of
from ...files.tables import Table
from ...pages.encodings import only
from ...pages.rows import Row
from ...stats.agreement import OF_CLASSES, VERDICTS, verdicts_agree
from ..match.judge import BOTH, BY_M, JUDGE, MAJORITY, place_of
from ..match.matches import Matches
from ..match.options import NOBODY, Graded
from ..read.findings import Finding
from ..read.lists import Lists, cell_text
from ..read.names import columns_by_name
from .declare import Measure
from .scores import FamilyScores, Score, Settings
from .weighted import APART, CHECKS, RANKS, RELATIONS, SEVERITIES, degrees_of

NAME, TITLE = "human", "Agreement with human labels"
COLUMNS = (
    "who", "against", "metric", "value", "low", "high", "undefined_repeats", "reason", "items", "included", "n_cases",
)  # fmt: skip

AS_GIVEN = "as given"
"""Who says a class that stands in the lists."""
Labels = NDArray[np.int8]
_YES_NO = {"yes": 1, "no": 0}
_SCALES: Mapping[str, Mapping[str, int]] = {"relation": RELATIONS, "severity": SEVERITIES}
"""Kernel29's two questions: the number of each class. Any other question is one of yes and no."""


def scores(matches: Matches, settings: Settings) -> FamilyScores:
    """Compares M over whole lists, a judge, and a judge with its check with humans, on the items that each of them decides.

    The part agreement names who agrees with whom: each judge with the human, or where there are several with their majority and with
    each; and each two humans. items : that both decide. included : how many of them the second includes. The table confusion counts who
    said what. Classes of relation and severity that people told stand there, too, as `of_classes` has them.

    Raises
    ------
    InputError
        Where no labelled item has a verdict of all.
    """
    answers, graded, more = matches.answers, settings.graded, dict[str, str]()
    found = list[tuple[list[Score], list[Finding]]]()
    if graded.human is not None:
        found, more = [of_classes(answers, graded)], {"question": "right answer"}
    if matches.humans:
        assert matches.references is not None
        verdicts = {BY_M: matches.references.hits.any(2), **({} if matches.judged is None else matches.judged.verdicts)}
        labelled = np.logical_or.reduce([one != BLANK for one in matches.humans.values()])
        humans, judges = (
            {who: of[labelled].astype(np.int8) for who, of in those.items()} for those in (matches.humans, verdicts)
        )
        found.insert(0, of_labels(humans, judges, np.nonzero(labelled)[0].tolist(), answers.source, **more))
    return family(found, (*more, *COLUMNS))


def of_classes(answers: Lists, graded: Graded) -> tuple[list[Score], list[Finding]]:
    """Compares the classes that are scored, of relation and of severity, with those of people, and these with each other.

    As `of_labels`: accuracy and kappa over all classes, and each class against the rest.

    Raises
    ------
    InputError
        For a case, rater or diagnosis that is not there, with its row; for what is no class; for no class at all.
    """
    table = read_visible(graded.human)
    names = columns_by_name([name for name in table.names if not name.strip().casefold().startswith((*_SCALES,))])
    for what in ("case_id", "diagnosis", *(["rater"] if len(answers.raters) > 1 else [])):
        table.require(names.get(what, what), "whose class people tell")
    cells = {what: [cell_text(value) for value in table.column(name)] for what, name in names.items()}
    cases, places = list[int](), list[int]()
    for row, case in enumerate(cells["case_id"]):
        i = place_of(table, row, names["case_id"], case, answers.cases)
        j = place_of(table, row, names["rater"], cells["rater"][row], answers.raters) if "rater" in names else 0
        listed = [(one or "").casefold() for one in answers.list_at(i, j)]
        at = place_of(table, row, names["diagnosis"], cells["diagnosis"][row].casefold(), listed)
        if (entry := int(answers.offsets[i, j]) + at) in places:
            raise table.error("a diagnosis whose class is told twice", row, names["diagnosis"], allowed="once")
        cases.append(i)
        places.append(entry)
    rows, findings = list[Score](), list[Finding]()
    for question in _SCALES:
        said = _classes_of_people(table, question)
        judged = degrees_of(answers, question, CHECKS[question], RANKS)[places]
        asked = getattr(graded, question)
        told = np.asarray(np.any([np.zeros(len(table), bool), *(of > 0 for of in said.values())], 0))
        if out := int((told & (judged <= 0)).sum()):
            words = f"{out:,} of {int(told.sum()):,} labelled diagnoses are left out: their {question} is blank in the lists, or they stand past rank {RANKS}."
            findings.append(Finding("family", place=NAME, example=words))
        by = AS_GIVEN if asked is None else BY_M if asked == NOBODY.get(question) else JUDGE
        rows += _of_all({by: judged}, said, said, cases, {"question": question})
    if not rows:
        raise InputError("no class is told", source=table.source, allowed="a class in relation or severity, of each person relation_NAME")  # fmt: skip
    return rows, findings


def _classes_of_people(table: Table, question: str) -> dict[str, Labels]:
    """Reads a column of classes, by words or numbers, or one of each of several people: person -> int8 [rows], `BLANK` for none."""
    scale = _SCALES[question]
    known = {**scale, **{str(n): n for n in scale.values()}, **{f"{n}.0": n for n in scale.values()}, "": BLANK}
    columns = [name for name in table.names if name.strip().casefold() == question] + experts_of(table, question)

    def class_of(value: Any) -> int:
        return known[APART.sub(" ", cell_text(value).casefold())]

    parsed = (table.parsed(name, class_of, f"no class of {question}", ", ".join(scale)) for name in columns)
    people = [name.strip()[len(question) + 1 :] or HUMAN for name in columns]
    found = {who: np.array(of, np.int8) for who, of in zip(people, parsed, strict=True)}
    return {who: of for who, of in found.items() if (of != BLANK).any()}


def _of_all(
    judges: Mapping[str, Labels], against: Mapping[str, Labels], humans: Mapping[str, Labels], cases: Sequence[int],
    more: Mapping[str, str],
) -> list[Score]:  # fmt: skip
    """Compares each judge with each of those that it is held against, and each two humans."""
    pairs = [(judge, one) for one, judge in product(against.items(), judges.items())]
    pairs += combinations(humans.items(), 2)
    return [score for pair in pairs for score in _of_two(*pair, np.array(cases), more)]


def _of_two(
    first: tuple[str, Labels], second: tuple[str, Labels], cases: NDArray[np.integer], more: Mapping[str, str]
) -> list[Score]:
    """Compares what two say: over all classes of the question, then, where there are more than yes and no, each against the rest."""
    (who, one), (of, other), scale = first, second, _SCALES.get(more.get("question", ""), _YES_NO)
    numbers = np.array([*scale.values()])
    said = (one[:, None] == numbers)[:, :, None] & (other[:, None] == numbers)[:, None]
    at = np.flatnonzero(said.any((1, 2)))
    drawn, place = np.unique(cases[at], return_inverse=True)
    counts = np.zeros((len(drawn), numbers.size**2))
    np.add.at(counts, place, said[at].reshape(len(at), numbers.size**2))
    several = len(scale) > 2
    included = None if several else int(said[..., 0].sum())
    labels = {**more, "who": who, "against": of, "items": len(at), "included": included}
    rows = [
        Score(
            Measure(measure), [who], drawn, counts, np.arange(numbers.size**2)[None], partial(verdicts_agree, measure=measure), reason=VERDICTS[measure], compared=False,
            labels=labels,
        )
        for measure in (OF_CLASSES if several else VERDICTS)
    ]  # fmt: skip
    for name, number in scale.items() if several else ():
        if number in one[at] or number in other[at]:
            alone = [(by, np.where(told > 0, told == number, BLANK).astype(np.int8)) for by, told in (first, second)]
            rows += _of_two(alone[0], alone[1], cases, {"question": f"{more['question']}: {name}"})
    return rows


def family(found: Sequence[tuple[list[Score], list[Finding]]], columns: Sequence[str]) -> FamilyScores:
    """Makes the family of what `of_labels` gave, of one question or several. columns : of its table."""
    rows = [one for part, _ in found for one in part]
    return FamilyScores(
        NAME, TITLE, parts={"agreement": rows}, shown={"agreement": partial(only, keys=columns)}, tables={"confusion": _confusion(rows)},
        sentences=_sentences, findings=[one for _, part in found for one in part],
    )  # fmt: skip


def _confusion(rows: Sequence[Score]) -> list[Row]:
    """Counts how often each two said what, of the scores that are over all classes."""
    out: list[Row] = []
    for score in rows:
        named = {key: score.labels[key] for key in ("question", "who", "against") if key in score.labels}
        question = named.get("question", "")
        if score.measure.metric == "accuracy" and ":" not in question:
            said = zip(product(_SCALES.get(question, _YES_NO), repeat=2), score.values.sum(0).tolist(), strict=True)
            out += [{**named, "says": one, "which_says": other, "items": int(n)} for (one, other), n in said if n]
    return out


def of_labels(
    humans: Mapping[str, Labels], judges: Mapping[str, Labels], cases: Sequence[int], source: str, **more: str
) -> tuple[list[Score], list[Finding]]:
    """Compares judges with humans, and these with each other, on m items; cases are resampled with all their items.

    humans, judges : name -> int [m], 1 or 0, below 0 without a label or verdict. cases : of the items. more : further columns.

    Raises
    ------
    InputError
        Where no labelled item has a verdict of all.
    """
    decided = np.logical_and.reduce([one >= 0 for one in judges.values()])
    labels = np.stack(list(humans.values()), 1)
    if not (decided & (labels != BLANK).any(1)).any():
        allowed = "at least one labelled item on which the judge gives a verdict"
        raise InputError("no labelled item has a verdict of every judge", source=source, allowed=allowed)
    against = {MAJORITY: majority_of(labels, of_all=False), **humans} if len(humans) > 1 else humans
    of_judges = {who: np.where(decided, said, BLANK).astype(np.int8) for who, said in judges.items()}
    rows = _of_all(of_judges, against, humans, cases, more)
    words = []
    if out := int((~decided).sum()):
        words.append(
            f"{out:,} of {len(decided):,} labelled items are left out for all: one of the judges gave no verdict on them."
        )
    if len(humans) > 1 and (ties := int((majority_of(labels, of_all=False) == BLANK).sum())):
        words.append(f"{ties:,} of {len(decided):,} items have no majority of the humans.")
    return rows, [Finding("family", place=NAME, example=one) for one in words]


def _sentences(rows: Sequence[Row]) -> list[str]:
    """Says how often each judge agrees with the human, or with their majority."""
    out: list[str] = []
    for row in rows:
        question = row.get("question", "item")
        over_all = row["metric"] == "accuracy" and ":" not in question
        if over_all and row["against"] == rows[0]["against"] and row["value"] is not None:
            whom = "the majority of the humans" if row["against"] == MAJORITY else "the human labels"
            who = {BY_M: "M", AS_GIVEN: "What the lists say"}.get(row["who"], f"The {row['who']}")
            agrees = "agree" if row["who"] == BOTH else "agrees"
            interval = "" if row["low"] is None else f" ({row['low']:.1%} to {row['high']:.1%})"
            items = f"{row['items']:,} {question}s.".replace("ys.", "ies.")
            out.append(f"{who} {agrees} with {whom} on {row['value']:.1%}{interval} of {items}")
    return out
