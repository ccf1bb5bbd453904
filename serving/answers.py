"""What M says, as the messages of the API."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from ..auditing.explain import explain
from ..errors import InputError
from ..files.pairs import refused_texts, why_refused
from ..matcher.icd_blanks import BLANK
from ..matcher.icd_mapping import EDITION, IcdMapper, map_icd
from ..matcher.icd_strings import Diagnoses
from ..matcher.policy import POLICIES, SPECIFICATION
from .messages import (
    MOST_PAIRS,
    ByPolicy,
    Candidate,
    Link,
    Links,
    Lists,
    Mapped,
    Mapping,
    Match,
    Pair,
    Texts,
    Understood,
)

if TYPE_CHECKING:
    from ..matcher.batch import Batch
    from ..matcher.match_function import MatchFunction
    from .labels import LabelFile


def matched(m: MatchFunction, pair: Pair, labels: LabelFile | None) -> Match:
    """Raises `NotUnderstood` for a diagnosis that M does not understand, `InputError` for one that is none."""
    found = explain(m, pair.a, pair.b)
    batch = m.model.batch([pair.a], [pair.b])
    said = [batch.names.assertions[int(place[0])] for place in (batch.a, batch.b)]
    return Match(
        a=pair.a, b=pair.b, match=found.match, probability=found.probability, threshold=found.threshold, policy=m.policy,
        policies=_by_policy(m, batch), relation="same" if found.identical else found.known.relation,
        relations=dict(found.known.relations),
        reason=found.known.reason, words=found.answers,
        understood=[
            Understood(text, name, list(read_as), assertion.status, assertion.trigger)
            for text, name, read_as, assertion in zip((pair.a, pair.b), found.wording.names, found.wording.read_as, said, strict=True)
        ],
        label=None if labels is None else labels.label(pair.a, pair.b),
    )  # fmt: skip


def _by_policy(m: MatchFunction, batch: Batch) -> list[ByPolicy]:
    """The only row under each policy that M knows."""
    out = []
    for policy in POLICIES.values() if m.has_relation_model else (POLICIES[SPECIFICATION],):
        probability = float(batch.probability(policy.name)[0])
        threshold = m.threshold if policy.name == m.policy else m.decider.threshold_of(policy.name)
        out.append(ByPolicy(policy.name, policy.meaning, probability, threshold, probability >= threshold))
    return out


def check_diagnoses(source: str, texts: Sequence[str]) -> None:
    """Errors: `InputError` for the first text that is no diagnosis."""
    for place in _no_diagnosis(texts):
        problem, allowed = why_refused(texts[place].strip())
        raise InputError(problem, source=source, row=place + 1, allowed=allowed, got=texts[place])


def _no_diagnosis(texts: Sequence[str]) -> list[int]:
    """The places of what is blank, or else no diagnosis."""
    stripped = pa.array([text.strip() for text in texts], pa.large_string())
    return np.flatnonzero(refused_texts(stripped)).tolist()


def linked(m: MatchFunction, lists: Lists, labels: LabelFile | None) -> Links:
    """The best of b for each of a, by all pairs; what is no diagnosis is told in its place. Errors: `InputError` for too many pairs."""
    if len(lists.a) * len(lists.b) > MOST_PAIRS:
        allowed = f"at most {MOST_PAIRS:,} pairs at once; dxmatch link takes more"
        raise InputError("too many pairs", allowed=allowed, got=len(lists.a) * len(lists.b))
    texts = list(dict.fromkeys((*lists.a, *lists.b)))
    unknown = {texts[place]: why_refused(texts[place].strip())[0] for place in _no_diagnosis(texts)}
    unknown |= m.not_understood([text for text in texts if text not in unknown])
    known = [text for text in dict.fromkeys(lists.b) if text not in unknown]
    k = min(lists.k, len(known))
    asked = [text for text in dict.fromkeys(lists.a) if text not in unknown]
    best: dict[str, list[Link]] = {}
    if asked and known:
        probability = m.matrix(asked, known)
        order = np.argsort(-probability, axis=1, kind="stable")[:, :k]
        a = [text for text in asked for _ in range(k)]
        b = [known[i] for i in order.ravel().tolist()]
        kinds = m.relations(a, b).kinds if m.has_relation_model else [None] * len(a)
        chances = np.take_along_axis(probability, order, axis=1).ravel().tolist()
        for place, (one, other, chance, kind) in enumerate(zip(a, b, chances, kinds, strict=True)):
            label = None if labels is None else labels.label(one, other)
            link = Link(one, other, place % k + 1, chance, chance >= m.threshold, kind, label, None)
            best.setdefault(one, []).append(link)
    blank = (None, None, None, None, None, None)
    rows = [link for a in lists.a for link in best.get(a, [Link(a, *blank, unknown.get(a))])]
    return Links(rows, {text: unknown[text] for text in dict.fromkeys(lists.b) if text in unknown})


def mapped(m: MatchFunction, texts: Texts) -> Mapping:
    """The entries of ICD-10; what is blank keeps its place.

    Errors: `InputError` for what is no diagnosis, or where all is blank; `ModelError` for a model without an encoder of its own.
    """
    given = [text for text in texts.diagnoses if text.strip()]
    check_diagnoses("diagnoses", [text if text.strip() or not given else given[0] for text in texts.diagnoses])
    table = map_icd(Diagnoses.of(given), IcdMapper(k=texts.k, matcher=m)).table
    found = (
        Mapped(**row | {"candidates": [Candidate(**candidate) for candidate in row["candidates"]]})
        for row in table.to_pylist()
    )
    rows = [next(found) if text.strip() else Mapped(text, None, None, BLANK, None, []) for text in texts.diagnoses]
    return Mapping(table.schema.metadata[EDITION.encode()].decode(), rows)
