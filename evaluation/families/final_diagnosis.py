"""The final diagnosis of a case beside its set of right answers: top-k accuracy, MRR and nDCG mean the final one."""

from __future__ import annotations

from ..lists.lists import Lists
from ..statistics.section import Context


def ranked_answers(lists: Lists, context: Context) -> tuple[Lists, Context]:
    """What the ranked metrics are of: the final diagnoses where the lists tell them apart, else the right answers.

    As in H-DDx (4.3): top-5 accuracy asks for the final diagnosis, HDF1 for the differential set.
    """
    return (lists.of_final(), context.apart("final")) if lists.has_final else (lists, context)


def told_final(lists: Lists) -> list[str]:
    """What the reader of the ranked metrics must know of it."""
    if not lists.has_final:
        return []
    words = (
        "Top-k accuracy, MRR and nDCG mean the final diagnosis of a case; recall and HDF1 its set of right answers, the "
        "differential."
    )
    n, without = len(lists.cases), sum(not final for final in lists.final)
    if without:
        has, are = ("has", "is") if without == 1 else ("have", "are")
        words += f" {without:,} of {n:,} cases {has} no final diagnosis and {are} out of the former alone."
    return [words]
