"""`dxmatch match`: whether two diagnoses name the same disease, and the main reason."""

from __future__ import annotations

from typing import Any

from ..auditing.explain import explain
from ..files.counted import shown_threshold
from ..files.file_names import is_file_name
from ..matcher.match_function import load
from ..terminal import wide_console
from ..terms.text.assertion import assertion_of
from .command import command
from .faults import WrongUsage
from .results import diagnosis

_RELATIONS = {
    "same": "The two are the same disease", "narrower": "The first is a kind of the second", "broader": "The second is a kind of the first",
    "related": "The two are near kin, and not the same", "unrelated": "The two are different diseases", "excluded": "The two exclude each other",
}  # fmt: skip


@command(given=("a", "b"))
def match(a: str, b: str | None = None, *, matcher: Any = None) -> dict[str, Any]:
    """Say whether two diagnoses name the same disease: yes or no, how probable, what the one is to the other, and why.

    Parameters
    ----------
    a : str
        A diagnosis; the reference, where --policy tells the two apart.
    b : str
        Another.

    Examples
    --------
    dxmatch match "heart attack" "acute MI"
    dxmatch match "gout" "gouty arthritis" --json
    """
    if b is None:
        table = f"; for a table of pairs: dxmatch score {a}" if a == "-" or is_file_name(a) else ""
        raise WrongUsage(f'two diagnoses are needed: dxmatch match "heart attack" "acute MI"{table}')
    diagnosis(a, "score")
    diagnosis(b, "score")
    m = matcher or load()
    found = explain(m, a, b)
    understood = [
        {"text": text, "understood_as": name, "read_as": dict(read_as), "said": str(said.status), "of": said.core}
        for text, name, read_as in zip((a, b), found.wording.names, found.wording.read_as, strict=True)
        for said in [assertion_of(name, m.features.language)]
    ]
    relation, policy = found.known.relation, "" if found.policy == "specification" else f", policy {found.policy}"
    verdict = f"{'Match' if found.match else 'No match'}: probability {found.probability:.3f}"
    verdict += f" (a match from {shown_threshold(found.threshold)}{policy})."
    if not found.identical and relation is not None:
        verdict += f" {_RELATIONS[relation]} ({found.known.relations[relation]:.2f})."
    read = [
        f"{one['text']!r} as {one['understood_as']!r}" + ("" if one["said"] == "present" else f", {one['said']}")
        for one in understood
        if one["text"].casefold() != one["understood_as"] or one["said"] != "present"
    ]
    for line in (verdict, f"Why: {found.main_reason}", *([f"Understood: {'; '.join(read)}."] if read else [])):
        wide_console().print(line, markup=False, highlight=False)
    return {
        "a": a, "b": b, "match": found.match, "probability": found.probability, "threshold": found.threshold, "policy": found.policy,
        "relation": "same" if found.identical else relation, "relations": dict(found.known.relations), "why": found.main_reason,
        "understood": understood, "model": found.model,
    }  # fmt: skip
