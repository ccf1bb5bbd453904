"""Language models as judges: whole answers against each right answer, and the columns relation and severity; and what people say.

A strict judge reads the whole answer, for each right answer alone. What it says is not included, a check looks at again: it sees the
answer, the judgement and its basis, and says whether the judgement is correct. Source: ClinBench-HPB, §3.2, Figures 5, 8 and 12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...endpoints.endpoint import read_services
from ...errors import InputError, OptionError, plain
from ...files.invisible import read_visible
from ...files.pair_labels import BLANK, labels_of_people
from ...files.tables import Table
from ...files.wording import hint
from ...matcher.protocol import tells_relations
from ...pages.rows import Row
from ...progress import Progress
from ...terms.icd.codes import padded
from ...terms.icd.naming import Naming
from ...terms.text.normalizer import Normalizer
from ...votes.asking import LanguageModel, named_model
from ...votes.asking_options import Asking
from ...votes.prompts.files import prompt_of
from ...votes.prompts.prompt import RELATIONS, SEVERITIES, Prompt, check_text
from ...votes.prompts.questions import Answer, Question
from ...votes.prompts.replies import is_refusal, without_thoughts
from ...votes.store.store import VoteStore
from ..read.findings import first_few
from ..read.lists import Cell, Lists, cell_text, looked_up
from ..read.names import columns_by_name
from .options import NOBODY, Graded, Judge
from .pairs import Numbers, related

GRADED = 5
"""Ranks whose relation and severity are asked."""
BY_M, JUDGE, BOTH = "M", "judge", "judge and check"
NO_VERDICT, NOT_INCLUDED, INCLUDES = -1, 0, 1
NOT_ANSWERED = "not answered"
_WORDS = {
    "judge": {True: "included", False: "not included", None: "no verdict"},
    "check": {True: "incorrect", False: "correct", None: "no verdict"},
}
"""Stage -> whether a right answer is included by what it says -> its words."""
_INCLUDED = {word: included for included, word in _WORDS["judge"].items()}
_SCALES = {"relation": RELATIONS, "severity": SEVERITIES}
LABEL, MAJORITY = "label", "majority"
Item = tuple[int, int, int]
"""Case, rater and right answer, as places in the answers."""
Texts = tuple[str, str]


@dataclass(frozen=True)
class Judgements:
    """Verdicts on n cases, r raters and D right answers, the most that a case has.

    rows : of each right answer for each list that is there.
        case_id, algorithm, reference : of what. answer : the list, with "; " between; where none could be read, the answer as it was
        written. judge : "included", "not included" or "no verdict"; null where it was not asked, and judge_basis then says why. check :
        "correct" or "incorrect", of "not included". included : what came of both, null without a verdict. place : in the list, null
        where none is known. judge_basis, check_basis : in the words of the stage.
    raters : r, how many. given : bool [n, D], where a case has a right answer.
    unscored : why there is no verdict -> how often.
    judged_by, checked_by : who the stages are; checked_by is "" without a check.
    """

    rows: Mapping[Item, Row]
    raters: int
    given: NDArray[np.bool_]
    unscored: Counter[str]
    judged_by: str
    checked_by: str

    def of(self, part: str) -> Numbers:
        """Gives one of `rows`, included, place or judge, as numbers: [n, r, D].

        1 for what is included, 0 for what is not and of a list that is not there, -1 without a verdict or a place, and past the right answers.
        """
        out = np.repeat(self.given.astype(np.int16)[:, None] - 1, self.raters, 1)
        for at, row in self.rows.items():
            out[at] = NO_VERDICT if (said := _INCLUDED.get(row[part], row[part])) is None else said
        return out

    @property
    def verdicts(self) -> dict[str, Numbers]:
        """Gives what the judge says alone, and with the check, as `of`; as it was decided where nobody was asked."""
        alone, included = self.of("judge"), self.of("included")
        return {JUDGE: np.where(alone < 0, included, alone), **({BOTH: included} if self.checked_by else {})}

    def sentences(self) -> dict[tuple[str, str], list[str]]:
        """Says of each (case, rater) what came of each right answer."""
        out: dict[tuple[str, str], list[str]] = {}
        for row in self.rows.values():
            stages = [(who, row[who], row[f"{who}_basis"]) for who in _WORDS if row[who]]
            said = [f"{who}: {verdict}{f' ({basis})' if basis else ''}" for who, verdict, basis in stages]
            told = f"{row['reference']}: {_WORDS['judge'][row['included']]}. {'; '.join(said) or row['judge_basis']}."
            out.setdefault((row["case_id"], row["algorithm"]), []).append(told.replace("..", "."))
        return out


class Judging:
    """The language models that are asked in one evaluation, each under its prompt, and labels by people.

    Raises
    ------
    OptionError
        For a model that is not ENDPOINT:MODEL, or of an endpoint that is not known.
    """

    def __init__(self, judge: Judge | None, graded: Graded, asking: Asking, progress: Progress) -> None:
        self.judge, self.asking, self.progress = judge or Judge(), asking, progress
        self.served, check = read_services(asking.endpoints), self.judge.check
        self.relations_by_m = graded.relation == NOBODY["relation"]
        self.stages, self.prompts = dict[str, LanguageModel](), dict[str, Prompt]()
        for kind, option, model, prompt in (
            ("judge", "judge.model", self.judge.model, self.judge.prompt),
            ("check", "judge.check", self.judge.model if check is None else check, self.judge.check_prompt),
            *((column, f"graded.{column}", getattr(graded, column), graded.prompts.get(column)) for column in _SCALES),
        ):
            if model not in (None, nobody := NOBODY.get(kind, "")):
                self.stages[kind] = named_model(option, model, *self.served, f"{nobody}, or " if nobody else "")
                self.prompts[kind] = prompt_of(kind, prompt)

    def reader(self, model: str | None) -> Callable[[Iterable[str]], dict[str, str]] | None:
        """Has a model say what answers name that no form tells: answer -> a list in numbered lines; None for no model.

        Raises
        ------
        OptionError
            For a model that is not ENDPOINT:MODEL, or of an endpoint that is not known.
        """
        if model is None:
            return None
        self.stages["diagnosis"] = named_model("read_again", model, *self.served)
        self.prompts["diagnosis"] = prompt_of("diagnosis", "reading")

        def read_as(unread: Iterable[str]) -> dict[str, str]:
            texts = list(dict.fromkeys(unread))
            said = self.answers_of("diagnosis", [(text, "") for text in texts])
            return {text: one.raw for text, one in zip(texts, said, strict=True) if one}

        return read_as

    def filled(self, answers: Lists, matcher: Any) -> Lists:
        """Fills the blank cells of the columns relation and severity, of the first five of each list, as far as they are asked for.

        Of several right answers the nearest relation counts; a cell that nobody gives a verdict on stays blank. A language model is
        asked about names, as `matcher` sees them, and about equal names by nobody.

        Raises
        ------
        OptionError
            Where M shall tell relations and cannot; `ModelError` where it gives something other than one for each pair.
        """
        if self.relations_by_m:
            if not tells_relations(matcher):
                raise OptionError("graded.relation", "ENDPOINT:MODEL where M has no relation model", NOBODY["relation"])
            note = "The relations are those that the match function tells between reference and diagnosis."
            answers = replace(answers, origin=replace(answers.origin, notes=(*answers.origin.notes, note)))
            answers = _with_column(answers, "relation", partial(_by_matcher, matcher), {})
        for column in filter(self.stages.get, _SCALES):
            answers = _with_column(answers, column, partial(self.answers_of, column), names_of(answers, matcher))
        return answers

    def judgements(self, answers: Lists, matcher: Any) -> Judgements | None:
        """Judges the whole answer of each rater, for each right answer of its case alone; None without a judge.

        A language model reads the answer as it was written, where it was kept; else the list, a numbered line for each diagnosis. An
        answer without a verdict is no "not included": it stays unscored. An empty answer includes nothing, unasked.

        Raises
        ------
        InputError
            Where a stage answers nothing at all; those of `ask`.
        """
        if "judge" not in self.stages or not any(answers.reference):
            return None
        right = answers.reference
        rows, stages = dict[Item, Row](), filter(self.stages.get, _WORDS)
        name: Mapping[Any, str] = {} if self.judge.ask_equal else names_of(answers, matcher)
        for i, j in np.argwhere(~answers.absent).tolist():
            case, rater, listed = answers.cases[i], answers.raters[j], answers.list_at(i, j)
            unread, names = answers.origin.unread.get((case, rater)), [name.get(one or "") for one in listed]
            # more than thoughts, and no refusal
            says = any(map(str.isalnum, without_thoughts(unread))) and not is_refusal(unread) if unread else any(listed)
            for d, reference in enumerate(right[i]):
                place = names.index(name[reference]) + 1 if name.get(reference, "") in names else None
                why = None if says else "nothing was answered: not asked"
                rows[i, j, d] = {
                    "case_id": case, "algorithm": rater, "reference": reference, "answer": "; ".join(filter(None, listed)) or unread or "",
                    "judge": None, "judge_basis": f"an equal name stands in place {place}: not asked" if place else why,
                    "check": None, "check_basis": None, "included": place is not None, "place": place,
                }  # fmt: skip
        unscored = Counter(chain.from_iterable(self._undecided(kind, answers, rows) for kind in stages))
        given = padded(tuple(range(len(texts))) for texts in right) >= 0
        by, checked = (self.stages[kind].model if kind in self.stages else "" for kind in _WORDS)
        return Judgements(rows, len(answers.raters), given, unscored, by, checked)

    def _undecided(self, kind: str, answers: Lists, rows: Mapping[Item, Row]) -> Iterator[str]:
        """Asks a stage, the judge about what is open and the check about what is not included; fills the rows, and yields why there is no verdict."""
        checked, prompt, stage = kind == "check", self.prompts[kind], self.stages[kind]
        part, value = ("judge", _WORDS["judge"][False]) if checked else ("judge_basis", None)
        open_ = {at: row for at, row in rows.items() if row[part] == value}
        read = [_as_read(answers, *at[:2]) for at in open_]
        questions = [
            (row["reference"], check_text(text, NOT_INCLUDED, row["judge_basis"]) if checked else text)
            for row, (text, _) in zip(open_.values(), read, strict=True)
        ]
        found, summaries = self.answers_of(kind, questions) if questions else [], self.asking.budget.summaries
        failure = summaries[-1].first_failure.rstrip(".") if questions and summaries else ""
        if failure and not any(found):
            problem = f"the {kind} {stage.model} answered none of {len(questions):,} questions"
            raise InputError(problem, allowed="an endpoint that answers", got=f"the first failure: {failure}")
        for row, question, (_, entries), answer in zip(open_.values(), questions, read, found, strict=True):
            if answer is None or answer.verdict is None:
                row |= {kind: _WORDS[kind][None], "included": None, "place": None}
                yield NOT_ANSWERED if answer is None else answer.reason or ""
                continue
            told = prompt.reply(answer.raw, Question(stage.config(prompt), *question))
            # a check that calls "not included" correct finds nothing
            included = bool(answer.verdict) != checked
            place = told.place if included and told.place and told.place <= entries else None
            row |= {kind: _WORDS[kind][included], f"{kind}_basis": told.basis, "included": included, "place": place}

    def answers_of(self, kind: str, asked: Sequence[Texts]) -> list[Answer | None]:
        """Asks the language model of a kind, through the store."""
        with VoteStore(self.asking.filled) as votes:
            return self.stages[kind].answers(self.prompts[kind], asked, votes, self.asking.budget, self.progress)


def names_of(answers: Lists, matcher: object) -> dict[str, str]:
    """Names each diagnosis and right answer as `matcher` sees it; by English normalisation where it does not say."""
    raw = sorted({*answers.strings, *chain.from_iterable(answers.reference)})
    naming = getattr(getattr(matcher, "providers", None), "naming", None) or Naming(Normalizer())
    return dict(zip(raw, naming(raw), strict=True))


def _as_read(answers: Lists, case: int, rater: int) -> tuple[str, int]:
    """The whole answer, and 0; or the diagnoses of the list on numbered lines, and how many there are."""
    key = answers.cases[case], answers.raters[rater]
    if written := answers.origin.answers.get(key) or answers.origin.unread.get(key, ""):
        return written, 0
    listed = answers.list_at(case, rater)
    return "\n".join(f"{place}. {name}" for place, name in enumerate(listed, 1) if name is not None), len(listed)


# The columns relation and severity


def _by_matcher(matcher: Any, asked: Sequence[Texts]) -> list[Answer]:
    """Kernel29's D of each answer to its reference, by M; 0 where it cannot tell."""
    found = related(matcher, *map(list, zip(*asked, strict=True)))
    return [Answer(int(distance), None) for distance in found.semantic_distance]


