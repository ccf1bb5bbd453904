"""Language models as judges: whole answers against each right answer, the columns relation and severity; and what people say.

A strict judge reads the whole answer, for each right answer alone. What it says is not included, a check looks at again: it sees the
answer, the judgement and its basis, and says whether the judgement is correct. Each of the two is a language model, through the vote
store, or M. Source: ClinBench-HPB, §3.2, Figures 5, 8 and 12.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, islice, zip_longest
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError, OptionError, plain, quoted
from ...files.did_you_mean import hint
from ...files.invisible import read_visible
from ...files.pair_labels import labels_of_people
from ...matcher.protocol import Matcher, tells_relations
from ...pages.rows import Row
from ...progress import Progress
from ...terms.icd.naming import Naming
from ...terms.text.normalizer import Normalizer
from ...votes.asking import LanguageModel, named_model, services_of
from ...votes.asking_options import Asking
from ...votes.prompts.class_prompts import RELATIONS, SEVERITIES
from ...votes.prompts.files import prompt_of
from ...votes.prompts.judge_prompts import JudgePrompt, check_text
from ...votes.prompts.prompt import Prompt
from ...votes.prompts.questions import Answer, Question
from ...votes.prompts.verdicts import is_refusal
from ...votes.store.store import VoteStore
from ..read.lists import Cell, Lists, as_text, looked_up
from ..read.names import columns_by_name
from ..read.raw_answers import without_thoughts
from .options import Graded, Judge
from .pairs import ReferenceMatches, distances

GRADED = 5
"""Ranks whose relation and severity are asked."""
MODEL, NO_STAGE = "model", "none"
"""Stands for M where a judge is named; says that there is no check."""
BY_M, JUDGE, BOTH = "M", "judge", "judge and check"
NO_VERDICT, NOT_INCLUDED, INCLUDES = -1, 0, 1
NOT_ANSWERED = "not answered"
LABEL, HUMAN, MAJORITY, NO_LABEL = "label", "human", "majority", -1
_NOT_THERE = {
    "case_id": "no case of the lists with a right answer",
    "rater": "no rater of the lists with an answer in",
    "reference": "no right answer of",
}
_SAME = 1
_SHOWN = 4
_SAID = {
    "judge": {INCLUDES: "included", NOT_INCLUDED: "not included", NO_VERDICT: "no verdict"},
    "check": {INCLUDES: "incorrect", NOT_INCLUDED: "correct", NO_VERDICT: "no verdict"},
}

Stage = LanguageModel | str
"""A language model, or `MODEL`."""
Item = tuple[int, int, int]
"""Case, rater and right answer, as places in the answers."""
Texts = tuple[str, str]
Tell = Callable[[Sequence[Texts]], Sequence[int | None]]
"""Two texts -> the number of each one's class; None where nobody knows."""
Told = tuple[int, str, int]
"""A verdict, its basis, and the place in the list, 0 for none."""


