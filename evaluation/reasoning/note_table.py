"""Every note of every run as rows: its counts and metrics; and its deductions, side by side (DiReCT, Figs 6 and 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ...pages.rows import Row, known
from ..metrics import REGISTRY
from .compared import OF_DIAGNOSES, OF_PREMISES, OF_TEXTS, M, Run
from .correspondence import same_diagnosis
from .graph import KnowledgeGraph
from .notes import Deduction

COMMON, ONLY_NOTE, ONLY_PREDICTED = "common", "only in the note", "only predicted"


def note_rows(runs: Sequence[Run], domains: Sequence[str | None], missing: str) -> list[Row]:
    """As in `Reasoning.per_note`."""
    rows: list[Row] = []
    for run in runs:
        right = run.accuracies(missing)
        counts = {by: run.counts(by) for by in run.by}
        values = {by: run.values(by, missing) for by in run.by}
        for i, note in enumerate(run.notes):
            row: Row = {
                "run": run.name,
                "note": note,
                "domain": domains[i],
                "category": run.categories[i],
                "predicted_category": run.reached[i].category,
                "diagnosis": run.annotated[i].path[-1],
                "predicted_diagnosis": run.reached[i].diagnosis,
                "has_prediction": run.predicted[i] is not None,
                "path_in_graph": run.reached[i].path_in_graph,
            }
            row |= {REGISTRY[metric].symbol: known(float(right[metric][i])) for metric in OF_DIAGNOSES}
            for by, own in counts.items():
                told = "" if by == M else f"({by})"
                row |= {f"{name}{told}": own[name][i] for name in own if not told or name in ("paired", "explained")}
                row |= {
                    f"{REGISTRY[metric].symbol}{told}": known(float(values[by][metric][i]))
                    for metric in (*OF_TEXTS, *OF_PREMISES) if metric in values[by]
                }  # fmt: skip
            rows.append(row)
    return rows


def deduction_rows(run: Run, place: int, graph: KnowledgeGraph, by: str = M) -> Iterator[Row]:
    """Of one note, by M or by the judge: the pairs, then what stands on one side alone.

    kind, observation, predicted_observation, rationale, predicted_rationale, diagnosis, predicted_diagnosis, section,
    same_diagnosis, rationales_alike, explained, premises and predicted_premises (what the graph says for the two diagnoses),
    on_premise and predicted_on_premise (whether the rationale matches one of these by M; None where that was not asked).
    """
    true, said = run.deductions[place]
    compared = run.by[by]
    found = zip(compared.pairs[place], compared.alike[place], compared.explained[place], strict=True)
    taken: tuple[set[int], set[int]] = (set(), set())
    for (i, j), alike, explained in found:
        taken[0].add(i)
        taken[1].add(j)
        told = {"same_diagnosis": same_diagnosis(true[i], said[j]), "rationales_alike": alike, "explained": explained}
        yield {"kind": COMMON} | _side(run, place, i, True, graph) | _side(run, place, j, False, graph) | told
    nothing = dict.fromkeys(("same_diagnosis", "rationales_alike", "explained"))
    for i in sorted(set(range(len(true))) - taken[0]):
        yield {"kind": ONLY_NOTE} | _side(run, place, i, True, graph) | _side(run, place, None, False, graph) | nothing
    for j in sorted(set(range(len(said))) - taken[1]):
        yield {"kind": ONLY_PREDICTED} | _side(run, place, None, True, graph) | _side(run, place, j, False, graph) | nothing  # fmt: skip


def _side(run: Run, place: int, at: int | None, annotated: bool, graph: KnowledgeGraph) -> Row:
    one: Deduction | None = None if at is None else run.deductions[place][0 if annotated else 1][at]
    backed = run.annotated_premised if annotated else run.premised
    before = "" if annotated else "predicted_"
    return {
        f"{before}observation": one and one.observation,
        f"{before}rationale": one and one.rationale,
        f"{before}diagnosis": one and one.diagnosis,
        f"{before}section": one and one.section,
        f"{before}premises": one and premises_text(graph, run.categories[place], one.diagnosis),
        f"{before}on_premise": backed[place][at] if backed and at is not None else None,
    }


def premises_text(graph: KnowledgeGraph, category: str, diagnosis: str | None) -> str | None:
    """What the graph says for a diagnosis, in the note's category or else where it is known; None where it says nothing."""
    own = graph.category(category)
    found: Mapping[str, str] = {} if own is None else own.premises(diagnosis)
    if not found:
        found = next((said for one in graph.categories.values() if (said := one.premises(diagnosis))), {})
    return "\n".join(f"{heading}: {text.strip()}" if heading else text.strip() for heading, text in found.items()) or None  # fmt: skip


def every_deduction(runs: Sequence[Run], graph: KnowledgeGraph) -> list[Row]:
    """The rows of `deduction_rows` with run, note and judged_by."""
    return [
        {"run": run.name, "note": note, "judged_by": by} | row
        for run in runs for by in run.by for place, note in enumerate(run.notes)
        for row in deduction_rows(run, place, graph, by)
    ]  # fmt: skip