def _with_column(
    answers: Lists, column: str, ask: Callable[[Sequence[Texts]], Sequence[Answer | None]], name: Mapping[str, str]
) -> Lists:
    """Fills the blank cells of a column, of the first five of each list; of severity also those of the right answers.

    ask : pairs (right answer, diagnosis), or (diagnosis, ""), each once -> answers whose verdict is a number on the scale; 0 and None are none. name : what a
    text is called there, where that is told.
    """
    at, right, own = answers.places(GRADED), answers.reference, answers.references
    open_ = (at >= 0) & (answers.top(GRADED) >= 0) & (looked_up(answers.cells(column)[0], at) < 0)
    of: dict[int | str, list[Texts]] = {}
    for i, place in zip(np.nonzero(open_)[0].tolist(), at[open_].tolist(), strict=True):
        text = answers.strings[answers.entries[place]]
        of[place] = [(one, text) for one in right[i]] if column == "relation" else [(text, "")]
    if column == "severity":
        of |= {text: [(text, "")] for text in chain.from_iterable(right)}
    of = {at: [(name.get(a, a), name.get(b, b)) for a, b in texts] for at, texts in of.items()}
    asked = sorted({one for texts in of.values() for one in texts if one[0] != one[1]})
    told = {one: answer and answer.verdict for one, answer in zip(asked, ask(asked) if asked else (), strict=True)}
    words = {at: _word([told.get(text, 1) for text in texts], _SCALES[column]) for at, texts in of.items()}
    given = answers.more.get(column, [None] * len(answers.entries))
    answers = replace(answers, more={**answers.more, column: [words.get(at, cell) for at, cell in enumerate(given)]})
    if column == "relation":
        return answers
    # a cell that was given stays
    filled = [
        tuple(
            cell if cell and cell_text(cell.value) else (cell or Cell(None, 0))._replace(value=words.get(text))
            for cell, text in zip_longest(cells, texts)
        )
        for texts, cells in zip(right, own.more.get(column, [()] * len(right)), strict=True)
    ]
    return replace(answers, references=replace(own, more={**own.more, column: filled}))


