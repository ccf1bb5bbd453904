"""Which medical domain a disease category belongs to."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping

from ...errors import InputError, OptionError
from ..metrics.reasoning import same_name

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

Domains = Mapping[str, str] | str | os.PathLike[str] | None


def domains_of(categories: Iterable[str], given: Domains = None) -> dict[str, str | None]:
    """The domain of each category; None where DiReCT's own mapping does not name it.

    given : category -> domain, or the file of a table with the columns category and domain; DiReCT's own if None.

    Raises
    ------
    InputError
        For a table that names a category twice, or leaves one out that is asked for.
    OptionError
        For a mapping that leaves one out, or something else than one.
    """
    wanted = list(categories)
    if given is None:
        known = {same_name(category): domain for domain, own in DOMAINS.items() for category in own}
        return {category: known.get(same_name(category)) for category in wanted}
    mapping, source = (dict(given), None) if isinstance(given, Mapping) else _read(given)
    by_name = {same_name(category): domain for category, domain in mapping.items()}
    if without := [category for category in wanted if same_name(category) not in by_name]:
        allowed = "every category of the notes, with its domain"
        if source is None:
            raise OptionError("domains", allowed, f"no domain of {', '.join(without)}")
        raise InputError(f"no domain of {', '.join(without)}", source=source, allowed=allowed)
    return {category: by_name[same_name(category)] for category in wanted}


def _read(given: object) -> tuple[dict[str, str], str]:
    if not isinstance(given, str | os.PathLike):
        raise OptionError("domains", "a mapping of categories to domains, or a table of them", given)
    from ...files.invisible import read_visible

    table = read_visible(given)
    for name in ("category", "domain"):
        table.require(name, "of the domains")
    mapping: dict[str, str] = {}
    for i, (category, domain) in enumerate(zip(table.column("category"), table.column("domain"), strict=True)):
        row = table.row_number(i)
        if category is None or domain is None:
            raise InputError("a category or a domain without a name", source=table.source, row=row)
        if same_name(str(category)) in map(same_name, mapping):
            raise InputError(
                "a category that stands twice", source=table.source, row=row, allowed="each once", got=category
            )
        mapping[str(category)] = str(domain)
    return mapping, table.source


def in_order(domains: Iterable[str | None]) -> list[str]:
    """Those that are there, each once: DiReCT's in its order, then the others by name."""
    there = {domain for domain in domains if domain is not None}
    return [*(domain for domain in DOMAINS if domain in there), *sorted(there - DOMAINS.keys())]