@dataclass(frozen=True)
class Judgements:
    """Verdicts on n cases, r raters and D right answers, the most that a case has.

    rows : of each right answer for each list that is there.
        case_id, algorithm, reference : of what. answer : the list, with "; " between; where none could be read, the answer as it was
        written. judge : "included", "not included" or "no verdict"; null where it was not asked, and judge_basis then says why. check :
        "correct" or "incorrect", of "not included". included : what came of both, null without a verdict. place : in the list, null
        where none is known. judge_basis, check_basis : in the words of the stage.
    given : bool [n, D], where a case has a right answer.
    included : int8 [n, r, D], 1, 0, or -1 without a verdict.
    unscored : why there is no verdict -> how often.
    judged_by, checked_by : who the stages are; checked_by is "" without a check.
    """

    rows: Mapping[Item, Row]
    given: NDArray[np.bool_]
    included: NDArray[np.int8]
    unscored: Counter[str]
    judged_by: str
    checked_by: str

    @property
    def scored(self) -> NDArray[np.bool_]:
        """Tells which cases have a verdict on every right answer for every rater, and a right answer: bool [n]."""
        known = (self.included != NO_VERDICT) | ~self.given[:, None, :]
        return known.all((1, 2)) & self.given.any(1)

    @property
    def places(self) -> NDArray[np.int16] | None:
        """Gives the place in the list that names the right answer, from 1, 0 for none: int16 [n, r, D]; None where one is not known."""
        if any(row["included"] and row["place"] is None for row in self.rows.values()):
            return None
        places = np.zeros(self.included.shape, np.int16)
        for at, row in self.rows.items():
            places[at] = row["place"] or 0
        return places

    @property
    def verdicts(self) -> dict[str, NDArray[np.int8]]:
        """Gives what the judge says alone, and with the check: int8 [n, r, D], 1, 0, or below 0 without a verdict.

        What the judge was not asked about counts as it was decided.
        """
        alone, number = self.included.copy(), {word: verdict for verdict, word in _SAID["judge"].items()}
        for at, row in self.rows.items():
            if row["judge"]:
                alone[at] = number[row["judge"]]
        return {JUDGE: alone, **({BOTH: self.included} if self.checked_by else {})}

    def sentences(self) -> dict[tuple[str, str], list[str]]:
        """Says of each (case, rater) what came of each right answer."""
        out: dict[tuple[str, str], list[str]] = {}
        for row in self.rows.values():
            found = {True: "included", False: "not included", None: "no verdict"}[row["included"]]
            said = [
                f"{who}: {row[who]}{f' ({row[basis]})' if row[basis] else ''}"
                for who, basis in (("judge", "judge_basis"), ("check", "check_basis"))
                if row[who]
            ]
            told = f"{row['reference']}: {found}. {'; '.join(said) or row['judge_basis']}."
            out.setdefault((row["case_id"], row["algorithm"]), []).append(told.replace("..", "."))
        return out


