"""Why one diagnosis is what it is to another, in a sentence: what the words exclude, what the graph of diseases knows, in which words they differ."""

from __future__ import annotations

from ..features.contrast import contrasts, denials
from ..features.names import Names
from ..features.providers import SHIPPED, Providers
from ..terms.diseases.graph import DiseaseGraph
from ..terms.text.assertion import Assertion, Status, excludes

_SURE = 0.9
"""Below this certainty of a link nothing is said of the disease that it leads to."""


def reason(providers: Providers, names: Names, a: int, b: int) -> str:
    """A sentence, or "" where neither the words nor the graph say anything. a, b : places among the names."""
    # read anew: those of `names` stay behind where they travel to a worker
    first, second = (providers.normalizer.assertion(names.names[place]) for place in (a, b))
    if excludes(first, second):
        return f"{_said(first)}, {_said(second)}"
    if denied := denials(first.core, second.core, providers.normalizer.language):
        return f"'{denied[0][0]}' and '{denied[0][1]}' exclude each other"
    if a == b:
        return ""
    if providers.graph is not None and (known := _of_graph(providers.graph, names, a, b)):
        return known
    opposed = contrasts(first.core, second.core, providers.normalizer.language)
    return f"'{opposed[0][0]}' and '{opposed[0][1]}' differ" if opposed else ""


def _said(assertion: Assertion) -> str:
    """What is said of a diagnosis, with the words that say so."""
    words = f"'{assertion.trigger}'"
    match assertion.status:
        case Status.PRESENT | Status.POSSIBLE:
            return f"{assertion.core} is {assertion.status}"
        case Status.NO_DISEASE:
            return f"{assertion.core} is no disease of the patient ({assertion.about or 'none'}: {words})"
        case Status.FAMILY:
            return f"{assertion.core} is in the family ({words})"
        case _:
            return f"{assertion.core} is {assertion.status} ({words})"


def _of_graph(graph: DiseaseGraph, names: Names, a: int, b: int) -> str:
    links = names.diseases(SHIPPED)
    (p, q), sure = links.nodes[[a, b], 0].tolist(), links.certainty[[a, b], 0]
    if min(p, q) < 0 or not (sure >= _SURE).all():
        return ""
    if p == q:
        return f"both are names of {graph.labels[p]} ({graph.source(p)})"
    for narrow, wide in ((p, q), (q, p)):
        if graph.steps_up(narrow, wide) >= 0:
            broad = ", a class that is too broad to name a disease" if graph.too_broad[wide] else ""
            what = "a sign of" if graph.is_sign_of(narrow, wide) else "a kind of"
            return f"{graph.labels[narrow]} is {what} {graph.labels[wide]} ({graph.source(narrow)}){broad}"
    return ""
