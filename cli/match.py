"""`dxmatch match`: whether two diagnoses name the same disease, and the main reason; `dxmatch explain`: feature by feature."""

from __future__ import annotations

from typing import Any

from ..auditing.explain import explain as verb
from ..files.counted import shown_threshold
from ..matcher.match_function import MatchFunction
from ..terminal import wide_console
from ..terms.text.assertion import assertion_of
from .command import Call, Output, command
from .results import diagnosis

_RELATIONS = {
    "same": "The two are the same disease", "narrower": "The first is a kind of the second", "broader": "The second is a kind of the first",
    "related": "The two are near kin, and not the same", "unrelated": "The two are different diseases", "excluded": "The two exclude each other",
}  # fmt: skip


@command(given=("a", "b"))
def match(a: str, b: str, *, matcher: MatchFunction) -> dict[str, Any]:
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
    diagnosis(a, "score")
    diagnosis(b, "score")
    found = verb(matcher, a, b)
    relation, wording = found.known.relation, found.wording
    said = [assertion_of(name, matcher.features.language) for name in wording.names]
    verdict = f"{'Match' if found.match else 'No match'}: probability {found.probability:.3f}"
    verdict += f" (a match from {shown_threshold(found.threshold)}, policy {found.policy})."
    if not found.identical and relation is not None:
        verdict += f" {_RELATIONS[relation]} ({found.known.relations[relation]:.2f})."
    read = [
        f"{text!r} as {name!r}" + f", {one.status}" * (str(one.status) != "present") for text, name, one in zip((a, b), wording.names, said, strict=True)
        if text.casefold() != name or str(one.status) != "present"
    ]  # fmt: skip
    for line in (verdict, f"Why: {found.main_reason}", *([f"Understood: {'; '.join(read)}."] if read else [])):
        wide_console().print(line, markup=False, highlight=False)
    understood = [
        {"text": text, "understood_as": name, "read_as": dict(read_as), "said": str(one.status), "of": one.core}
        for text, name, read_as, one in zip((a, b), wording.names, wording.read_as, said, strict=True)
    ]
    return {
        "a": a, "b": b, "match": found.match, "probability": found.probability, "threshold": found.threshold, "policy": found.policy,
        "relation": "same" if found.identical else relation, "relations": dict(found.known.relations), "why": found.main_reason,
        "understood": understood, "model": found.model,
    }  # fmt: skip


@command(verb, given=("a", "b"), stdout=".svg")
def explain(call: Call, *, output: Output | None = None) -> dict[str, Any]:
    """Say why two diagnoses match, or do not: in words, feature by feature, and as a picture.

    Parameters
    ----------
    output : path
        A picture (.svg, .png), or a page (.html).

    Examples
    --------
    dxmatch explain "heart attack" "acute MI" -o why.svg
    """
    for text in (call.typed["a"], call.typed["b"]):
        diagnosis(text, "score")
    found = call()
    if output is not None:
        found.save(output)
    found.print()
    if output is not None:
        print(f"Written: {output}")
    return found.to_dict()
