"""What the data hold: medical domains, notes by domain and category (DiReCT, Table 2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ...files.tables import required_columns
from ...pages.rows import Row
from ..score.reasoning import same_name
from .graph import KnowledgeGraph
from .notes import Annotation

DOMAINS = {
    "Cardiology": (
        "Acute Coronary Syndrome", "Aortic Dissection", "Atrial Fibrillation", "Cardiomyopathy", "Heart Failure",
        "Hyperlipidemia", "Hypertension",
    ),
    "Gastroenterology": (
        "Gastritis", "Gastro-oesophageal Reflux Disease", "Peptic Ulcer Disease", "Upper Gastrointestinal Bleeding",
    ),
    "Neurology": ("Alzheimer", "Epilepsy", "Migraine", "Multiple Sclerosis", "Stroke"),
    "Pulmonology": ("Asthma", "COPD", "Pneumonia", "Pulmonary Embolism", "Tuberculosis"),
    "Endocrinology": ("Adrenal Insufficiency", "Diabetes", "Pituitary Disease", "Thyroid Disease"),
}  # fmt: skip
"""The five domains of DiReCT's 25 categories (Table 2, Fig 5), by the names of its graphs."""


def domains_of(categories: Iterable[str], given: Any = None) -> dict[str, str | None]:
    """Finds the domain of each category; None where none is given.

    given : category -> domain, or the file of a table with the columns category and domain; DiReCT's own if None.
    """
    pairs = [(name, domain) for domain, own in DOMAINS.items() for name in own]
    if given is not None:
        pairs = given.items() if isinstance(given, Mapping) else required_columns(given, "category", "domain")
    by_name = {same_name(str(category)): str(domain) for category, domain in pairs}
    return {category: by_name.get(same_name(category)) for category in categories}


def data_rows(
    notes: Sequence[Annotation],
    categories: Sequence[str],
    domains: Mapping[str, str | None],
    graph: KnowledgeGraph,
) -> list[Row]:
    """Makes by, group, categories, notes, diagnoses, discharge_diagnoses, observations (mean), length (mean, in words): of all, domains, categories.

    Diagnoses are those of the graphs, |D| and |D*| of the source; a category without a note counts with its graph.
    """
    every = {one.name: one for one in graph.by_name.values()}
    groups = [("all", "all", list(every))]
    for domain in sorted({domain for domain in domains.values() if domain is not None}):
        groups.append(("domain", domain, [name for name in every if domains[name] == domain]))
    groups += [("category", name, [name]) for name in sorted(set(categories))]
    rows: list[Row] = []
    for by, group, names in groups:
        own = [note for note, category in zip(notes, categories, strict=True) if category in names]
        rows.append({
            "by": by, "group": group, "categories": len(names), "notes": len(own),
            "diagnoses": sum(len(every[name].paths) for name in names),
            "discharge_diagnoses": sum(len(every[name].leaves) for name in names),
            "observations": float(np.mean([len(note.deductions) for note in own])) if own else None,
            "length": float(np.mean([len(note.text.split()) for note in own])) if own else None,
        })  # fmt: skip
    return rows