class Judging:
    """What language models, or M in their place, are asked in one evaluation, and how.

    Raises
    ------
    NotServed
        For a model that is not ENDPOINT:MODEL, or of an endpoint that is not known.
    OptionError
        For a prompt that nothing needs, or one of another kind.
    """

    def __init__(
        self, judge: Judge | None = None, graded: Graded | None = None, asking: Asking | None = None, progress: Progress | None = None
    ) -> None:  # fmt: skip
        self.judge, self.asking, self.progress = judge or Judge(), asking or Asking(), progress
        graded, served = graded or Graded(), services_of(self.asking.endpoints)
        by_default = self.judge.model if self.judge.check is None else self.judge.check
        check = None if by_default == NO_STAGE else by_default
        self.stages: dict[str, Stage] = {}
        self.prompts: dict[str, Prompt] = {}
        for kind, option, stage, prompt_option, prompt in (
            ("judge", "judge.model", self.judge.model, "judge.prompt", self.judge.prompt),
            ("check", "judge.check", check, "judge.check_prompt", self.judge.check_prompt),
            ("relation", "graded.relation", graded.relation, "graded.prompts", graded.prompts.get("relation")),
            ("severity", "graded.severity", graded.severity, "graded.prompts", graded.prompts.get("severity")),
        ):
            instead = "" if kind == "severity" else "model (the match function itself), or "
            if stage is not None:
                by_m = stage == MODEL and instead
                self.stages[kind] = MODEL if by_m else named_model(option, stage, *served, instead)
            if prompt is not None and not isinstance(self.stages.get(kind), LanguageModel):
                raise OptionError(prompt_option, "left out where no language model is asked that needs it", prompt)
            self.prompts[kind] = prompt_of(kind, prompt)
            if kind in _SAID and not isinstance(self.prompts[kind], JudgePrompt):
                allowed = f"a prompt of the {kind} that is answered by a verdict and its basis"
                raise OptionError(prompt_option, allowed, self.prompts[kind].version)

    @property
    def by_m(self) -> bool:
        """Tells whether M judges whole answers."""
        return MODEL in (self.stages.get("judge"), self.stages.get("check"))

    def filled(self, answers: Lists, matcher: Matcher) -> Lists:
        """Fills the blank cells of the columns relation and severity, of the first five of each list, as far as they are asked for.

        Of several right answers the nearest relation counts; a cell that nobody gives a verdict on stays blank. A language model is
        asked about names, as `matcher` sees them, and about equal names by nobody.

        Raises
        ------
        OptionError
            Where M shall tell relations and cannot; `ModelError` where it gives something other than one for each pair.
        """
        if not {"relation", "severity"} & {*self.stages}:
            return answers
        name = names_of(answers, matcher)
        if relation := self.stages.get("relation"):
            seen, tell = name, partial(self._verdicts, "relation")
            if relation == MODEL:
                if not tells_relations(matcher):
                    allowed = f"{MODEL!r} with an M that has a relation model, or ENDPOINT:MODEL"
                    raise OptionError("graded.relation", allowed, MODEL)
                seen, tell = {text: text for text in name}, partial(_by_relation_model, matcher)
                note = "The relations are those that the match function tells between reference and diagnosis."
                answers = replace(answers, origin=replace(answers.origin, notes=(*answers.origin.notes, note)))
            texts = {
                place: [(seen[one], seen[text]) for one in answers.reference[i]]
                for i, place, text in _blank_cells(answers, "relation")
            }
            answers = _with_cells(answers, "relation", _words(texts, tell, RELATIONS))
        if "severity" in self.stages:
            texts = {place: [(name[text], "")] for _, place, text in _blank_cells(answers, "severity")}
            # below 0 the right answers, one after another
            right = {~d: [(name[text], "")] for d, text in enumerate(chain.from_iterable(answers.reference))}
            words = _words(texts | right, partial(self._verdicts, "severity"), SEVERITIES)
            answers = _with_cells(answers, "severity", {place: words[place] for place in texts if place in words})
            answers = _with_reference_severities(answers, [words.get(place) for place in right])
        return answers

    def judgements(self, answers: Lists, matcher: Matcher, by_m: ReferenceMatches) -> Judgements | None:
        """Judges the whole answer of each rater, for each right answer of its case alone; None without a judge.

        A language model reads the answer as it was written, where it was kept; else the list, a numbered line for each diagnosis. An
        answer without a verdict is no "not included": it stays unscored. An empty answer includes nothing, unasked.

        by_m : what M says of whole lists, where it stands in for a stage.

        Raises
        ------
        InputError
            Where a stage answers nothing at all; those of `ask`.
        """
        if "judge" not in self.stages:
            return None
        rows, unscored = self._unasked(answers, names_of(answers, matcher)), Counter[str]()
        open_ = [at for at, row in rows.items() if row["judge_basis"] is None]
        for kind, stage in ((kind, self.stages[kind]) for kind in _SAID if kind in self.stages):
            by_stage = _by_m(answers, by_m, open_, matcher.threshold) if stage == MODEL else None
            for at, (verdict, why, place) in zip(
                open_, by_stage or self._by_model(kind, answers, rows, open_), strict=True
            ):
                known = verdict != NO_VERDICT
                rows[at] |= {
                    kind: _SAID[kind][verdict],
                    "included": bool(verdict) if known else None,
                    "place": place or None,
                }
                if known:
                    rows[at][f"{kind}_basis"] = why
                else:
                    unscored[why] += 1
            open_ = [at for at in open_ if rows[at]["included"] is False]
        given = np.broadcast_to(by_m.given[:, None], (*answers.lengths.shape, by_m.given.shape[1]))
        included = np.where(given, NOT_INCLUDED, NO_VERDICT).astype(np.int8)
        for at, row in rows.items():
            included[at] = NO_VERDICT if row["included"] is None else row["included"]
        by, checked = (getattr(one, "model", one and BY_M) or "" for one in map(self.stages.get, _SAID))
        return Judgements(rows, by_m.given, included, unscored, by, checked)

    def _unasked(self, answers: Lists, name: Mapping[Any, str]) -> dict[Item, Row]:
        """The rows of `Judgements` before anybody is asked; those who are to be asked about have no basis."""
        rows: dict[Item, Row] = {}
        for i, j in np.argwhere(~answers.absent).tolist():
            who = answers.cases[i], answers.raters[j]
            listed, unread = answers.list_at(i, j), answers.origin.unread.get(who)
            names = list(map(name.get, listed))
            says = any(listed) if unread is None else says_something(unread)
            for d, reference in enumerate(dict.fromkeys(answers.reference[i])):
                equal = not self.judge.ask_equal and name[reference] in names
                place = names.index(name[reference]) + 1 if equal else None
                why = None if says else "nothing was answered: not asked"
                rows[i, j, d] = {
                    "case_id": who[0], "algorithm": who[1], "reference": reference,
                    "answer": "; ".join(filter(None, listed)) or unread or "",
                    "judge": None, "judge_basis": f"an equal name stands in place {place}: not asked" if equal else why,
                    "check": None, "check_basis": None, "included": equal, "place": place,
                }  # fmt: skip
        return rows

    def _by_model(self, kind: str, answers: Lists, rows: Mapping[Item, Row], items: Sequence[Item]) -> Iterator[Told]:
        """The verdict of a language model on each item, its basis and its place; why there is none in place of the basis.

        rows : with the basis of the stage before.
        """
        questions, numbered = [], []
        for at in items:
            answer, entries = _as_read(answers, *at[:2])
            second = check_text(answer, NOT_INCLUDED, rows[at]["judge_basis"]) if kind == "check" else answer
            questions.append((rows[at]["reference"], second))
            numbered.append(entries)
        found, prompt, stage = (
            self.answers_of(kind, questions),
            self.prompts[kind],
            cast(LanguageModel, self.stages[kind]),
        )
        failure = self.asking.budget.summaries[-1].first_failure if questions and self.asking.budget.summaries else ""
        if failure and not any(found):
            problem = f"the {kind} {stage.model} answered none of {len(questions):,} questions; the first failure: {failure.rstrip('.')}"
            raise InputError(problem, allowed="an endpoint that answers")
        assert isinstance(prompt, JudgePrompt)
        for question, entries, answer in zip(questions, numbered, found, strict=True):
            if answer is None or answer.verdict is None:
                yield NO_VERDICT, NOT_ANSWERED if answer is None else answer.reason or "", 0
                continue
            told = prompt.judgement(answer.raw, Question(stage.config(prompt), *question))
            # a check that calls "not included" correct finds nothing
            verdict = 1 - answer.verdict if kind == "check" else answer.verdict
            named = verdict == INCLUDES and told.place and told.place <= entries
            yield verdict, told.basis, told.place if named and told.place else 0

    def answers_of(self, kind: str, asked: Sequence[Texts]) -> list[Answer | None]:
        """Asks the language model of a kind, through the store."""
        if not asked:
            return []
        model = cast(LanguageModel, self.stages[kind])
        with VoteStore(self.asking.filled) as votes:
            return model.answers(self.prompts[kind], asked, votes, self.asking.budget, self.progress)

    def _verdicts(self, kind: str, asked: Sequence[Texts]) -> list[int | None]:
        return [None if one is None else one.verdict for one in self.answers_of(kind, asked)]