def _word(numbers: Sequence[int | None], scale: Sequence[str]) -> str | None:
    """The word of the lowest of several numbers; None where one that is not known may be lower."""
    known = [one for one in numbers if one]
    return scale[min(known) - 1] if known and (len(known) == len(numbers) or min(known) == 1) else None


# People


def place_of(table: Table, row: int, column: str, given: str, among: Sequence[str]) -> int:
    """Finds where the name in a cell stands. Errors: `InputError` where it is not there."""
    if given not in among:
        problem, allowed = f"no such {column}{hint(given, among)}", first_few(map(plain, among)) or "none"
        raise table.error(problem, row, column, allowed=allowed, got=given)
    return among.index(given)


def read_human(source: Any, answers: Lists) -> dict[str, NDArray[np.int8]]:
    """Reads a table of labels: case_id, rater (or algorithm, model), reference, and label, or label_NAME for each of several humans.

    rater may be missing where there is one, reference where each case that is labelled has one. A label is 1 or 0, in one of the words
    of `files.pair_labels.label_of`, or blank for none.

    Returns
    -------
    dict of str to int8 [n, r, D]
        Human ("human" where no name is given) -> 1 included, 0 not included, -1 no label.

    Raises
    ------
    InputError
        With the row: for an item that is not in the answers, one that is labelled twice, and a label that is none; for a missing
        column, and where nothing is labelled.
    """
    table = read_visible(source)
    said = labels_of_people(table, LABEL)
    if not said:
        table.require(LABEL, f"1 or 0; or {LABEL}_NAME of each of several humans")
    names = columns_by_name([name for name in table.names if not name.strip().casefold().startswith(LABEL)])
    for what in ("case_id", *(["rater"] if len(answers.raters) > 1 else [])):
        table.require(names.get(what, what), "whose answer was labelled")
    cells = {what: [cell_text(value) for value in table.column(name)] for what, name in names.items()}
    right = [[text.strip().casefold() for text in texts] for texts in answers.reference]
    shape = *answers.lengths.shape, max(map(len, right))
    labels = {who: np.full(shape, BLANK, np.int8) for who in said}
    items: dict[Item, int] = {}
    for row, case in enumerate(cells["case_id"]):
        i = place_of(table, row, names["case_id"], case, answers.cases)
        j = place_of(table, row, names["rater"], cells["rater"][row], answers.raters) if "rater" in names else 0
        among, column = [] if answers.absent[i, j] else right[i], names.get("reference", names["case_id"])
        reference = cells["reference"][row].casefold() if "reference" in names else ""
        item = i, j, place_of(table, row, column, reference or (among[0] if len(among) == 1 else ""), among)
        if items.setdefault(item, row) != row:
            problem = f"an item that is labelled twice (first in row {table.row_number(items[item])})"
            raise table.error(problem, row, names["case_id"])
        for one, of in zip(labels.values(), said.values(), strict=True):
            one[item] = of[row]
    return labels
