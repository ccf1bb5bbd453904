"""M as a scorer of Inspect, in the place of a judge prompt.

Task(dataset, solver=generate(), scorer=dxmatch_scorer())
"""

# pyright: reportMissingImports=false
# The extra may be absent where types are checked.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import count
from os import PathLike

from ..errors import InputError, MissingExtra, quoted
from ..matcher.protocol import Matcher, Profile, loaded, told
from .match.pairs import asked
from .read.cells import parted
from .read.raw_answers import ranked_diagnoses
from .score.declare import check_k

try:
    from anyio import to_thread
    from inspect_ai.scorer import Metric, Score, Scorer, Target, accuracy, grouped, mean, scorer, stderr
    from inspect_ai.solver import TaskState
except ImportError:
    raise MissingExtra("The scorer for Inspect", "inspect") from None

__all__ = ["dxmatch_metrics", "dxmatch_scorer"]


def dxmatch_metrics(by: str | None = None) -> Mapping[str, Sequence[Metric]]:
    """Accuracy of top1 and topk and mean of the probability, each with its standard error.

    by : a key of the samples' metadata; accuracy and mean are given for each of its values, too:
        `Task(…, scorer=dxmatch_scorer(), metrics=dxmatch_metrics(by="specialty"))`.
    """

    def of(value: Metric) -> list[Metric]:
        return [value, stderr()] if by is None else [value, stderr(), grouped(value, by, all=False)]

    return {"top1": of(accuracy()), "topk": of(accuracy()), "probability": of(mean())}


@scorer(metrics=dxmatch_metrics())
def dxmatch_scorer(matcher: Matcher | str | PathLike[str] | None = None, k: int = 3) -> Scorer:
    """Whether the model's diagnoses name the reference, decided by M.

    The target of a sample is its reference diagnosis, or several, as a list or with semicolons or new lines between them: any
    of them counts. The model's answer is read by `ranked_diagnoses`: a list in any form, one diagnosis, or sentences of a known
    form ("I think it is A, less likely B"); a disease that it denies is none of its diagnoses.

    matcher : M, or the folder of a trained one; the shipped match function if not given.
    k : how many diagnoses of the answer count.

    The score of a sample is {"top1": 0 or 1, "topk": 0 or 1, "probability": the highest of the first k}; its explanation
    says what each diagnosis came to, and what M did not understand. An answer that is blank or says that there is no diagnosis
    names nothing: 0, 0 and no probability. An answer that no names can be read from is left unscored, never counted as wrong or
    right; Inspect's results say how many those are (`scored_samples`, `unscored_samples`), and its explanation how it begins.

    Raises
    ------
    InputError
        For a sample without a target.
    """
    check_k(k)
    m = loaded(matcher)

    async def score(state: TaskState, target: Target) -> Score:
        references = _references(target, state.sample_id)
        text = state.output.completion
        diagnoses = ranked_diagnoses(text)
        if diagnoses is None:
            return Score.unscored(
                reason="invalid_response_format",
                explanation=f"No list of diagnoses, and no single one, can be read from the answer: {quoted(text.strip())}",
            )
        diagnoses = diagnoses[:k]
        if not diagnoses:
            return Score(
                value={"top1": 0, "topk": 0, "probability": float("nan")},
                reason="no_response",
                explanation="The answer names no diagnosis.",
            )
        # M computes, and opens its index at first use: neither may hold up the other samples.
        return await to_thread.run_sync(_score, diagnoses, references, m)

    return score


def _references(target: Target, sample: int | str) -> list[str]:
    references = [name for text in target for name in parted(text)]
    if not references or not all(any(map(str.isalnum, text)) for text in target):
        raise InputError(
            "no reference diagnosis", source=f"sample {quoted(sample)}", column="target",
            allowed="one diagnosis, or several: a list, or with semicolons between them", got=list(target),
        )  # fmt: skip
    return references


def _score(diagnoses: list[str], references: list[str], m: Matcher) -> Score:
    """Asks M about each diagnosis with each reference."""
    # in the order of a policy that looks one way: the reference, then the answer
    pairs = [(reference, diagnosis) for diagnosis in diagnoses for reference in references]
    probabilities = asked(m, *map(list, zip(*pairs, strict=True))).reshape(len(diagnoses), -1)
    best = probabilities.max(1)
    match = best >= m.threshold
    nearest = [references[i] for i in probabilities.argmax(1)]
    lines = [
        f"{rank}. {said}: {'match' if hit else 'no match'} with {reference} (probability {probability:.3f})"
        for rank, said, hit, reference, probability in zip(count(1), diagnoses, match, nearest, best, strict=False)
    ]
    unknown = told(m, "not_understood", [*dict.fromkeys([*references, *diagnoses])])
    lines += [f"M does not understand {quoted(text)} ({why}): it matches nothing." for text, why in unknown.items()]
    return Score(
        value={"top1": int(match[0]), "topk": int(match.any()), "probability": float(best.max())},
        answer="; ".join(diagnoses),
        explanation="\n".join([*lines, f"A pair matches from {m.threshold:.3f} up."]),
        metadata={
            "diagnoses": diagnoses, "probabilities": best.tolist(), "nearest_references": nearest, "not_understood": unknown,
            "matcher": Profile.of(m).identity, "policy": getattr(m, "policy", None), "threshold": float(m.threshold),
        },
    )  # fmt: skip