def _by_m(answers: Lists, found: ReferenceMatches, items: Sequence[Item], threshold: float) -> Iterator[Told]:
    """Whether M matches a diagnosis of the list; the first that it does, or the likeliest one, as the basis; and its place."""
    for i, j, d in items:
        probability, hits = found.probabilities[i, j, :, d], found.hits[i, j, :, d]
        included = int(found.found[i, j, d])
        if np.isnan(probability).all():
            yield included, "", 0
            continue
        at = int(hits.argmax()) if hits.any() else int(np.nanargmax(probability))
        near = "names the disease" if hits.any() else "is the nearest"
        if included > hits.any():
            near += f" of the first {len(hits)}; one past these names the disease"
        name = answers.list_at(i, j)[at]
        basis = f"'{name}' (place {at + 1}) {near}: probability {probability[at]:.3f}, a match from {threshold:.3f}"
        yield included, basis, at + 1 if hits.any() else 0


def names_of(answers: Lists, matcher: object) -> dict[str, str]:
    """Names each diagnosis and right answer as `matcher` sees it; by English normalisation where it does not say."""
    raw = sorted({*answers.strings, *chain.from_iterable(answers.reference)})
    naming = getattr(getattr(matcher, "providers", None), "naming", None) or Naming(Normalizer())
    return dict(zip(raw, naming(raw), strict=True))


