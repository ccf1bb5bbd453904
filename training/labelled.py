"""What is made of labels before anything is learned from them: how far experts agree, and which pairs are left out.

Under the six criteria of a match one diagnosis may specify the other, in either direction. Some sources label otherwise:
CRAFT-MD's rule takes an answer that is broader than the reference for right, and one that is narrower for wrong. Labels
with such a rule teach M that order matters, which it cannot learn; so the rule is told, and can be set aside.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, quoted
from ..files.pair_labels import BLANK
from ..files.pairs import REFUSE, Pairs
from ..files.wording import counted
from ..matcher.batch import Batch
from ..stats.agreement import GroupAgreement
from ..terms.diseases.graph import DiseaseGraph

SHOWN = 3
MIN_PAIRS = 20
MAX_STEPS = 3
"""From a kind to its class in the graph: a class further up says too little to contradict a label."""
MIN_SHARE, MAX_SHARE = 0.1, 0.9


def agreement_of(read: Pairs, batch: Batch) -> dict[str, Any] | None:
    """`expert_agreement` of all rows, pair by pair: experts of several files vote on one pair. None without experts' columns.

    A pair is the same in either order and after normalisation. Who says both of one pair says nothing of it.
    """
    if read.ballots is None:
        return None
    of = batch.pair_of_row
    said = np.zeros((2, int(of.max()) + 1, read.ballots.shape[1]), bool)
    for verdict in (0, 1):
        rows, experts = np.nonzero(read.ballots == verdict)
        said[verdict, of[rows], experts] = True
    votes = np.select([said[1] & ~said[0], said[0] & ~said[1]], [1, 0], BLANK).astype(np.int8)
    voted = (votes != BLANK).any(axis=1)
    return expert_agreement(votes[voted]) if voted.any() else None


def expert_agreement(ballots: NDArray[np.int8]) -> dict[str, Any]:
    """What the card says of the panel. ballots : int8[n, k] of 0, 1 and -1 for a blank.

    experts : k. votes_per_pair : the mean. judged_twice : the pairs with two votes or more, on which the rest is measured.
    unanimous : the share of these on which all agree, None without one.
    krippendorff_alpha : None where it is undefined.
    """
    votes = (ballots != BLANK).sum(axis=1)
    found = (ballots == 1).sum(axis=1)
    twice = votes >= 2
    same = (found[twice] == 0) | (found[twice] == votes[twice])
    alpha = float(GroupAgreement(ballots).alpha(np.ones((1, len(ballots))))[0])
    return {
        "experts": ballots.shape[1],
        "votes_per_pair": float(votes.mean()),
        "judged_twice": int(twice.sum()),
        "unanimous": float(same.mean()) if twice.any() else None,
        "krippendorff_alpha": None if np.isnan(alpha) else alpha,
    }


def agreement_words(agreement: dict[str, Any]) -> str:
    """One line for the terminal and the card."""
    unanimous, alpha = agreement["unanimous"], agreement["krippendorff_alpha"]
    if unanimous is None:
        return f"{counted(agreement['experts'], 'expert')}; no pair has two votes, so their agreement is unknown."
    return (
        f"{counted(agreement['experts'], 'expert')}, {agreement['votes_per_pair']:.1f} votes a pair: unanimous on {100 * unanimous:.0f} % of"
        f" {counted(agreement['judged_twice'], 'pair')}, Krippendorff's alpha {'undefined' if alpha is None else f'{alpha:.2f}'}."
    )


def hash_of(a: Sequence[str], b: Sequence[str], label: Sequence[int]) -> str:
    """By which labelled pairs are known again: of their texts and labels, in their order."""
    digest = hashlib.sha256()
    for one, other, y in zip(a, b, label, strict=True):
        digest.update(f"{one}\t{other}\t{y}\n".encode())
    return digest.hexdigest()


def understood_pairs(pairs: Pairs, batch: Batch) -> tuple[Pairs, Batch, list[str]]:
    """The pairs whose two diagnoses are understood or equal, and a warning that counts and names the others.

    batch : the pairs as M's columns see them.

    Raises
    ------
    InputError
        Where none is left.
    """
    unscored = batch.not_understood
    if not (count := int(unscored.sum())):
        return pairs, batch, []
    if count == len(pairs):
        ((text, reason),) = batch.unknown(unscored, 1).items()
        problem = f"no pair is left: in each of {count:,} a diagnosis is not understood ({reason})"
        raise InputError(problem, source=pairs.source, allowed="diagnoses in words of the model's language", got=text)
    first = some([f"{quoted(text)}: {reason}" for text, reason in batch.unknown(unscored, SHOWN + 1).items()], "; ")
    told = f"Pairs set aside, since a diagnosis is not understood: {count:,} of {len(pairs):,} ({first})."
    return pairs.take(~unscored), batch.take(~unscored), [told]


def contained(batch: Batch, graph: DiseaseGraph | None = None) -> NDArray[np.bool_]:
    """bool[n]: all words of one side stand in the other, or the graph calls one a kind of the other; so for equal sides, too."""
    names = batch.names.names
    sides = [(names[i], names[j]) for i, j in zip(batch.first.tolist(), batch.second.tolist(), strict=True)]
    inside = [_words_within(a, b) or (graph is not None and _in_line(a, b, graph)) for a, b in sides]
    return np.array(inside, bool)[batch.pair_of_row]


def _words_within(a: str, b: str) -> bool:
    first, second = set(a.split()), set(b.split())
    return first <= second or second <= first


def _in_line(a: str, b: str, graph: DiseaseGraph) -> bool:
    first, second = graph.disease_of.get(a), graph.disease_of.get(b)
    if first is None or second is None or not graph.in_line(first, second):
        return False
    return max(graph.steps_up(first, second), graph.steps_up(second, first)) <= MAX_STEPS


def treat_contained(
    pairs: Pairs, batch: Batch, how: str, graph: DiseaseGraph | None = None
) -> tuple[Pairs, Batch, dict[str, Any]]:
    """The pairs under the rule `how`, `LabelRules.contained`, and what was found, for the card.

    {"rule", "pairs", "matches"}: such pairs that came, and how many of them were labelled 1.
    """
    assert pairs.label is not None
    inside = contained(batch, graph)
    found = {"rule": how, "pairs": int(inside.sum()), "matches": int(pairs.label[inside].sum())}
    if how == "set-aside":
        kept = ~inside | (pairs.label == 1)
        return pairs.take(kept), batch.take(kept), found
    if how == "match":
        soft = None if pairs.soft is None else np.where(inside & (pairs.label == 0), 1.0, pairs.soft)
        return replace(pairs, label=np.where(inside, 1, pairs.label).astype(np.int8), soft=soft), batch, found
    return pairs, batch, found


def contained_warning(found: dict[str, Any]) -> list[str]:
    """Where labels are kept and such pairs are neither nearly all matches nor nearly all not."""
    pairs, other = found["pairs"], found["pairs"] - found["matches"]
    if found["rule"] != "keep" or pairs < MIN_PAIRS or not MIN_SHARE <= other / pairs <= MAX_SHARE:
        return []
    return [
        f"Of {pairs:,} pairs in which one side's words contain the other's, or the graph calls one a kind of the other, {other:,} are labelled 0 and {pairs - other:,} 1. If one"
        " diagnosis may specify the other, choose 'set-aside' or 'match' in the option 'contained'."
    ]


def decide_conflicts(read: Pairs, batch: Batch, rule: str) -> tuple[Pairs, Batch, dict[str, Any], list[str]]:
    """The rows to learn from, what the card says of those left out, and a warning of those that stay.

    rule : "majority" keeps, of a pair with two labels, the rows that say what more than half of its rows do, and leaves out all rows of a
        tie; "drop" leaves out all rows of such a pair. A pair is the same in either order and after normalisation. "refuse" keeps
        all: as written they were refused when they were read, and a pair that only the normaliser makes one is warned of.

    Returns
    -------
    read, batch
    facts : dict
        rule; pairs, with two labels; decided, of these by a majority; rows, left out.
    """
    assert read.label is not None
    of = batch.pair_of_row
    rows, matches = np.bincount(of), np.bincount(of, read.label)
    divided = (matches > 0) & (matches < rows)
    if rule == REFUSE:
        pairs = np.take(batch.names.names, np.stack([batch.first, batch.second], 1)[divided & ~batch.equal]).tolist()
        shown = some([f"{quoted(a)} and {quoted(b)}" for a, b in pairs])
        told = f"Pairs that have two labels once their writing is normalised: {len(pairs):,} ({shown})."
        return read, batch, {}, [told] if pairs else []
    decided = divided & (2 * matches != rows) & (rule == "majority")
    kept = ~divided[of] | (decided[of] & (read.label == (2 * matches > rows)[of]))
    if not kept.any():
        problem = "every pair has two labels, and none a majority"
        raise InputError(problem, source=read.source, allowed="labels that agree")
    counts = {"pairs": int(divided.sum()), "decided": int(decided.sum()), "rows": int((~kept).sum())}
    return read.take(kept), batch.take(kept), {"rule": rule, **counts}, []


def conflict_words(facts: Mapping[str, Any]) -> str:
    """A line for card and terminal."""
    pairs, decided = facts["pairs"], facts["decided"]
    if not pairs:
        return "No pair has two labels."
    said = f"{counted(pairs, 'pair has', 'pairs have')} two labels: "
    if decided:
        said += f"{decided:,} decided by the majority of {'its' if decided == 1 else 'their'} rows, "
    return f"{said}{pairs - decided:,} left out; {counted(facts['rows'], 'row')} not learned from."


def some(items: list[str], between: str = ", ") -> str:
    """The first three of them, and whether there are more."""
    return between.join(items[:SHOWN]) + (f"{between}…" if len(items) > SHOWN else "")
