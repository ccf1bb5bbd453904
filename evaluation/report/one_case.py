"""One case with codes: the reference and each rater's list side by side, and what the sets share (H-DDx, Tables 3 and 8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from ...errors import OptionError
from ...files.did_you_mean import hint
from ...pages.rows import Row
from ...terms.icd.tree import IcdTree
from ..families.chapters import label_of
from ..families.icd_lists import REFERENCE, IcdLists
from ..lists.lists import Lists
from ..metrics.hierarchical import harmonic_mean
from .tables import Table

_SCORES = ("HDP", "HDR", "HDF1")


@dataclass(frozen=True)
class CodedLists:
    """Lists with the codes that an evaluation found for them. coded : cut as HDF1 counts them."""

    lists: Lists = field(repr=False)
    coded: IcdLists = field(repr=False)
    tree: IcdTree = field(repr=False)

    def rows(self, case_id: str) -> list[Row]:
        """A row for each diagnosis, those of the reference first.

        algorithm ("reference" for the right answers), rank, diagnosis, icd10 and name (several apart by "; ", None without a code), shared (the
        deepest nodes that the diagnosis shares with the reference, None where none), then of the whole list common (the nodes of both
        augmented sets), HDP, HDR and HDF1.

        Raises
        ------
        OptionError
            For a case that is not there.
        """
        if case_id not in self.lists.cases:
            raise OptionError("case", f"a case of the lists{hint(case_id, self.lists.cases)}", case_id)
        case = self.lists.cases.index(case_id)
        true = [set(nodes) for nodes in self.coded.reference_nodes[case]]
        augmented = self._augmented(node for nodes in true for node in nodes)
        texts = self.lists.reference[case]
        names = texts if len(texts) == len(true) else ["; ".join(texts)] * len(true)
        rows = [
            self._row(REFERENCE, rank, name, nodes, augmented)
            for rank, (name, nodes) in enumerate(zip(names, true, strict=True), 1)
        ]
        for at, rater in enumerate(self.lists.raters):
            top = self.coded.predicted[case, at]
            said = [self.lists.strings[e] if e >= 0 else None for e in self.lists.top(len(top))[case, at].tolist()]
            given = [{node for node in nodes if node >= 0} for nodes in top.tolist()]
            mine = self._augmented(node for nodes in given for node in nodes)
            scores = self._scores(mine, augmented)
            length = min(int(self.lists.lengths[case, at]), len(top))
            rows += [
                self._row(rater, rank, said[rank - 1], given[rank - 1], augmented) | scores
                for rank in range(1, length + 1)
            ]
        return rows

    def _augmented(self, nodes: Iterable[int]) -> set[int]:
        return {above for node in nodes for above in (node, *self.tree.ancestors(node))}

    def _scores(self, mine: set[int], augmented: set[int]) -> Row:
        both = mine & augmented
        precision, recall = (len(both) / len(of) if of else None for of in (mine, augmented))
        f1 = None if precision is None or recall is None else float(harmonic_mean(precision, recall))
        return {"common": self._codes(both), **dict(zip(_SCORES, (precision, recall, f1), strict=True))}

    def _codes(self, nodes: Iterable[int]) -> str:
        """In tree order; a chapter by the range of its codes."""
        return ", ".join(
            label_of(self.tree, n) if self.tree.parent(n) < 0 else self.tree.code(n) for n in sorted(nodes)
        )

    def _row(self, who: str, rank: int, text: str | None, nodes: set[int], augmented: set[int]) -> Row:
        shared = self._augmented(nodes) & augmented
        deepest = {node for node in shared if not any(self.tree.parent(other) == node for other in shared)}
        return {
            "algorithm": who, "rank": rank, "diagnosis": text,
            "icd10": "; ".join(self.tree.code(node) for node in sorted(nodes)) or None,
            "name": "; ".join(self.tree.name(node) for node in sorted(nodes)) or None,
            "shared": self._codes(deepest) or None, "common": None, **dict.fromkeys(_SCORES),
        }  # fmt: skip

    def table(self, case_id: str) -> Table:
        """The same side by side: a column for the reference and for each rater."""
        rows = self.rows(case_id)
        raters: Sequence[str] = list(dict.fromkeys([REFERENCE, *(row["algorithm"] for row in rows)]))
        of = {(row["algorithm"], row["rank"]): row for row in rows}
        longest = max((row["rank"] for row in rows), default=0)
        lines = [[str(rank), *(_cell(of.get((who, rank))) for who in raters)] for rank in range(1, longest + 1)]
        ends = {who: of.get((who, 1), {}) for who in raters}
        scores = [
            [name, *("" if ends[who].get(name) is None else f"{ends[who][name]:.4f}" for who in raters)]
            for name in _SCORES
        ]
        scores.append(["nodes in common", *(ends[who].get("common") or "" for who in raters)])
        told = "After each diagnosis its code, and the deepest node that it shares with the reference."
        return Table(f"Case {case_id}", told, f"Case {case_id}", ["", *raters], [("", lines), ("", scores)])


def _cell(row: Row | None) -> str:
    if row is None:
        return ""
    code = f" ({row['icd10']})" if row["icd10"] else " (no code)"
    shared = "" if row["algorithm"] == REFERENCE else f" → {row['shared'] or 'nothing'}"
    return f"{row['diagnosis'] or 'no diagnosis'}{code}{shared}"
