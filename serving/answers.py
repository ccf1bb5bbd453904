"""What is asked of the API, checked as it comes, and what M says to it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
import pyarrow as pa
from msgspec import Meta, Struct

from ..auditing.explain import explain
from ..errors import InputError
from ..files.limits import MAX_CHARACTERS
from ..files.pair_labels import VOTES
from ..files.pairs import refused_texts, why_refused
from ..matcher.doubtful import is_doubtful
from ..matcher.icd_mapping import EDITION, icd
from ..matcher.policy import POLICIES, SPECIFICATION

if TYPE_CHECKING:
    from ..labelling.label_file import LabelFile
    from ..matcher.batch import Batch
    from ..matcher.match_function import MatchFunction

MOST_TERMS, MOST_PAIRS, MOST_TEXTS, MOST_CANDIDATES = 2_000, 100_000, 500, 50
Diagnosis = Annotated[str, Meta(max_length=MAX_CHARACTERS)]
Terms = Annotated[list[Diagnosis], Meta(min_length=1, max_length=MOST_TERMS)]
_Best = Annotated[int, Meta(ge=1, le=MOST_CANDIDATES)]


class Pair(Struct, forbid_unknown_fields=True):
    """Two diagnoses; under policies with a direction, a is the reference and b the answer."""

    a: Diagnosis
    b: Diagnosis


class Lists(Struct, forbid_unknown_fields=True):
    """Two lists of diagnoses; the k best of b are wanted for each of a."""

    a: Terms
    b: Terms
    k: _Best = 1


class Texts(Struct, forbid_unknown_fields=True):
    """Diagnoses to be mapped to ICD-10, each with its k best candidates."""

    diagnoses: Annotated[list[Diagnosis], Meta(min_length=1, max_length=MOST_TEXTS)]
    k: _Best = 5


class Label(Struct, forbid_unknown_fields=True):
    """What a person says of a pair: 1 a match, 0 none, null takes back what was said before."""

    a: Diagnosis
    b: Diagnosis
    label: Literal[0, 1] | None


def matched(m: MatchFunction, pair: Pair, labels: LabelFile | None) -> dict[str, Any]:
    """Whether two diagnoses match, what the first is to the second, what was understood, and why.

    Raises `NotUnderstood` for a diagnosis that M does not understand, `InputError` for one that is none.
    """
    found = explain(m, pair.a, pair.b)
    batch = m.model.batch([pair.a], [pair.b])
    understood = [
        {"text": text, "compared_as": name, "read_as": read_as, "assertion": one.status, "said_by": one.trigger}
        for text, name, read_as, one in zip(
            (pair.a, pair.b), found.wording.names, found.wording.read_as, found.wording.said, strict=True
        )
    ]  # fmt: skip
    return {
        "a": pair.a, "b": pair.b, "match": found.match, "doubtful": found.doubtful, "probability": found.probability, "threshold": found.threshold, "policy": m.policy,
        "policies": _by_policy(m, batch), "relation": "same" if found.identical else found.known.relation,
        "relations": found.known.relations, "reason": found.known.reason, "words": found.answers, "understood": understood,
        "label": _label(labels, pair.a, pair.b),
        **{name: column[0].as_py() for name, column in batch.columns().items() if name == "decided_by"},
    }  # fmt: skip


def _by_policy(m: MatchFunction, batch: Batch) -> list[dict[str, Any]]:
    """The only row under each policy that M knows."""
    out = []
    for policy in POLICIES.values() if m.has_relation_model else (POLICIES[SPECIFICATION],):
        probability = float(batch.probability(policy.name)[0])
        least = m.threshold if policy.name == m.policy else m.model.threshold_of(policy.name)
        said = {
            "policy": policy.name,
            "meaning": policy.meaning,
            "probability": probability,
            "doubtful": bool(is_doubtful(probability)),
        }
        out.append({**said, "threshold": least, "match": probability >= least})
    return out


def _label(labels: LabelFile | None, a: str, b: str) -> int | None:
    """What was said of a pair before."""
    return None if labels is None else VOTES.get(labels.of(a, b))


def no_diagnosis(texts: Sequence[str]) -> dict[str, str]:
    """What is blank, or else no diagnosis -> why."""
    refused = refused_texts(pa.array([text.strip() for text in texts], pa.large_string()))
    return {texts[i]: why_refused(texts[i].strip())[0] for i in np.flatnonzero(refused).tolist()}


def linked(m: MatchFunction, lists: Lists, labels: LabelFile | None) -> dict[str, Any]:
    """The best of b for each of a, by all pairs; what is no diagnosis is told in its place. Errors: `InputError` for too many pairs."""
    if len(lists.a) * len(lists.b) > MOST_PAIRS:
        allowed = f"at most {MOST_PAIRS:,} pairs at once; dxmatch link takes more"
        raise InputError("too many pairs", allowed=allowed, got=len(lists.a) * len(lists.b))
    unknown = no_diagnosis([*lists.a, *lists.b])
    unknown |= m.not_understood([text for text in dict.fromkeys((*lists.a, *lists.b)) if text not in unknown])
    a, b = ([text for text in dict.fromkeys(side) if text not in unknown] for side in (lists.a, lists.b))
    best: dict[str, list[dict[str, Any]]] = {}
    if a and b:
        probability, k = m.matrix(a, b), min(lists.k, len(b))
        order = np.argsort(-probability, axis=1, kind="stable")[:, :k]
        firsts, seconds = [text for text in a for _ in range(k)], [b[i] for i in order.ravel().tolist()]
        kinds = m.relations(firsts, seconds).kinds if m.has_relation_model else [None] * len(firsts)
        chances = np.take_along_axis(probability, order, axis=1).ravel().tolist()
        for place, (one, other, chance, kind) in enumerate(zip(firsts, seconds, chances, kinds, strict=True)):
            link = {"a": one, "b": other, "rank": place % k + 1, "probability": chance, "match": chance >= m.threshold}
            link |= {
                "doubtful": bool(is_doubtful(chance)),
                "relation": kind,
                "label": _label(labels, one, other),
                "not_understood": None,
            }
            best.setdefault(one, []).append(link)
    blank = dict.fromkeys(("b", "rank", "probability", "match", "doubtful", "relation", "label"))
    links = [
        link for one in lists.a for link in best.get(one, [{"a": one, **blank, "not_understood": unknown.get(one)}])
    ]
    return {"links": links, "not_understood": {text: unknown[text] for text in lists.b if text in unknown}}


def mapped(m: MatchFunction, texts: Texts) -> dict[str, Any]:
    """The entries of ICD-10, with candidates; what is blank, or without a letter or digit, keeps its place.

    Errors: `InputError` for what is no diagnosis, or where all is blank; `ModelError` for a model without an encoder of its own.
    """
    table = icd(pa.table({"diagnosis": texts.diagnoses}), k=texts.k, matcher=m)
    return {"edition": table.schema.metadata[EDITION.encode()].decode(), "mapped": table.to_pylist()}
