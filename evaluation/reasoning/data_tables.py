"""What the data hold: notes by domain and category (DiReCT, Table 2), and the graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from statistics import fmean

from ...pages.rows import Row
from .domains import in_order
from .graph import KnowledgeGraph
from .notes import Annotation

Length = Callable[[str], int]


def data_rows(
    annotated: Sequence[Annotation],
    categories: Sequence[str],
    domains: Mapping[str, str | None],
    graph: KnowledgeGraph,
    length: Length | None = None,
) -> list[Row]:
    """by, group, categories, notes, diagnoses, discharge_diagnoses, observations (mean), length (mean): of all, domains, categories.

    Diagnoses are those of the graphs, |D| and |D*| of the source; a category without a note counts with its graph.
    length : of the text of a note's sections; its words by default. The source counts tokens of BERT.
    """
    every = {one.name: one for one in graph.categories.values()}
    groups = [("all", "all", list(every))]
    groups += [
        ("domain", domain, [name for name in every if domains[name] == domain]) for domain in in_order(domains.values())
    ]
    groups += [("category", name, [name]) for name in sorted(set(categories))]
    rows = []
    for by, group, names in groups:
        own = [note for note, category in zip(annotated, categories, strict=True) if category in names]
        rows.append(
            {
                "by": by,
                "group": group,
                "categories": len(names),
                "notes": len(own),
                "diagnoses": sum(len(every[name].paths) for name in names),
                "discharge_diagnoses": sum(len(every[name].leaves) for name in names),
                "observations": fmean(len(note.deductions) for note in own) if own else None,
                "length": fmean(_length(note, length) for note in own) if own else None,
            }
        )
    return rows


def _length(note: Annotation, length: Length | None) -> int:
    return note.length if length is None else length("\n".join(note.sections[n] for n in sorted(note.sections)))


def graph_rows(graph: KnowledgeGraph, domains: Mapping[str, str | None]) -> list[Row]:
    """category, domain, root, diagnoses, discharge_diagnoses, depth, with_premises, premises: of each graph."""
    return [
        {
            "category": one.name,
            "domain": domains[one.name],
            "root": one.diagnoses[0],
            "diagnoses": len(one.paths),
            "discharge_diagnoses": len(one.leaves),
            "depth": one.depth,
            "with_premises": sum(bool(one.statements(name)) for name in set(one.diagnoses)),
            "premises": sum(len(one.statements(name)) for name in set(one.diagnoses)),
        }
        for one in sorted(graph.categories.values(), key=lambda one: one.name)
    ]
