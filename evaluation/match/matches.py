"""Everything that any judge says of the answers of one evaluation; M is asked here and nowhere else."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ...errors import quoted
from ...matcher.protocol import Matcher, Profile, told
from ...progress import Progress
from ...terms.icd.codes import padded
from ..read.findings import Finding, first_few
from ..read.lists import ABSENT, ALGORITHM, NO_DIAGNOSIS, Lists
from .cases import CaseTable
from .codes import CodedAnswers, TextCodes, coded_answers
from .judge import Judgements, Judging, read_human
from .options import MAX_K
from .pairs import MOST_IN_TURN, Pairs, Panels, PeerMatches, ReferenceMatches

_AGAINST_RIGHT, _CODED = ("ranking", "recall", "hierarchical"), ("ranking", "hierarchical")


@dataclass(frozen=True)
class Matches:
    """What all judges say of the answers.

    answers : with the columns relation and severity filled, where these were asked for.
    m : what M says of itself.
    references : against the right answers; None where no case has one. of_final : the same answers against the final
        diagnoses, where these are told apart: its references, codes and judged alone are filled.
    peers : raters with each other, of lists cut to max_k; None without panels. first : the first diagnoses, all raters with each other in
        each case, and of different cases; None where nobody needs them.
    codes : of ICD-10; None where nobody needs them, or something is missing.
    judged : what a judge of whole answers says; None without one. humans : what people say of each right answer, [n, r, D], as of `read_human`.
    no_panel : why there is none.
    case_table : what was matched with what; None without references and without a panel.
    """

    answers: Lists
    m: Profile
    references: ReferenceMatches | None = None
    of_final: Matches | None = None
    peers: PeerMatches | None = None
    first: PeerMatches | None = None
    codes: CodedAnswers | None = None
    judged: Judgements | None = None
    humans: Mapping[str, NDArray[np.int8]] = field(default_factory=dict)
    no_panel: str = ""
    findings: tuple[Finding, ...] = ()
    case_table: CaseTable | None = None


def match(
    answers: Lists,
    matcher: Matcher,
    families: Collection[str],
    max_k: int,
    *,
    panels: Panels,
    no_panel: str,
    codes: TextCodes,
    judge: Judging,
    progress: Progress,
) -> Matches:
    """Asks every judge about the answers, M about each pair of strings once.

    Lists are looked at whole, to their hundredth diagnosis, but for those of a panel.

    Parameters
    ----------
    answers : Lists
        With what is right, as far as anybody knows it.
    matcher : Matcher
        M.
    families : collection of str
        The families of metrics to come: what none of them needs is not asked.
    max_k : int
        How much of the lists of a panel is compared.
    panels, no_panel
        Who is judged by whom; why there is none.
    codes : TextCodes
        Where the codes of texts come from.
    judge : Judging
        Language models that judge whole answers, and fill the columns relation and severity; and labels by people.
    progress : callable
        Called with (done, in all).

    Raises
    ------
    InputError
        For codes, labels or answers of a judge that cannot be right.
    ModelError
        Where M gives something other than one value per pair.
    """
    m, answers = Profile.of(matcher), judge.filled(answers, matcher)
    humans = {} if judge.judge.human is None else read_human(judge.judge.human, answers)
    # unless its votes cost something, M is asked for the table of cases alone, too
    families = {*families, *(["recall"] if humans or not m.rests_on_votes else [])}
    pairs, found = _asked(answers, families, max_k, panels, matcher)
    pairs.ask(progress)
    # nDCG is of the final diagnosis, where it is told apart
    ranked = "of_final" if "of_final" in found else "references"
    if m.tells_relations and "ranking" in families and ranked in found:
        found[ranked] = found[ranked].graded()
    final, both = found.pop("of_final", None), [answers, answers.of_final()]
    coded, findings = [None, None], list[Finding]()
    if not families.isdisjoint(_CODED):
        coded, findings = coded_answers(both, _depth(answers), codes, progress)
    judged = judge.judgements(answers, matcher)
    if "references" in found:
        found["case_table"] = CaseTable(answers, found["references"], judged.sentences() if judged else {})
    if final is not None:
        found["of_final"] = Matches(both[1], m, final, codes=coded[1], judged=judge.judgements(both[1], matcher))
    return Matches(
        answers, m, **found, codes=coded[0], judged=judged, humans=humans, no_panel=no_panel,
        findings=(*findings, *_findings(answers, matcher, pairs)),
    )  # fmt: skip


def pairs_needed(answers: Lists, families: Collection[str], max_k: int, panels: Panels) -> pa.Table:
    """Lists the pairs that `match` asks M about, each once, in the columns a and b; asks nobody."""
    pairs, _ = _asked(answers, families, max_k, panels)
    return pa.table([pa.array(side, pa.string()) for side in pairs.texts(pairs.codes)], ["a", "b"])


def _depth(answers: Lists) -> int:
    """How much of each list is looked at: as much as the longest holds."""
    return min(max(1, int(answers.lengths.max(initial=0))), MAX_K)


def _asked(
    answers: Lists, families: Collection[str], max_k: int, panels: Panels, matcher: Matcher | None = None
) -> tuple[Pairs, dict[str, Any]]:
    """What M is to be asked, and the fields of `Matches` that rest on it."""
    final, raters, parts = answers.of_final(), len(answers.raters), dict[str, Any]()
    pairs = Pairs([*answers.strings, *chain(*answers.reference, *final.reference)], matcher)
    # the last two for -2 and -1
    number = np.append(pairs.numbers(answers.strings), np.array([ABSENT, NO_DIAGNOSIS], np.int32))
    for name, one in (("references", answers), ("of_final", final)):
        if any(one.reference) and not {*families}.isdisjoint(_AGAINST_RIGHT):
            right = padded(tuple(pairs.numbers(texts).tolist()) for texts in one.reference)
            parts[name] = ReferenceMatches.of(pairs, right, number[one.top(_depth(one))])
    if panels:
        parts["peers"] = PeerMatches.of(pairs, number[answers.top(max_k)], panels)
    experts = sum(role != ALGORITHM for role in answers.roles or [""] * raters)
    if "agreement" in families and (experts >= 2 if experts < raters else 3 <= raters <= MOST_IN_TURN):
        parts["first"] = PeerMatches.of(pairs, number[answers.top(1)], [range(raters)])
    return pairs, parts


def texts_in_words(reasons: Mapping[str, str]) -> str:
    """Lists the first few texts, each with what is wrong with it."""
    return first_few(f"{quoted(text)} ({why})" for text, why in reasons.items())


def _findings(answers: Lists, matcher: Matcher, pairs: Pairs) -> Iterator[Finding]:
    """What of the lists is not looked at, what M does not understand, what it reads as other words, and who decided what it is not sure of."""
    if doubts := getattr(matcher, "doubts", lambda a, b: None)(*pairs.texts(pairs.codes)):
        yield Finding("doubtful", doubts[0], len(pairs.codes), example=doubts[1])
    if longer := int((answers.lengths > MAX_K).sum()):
        yield Finding("lengths", longer, answers.lengths.size, f"longer than the {MAX_K} ranks looked at")
    texts = list(dict.fromkeys([*answers.strings, *chain(*answers.reference)]))
    if unknown := told(matcher, "not_understood", texts):
        said = np.isin(answers.entries, [at for at, text in enumerate(answers.strings) if text in unknown])
        cases = np.repeat(np.arange(len(answers.cases)), answers.lengths.sum(1))[said]
        right = [case for case, of in enumerate(answers.reference) if not unknown.keys().isdisjoint(of)]
        touched = len({*cases.tolist(), *right})
        what = f"{len(unknown):,} of {len(texts):,} different diagnoses"
        yield Finding("not_understood", touched, len(answers.cases), what, texts_in_words(unknown))
    if changed := told(matcher, "read_as", texts):
        words = first_few(f"{quoted(one)} as {quoted(other)}" for pairs in changed.values() for one, other in pairs)
        yield Finding("spelling", len(changed), len(texts), example=words)
