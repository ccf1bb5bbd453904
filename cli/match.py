"""`dxmatch match`: whether two diagnoses name the same disease, and the main reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..files.counted import shown_threshold
from ..files.file_names import is_file_name
from .command import command
from .faults import WrongUsage
from .results import diagnosis

if TYPE_CHECKING:
    from ..auditing.explanation import Explanation


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
    from ..auditing.explain import explain
    from ..matcher.match_function import load
    from ..terminal import wide_console

    if b is None:
        table = f"; for a table of pairs: dxmatch score {a}" if a == "-" or is_file_name(a) else ""
        raise WrongUsage(f'two diagnoses are needed: dxmatch match "heart attack" "acute MI"{table}')
    diagnosis(a, "score")
    diagnosis(b, "score")
    m = matcher or load()
    found = explain(m, a, b)
    document = _document(found, m.features.language)
    out = wide_console()
    for line in _lines(found, document):
        out.print(line, markup=False, highlight=False)
    return document


def _document(found: Explanation, language: str) -> dict[str, Any]:
    from ..terms.text.assertion import assertion_of

    understood = [
        {
            "text": text,
            "understood_as": name,
            "read_as": dict(read_as),
            "said": str(said.status),
            "of": said.core,
        }
        for text, name, read_as in zip((found.a, found.b), found.wording.names, found.wording.read_as, strict=True)
        for said in [assertion_of(name, language)]
    ]
    return {
        "a": found.a,
        "b": found.b,
        "match": found.match,
        "probability": found.probability,
        "threshold": found.threshold,
        "policy": found.policy,
        "relation": "same" if found.identical else found.known.relation,
        "relations": dict(found.known.relations),
        "why": found.main_reason,
        "understood": understood,
        "model": found.model,
    }


def _lines(found: Explanation, document: dict[str, Any]) -> list[str]:
    """What a reader wants to know first."""
    policy = "" if found.policy == "specification" else f", policy {found.policy}"
    lines = [
        f"{'Match' if found.match else 'No match'}: probability {found.probability:.3f} (a match from {shown_threshold(found.threshold)}{policy}).{_relation(found)}",
        f"Why: {found.main_reason}",
    ]
    understood = [
        f"{one['text']!r} as {one['understood_as']!r}" + ("" if one["said"] == "present" else f", {one['said']}")
        for one in document["understood"]
        if one["text"].casefold() != one["understood_as"] or one["said"] != "present"
    ]
    if understood:
        lines.append(f"Understood: {'; '.join(understood)}.")
    return lines


_WORDS = {
    "same": "The two are the same disease",
    "narrower": "The first is a kind of the second",
    "broader": "The second is a kind of the first",
    "related": "The two are near kin, and not the same",
    "unrelated": "The two are different diseases",
    "excluded": "The two exclude each other",
}


def _relation(found: Explanation) -> str:
    if found.identical or found.known.relation is None:
        return ""
    return f" {_WORDS[found.known.relation]} ({found.known.relations[found.known.relation]:.2f})."