def says_something(answer: str) -> bool:
    """Tells whether a model wrote more than thoughts, and does not decline."""
    return any(map(str.isalnum, without_thoughts(answer))) and not is_refusal(answer)


def _as_read(answers: Lists, case: int, rater: int) -> tuple[str, int]:
    """The whole answer, and 0; or the diagnoses of the list on numbered lines, and how many there are."""
    key = answers.cases[case], answers.raters[rater]
    if written := answers.origin.answers.get(key) or answers.origin.unread.get(key, ""):
        return written, 0
    listed = answers.list_at(case, rater)
    return "\n".join(f"{place}. {name}" for place, name in enumerate(listed, 1) if name is not None), len(listed)


def _by_relation_model(matcher: Matcher, asked: Sequence[Texts]) -> list[int | None]:
    """M's own relation model, asked (right answer, diagnosis)."""
    return [int(d) or None for d in distances(matcher, [a for a, _ in asked], [b for _, b in asked])]


def _blank_cells(answers: Lists, column: str) -> Iterator[tuple[int, int, str]]:
    """Case, place in `entries` and diagnosis of the blank cells of a column among the first five of each list."""
    codes, _ = answers.cells(column)
    at = answers.places(GRADED)
    open_ = (at >= 0) & (answers.top(GRADED) >= 0) & (looked_up(codes, at) < 0)
    for i, place in zip(np.nonzero(open_)[0].tolist(), at[open_].tolist(), strict=True):
        yield i, place, answers.strings[answers.entries[place]]


def _words(of: Mapping[int, list[Texts]], tell: Tell, scale: Sequence[str]) -> dict[int, str]:
    """The word of each cell that has one: of several texts that are asked of it the lowest number counts."""
    wanted = {*chain.from_iterable(of.values())}
    asked = sorted(one for one in wanted if one[0] != one[1])
    number: dict[Texts, int | None] = dict.fromkeys(wanted, _SAME)
    number.update(zip(asked, tell(asked), strict=True))
    words: dict[int, str] = {}
    for cell, texts in of.items():
        known = [one for text in texts if (one := number[text]) is not None]
        # an unknown one may be lower than those that are known
        if known and (len(known) == len(texts) or min(known) == _SAME):
            words[cell] = scale[min(known) - 1]
    return words


def _with_cells(answers: Lists, column: str, words: Mapping[int, str]) -> Lists:
    cells = {**dict(enumerate(answers.more.get(column, [None] * len(answers.entries)))), **words}
    return replace(answers, more={**answers.more, column: list(cells.values())})


