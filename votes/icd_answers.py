"""Free text -> ICD-10 with a language model's picks, for `map_to_icd`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..terms.icd.index import CODE, DIRECT, HOW, IcdIndex
from ..terms.icd.mapping import Answers, Candidate, IcdAnswer, candidates_of, direct_candidate, led_by
from .picks import Choices, place_of
from .prompts.questions import REASONS, Answer
from .store.store import VoteStore
from .voters import Picker

PICKED, UNSCORED = "picked", "unscored"
NOT_ANSWERED = "the model was not asked, or did not answer"


def picked_answers(
    picker: Picker, store: VoteStore, ask: Callable[[Choices], None], take_direct: bool = True
) -> Answers:
    """Direct match or code; else "picked", the candidate that the model named; else "unscored", with the reason.

    ask : has what the store does not hold of these choices asked. The candidates stand in the order in which they were
        put to the model, after a direct match, of which no model is asked; the score of a pick is its cosine or its distance with
        a minus sign.
    take_direct : as of `Choices.of`.
    """

    def answers(names: Sequence[str], index: IcdIndex, k: int) -> list[IcdAnswer]:
        choices = Choices.of(names, index, k, take_direct)
        ask(choices)
        out = []
        ways = zip(names, choices.direct.nodes.tolist(), choices.direct.how.tolist(), strict=True)
        # The letters of a code say nothing to an encoder.
        by_name = [name for name, how in zip(names, choices.direct.how.tolist(), strict=True) if how == DIRECT]
        found = zip(*index.candidates(by_name, k), strict=True)
        for name, node, how in ways:
            if node < 0:
                out.append(IcdAnswer(None, None, HOW[0], None, []))
                continue
            one = direct_candidate(index, node, name)
            others = [] if how == CODE else candidates_of(index, *next(found))
            out.append(IcdAnswer(*one[:2], HOW[how], 1.0, led_by(one, others, index, k)))
        for choice, answer in zip(choices.asked, store.stored(choices.questions(picker)), strict=True):
            candidates = candidates_of(index, choice.candidates, choice.cosines, choice.entries)
            out[choice.row] = _answer(choice.name, candidates, answer)
        return out

    return answers


def _answer(name: str, candidates: list[Candidate], answer: Answer | None) -> IcdAnswer:
    if answer is None or answer.verdict is None:
        reason = NOT_ANSWERED if answer is None else REASONS[answer.reason or "unclear"]
        return IcdAnswer(None, None, UNSCORED, None, candidates, reason)
    chosen = candidates[place_of(answer.verdict, len(candidates), name)]
    return IcdAnswer(*chosen[:2], PICKED, chosen.score, candidates)