def _with_reference_severities(answers: Lists, words: Sequence[str | None]) -> Lists:
    """words : of the right answers, one after another; a cell that was given stays, on its row."""
    cells, said = list[tuple[Cell, ...]](), iter(words)
    for i, right in enumerate(answers.reference):
        given = answers.references.more.get("severity", [()] * len(answers.reference))[i]
        row = int(answers.rows[min(answers.offsets[i, 0], len(answers.rows) - 1)])
        both = zip_longest(given, islice(said, len(right)))
        cells.append(tuple(
            cell if cell and as_text(cell.value) else Cell(word, cell.row if cell else row) for cell, word in both
        ))  # fmt: skip
    return replace(answers, references=replace(answers.references, more={**answers.references.more, "severity": cells}))


@dataclass(frozen=True)
class HumanLabels:
    """What h humans say of m items.

    items : (case, rater, right answer) as places in the answers, each once. labels : int8 [m, h], 1 included, 0 not included, -1 no
    label. humans : their names; "human" of one who has none.
    """

    items: list[Item]
    labels: NDArray[np.int8]
    humans: list[str]


def read_human(source: Any, answers: Lists) -> HumanLabels:
    """Reads a table of labels: case_id, rater (or algorithm, model), reference, and label, or label_NAME for each of several humans.

    rater may be missing where there is one, reference where each case that is labelled has one. A label is 1 or 0, in one of the words
    of `files.pair_labels.label_of`, or blank for none.

    Raises
    ------
    InputError
        With the row: for an item that is not in the answers, one that is labelled twice, and a label that is none; for a missing
        column, and where nothing is labelled.
    """
    table = read_visible(source)
    said = labels_of_people(table, LABEL)
    if not said:
        allowed = f"a column {LABEL!r}, or {LABEL}_NAME for each of several humans"
        raise InputError("no column of labels", source=table.source, allowed=allowed, got=table.names)
    names = columns_by_name([name for name in table.names if name not in said], {}, table.source)
    if "case_id" not in names:
        table.require("case_id")
    if "rater" not in names and len(answers.raters) > 1:
        table.require("rater", "whose answer was labelled")
    known: dict[tuple[str, ...], Item] = {}
    for (i, j), absent in np.ndenumerate(answers.absent):
        right = [] if absent else [*dict.fromkeys(answers.reference[i])]
        for d, text in enumerate(right):
            of_list = answers.cases[i], answers.raters[j]
            known[(*of_list, text.strip().casefold())] = i, j, d
            if len(right) == 1:
                known[(*of_list, "")] = i, j, d
    cells = {"rater": answers.raters[:1] * len(table), "reference": [""] * len(table)}
    cells |= {ours: [as_text(value) for value in table.column(name)] for ours, name in names.items()}
    items: dict[Item, int] = {}
    for row, (case, rater, reference) in enumerate(zip(*(cells[name] for name in _NOT_THERE), strict=True)):
        key = case, rater, reference.casefold()
        if key not in known:
            at = next(n for n in range(len(key)) if key[: n + 1] not in {one[: n + 1] for one in known})
            among = [*dict.fromkeys(one[at] for one in known if one[:at] == key[:at] and one[at])]
            column, problem = list(_NOT_THERE.items())[at]
            of = f" {', '.join(map(quoted, key[:at]))}" if at else ""
            allowed = ", ".join(map(plain, among[:_SHOWN])) + (", …" if len(among) > _SHOWN else "")
            place = names.get(column, names["case_id"])
            raise table.error(
                f"{problem}{of}{hint(key[at], among)}", row, place, allowed=allowed, got=cells[column][row]
            )
        if (item := known[key]) in items:
            first = table.row_number(items[item])
            raise table.error(f"an item that is labelled twice (first in row {first})", row, names["case_id"])
        items[item] = row
    labels = np.stack([*said.values()], 1)
    if not (labels != NO_LABEL).any():
        raise InputError("no item is labelled", source=table.source, allowed="1 or 0 in at least one row")
    return HumanLabels(list(items), labels, [column.strip()[len(LABEL) + 1 :] or HUMAN for column in said])
