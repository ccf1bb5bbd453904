"""ICD-10 as a judge: the nodes of answers and right answers, by the codes given, else by their texts: a table, then a mapping."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import quoted
from ...features.providers import SHIPPED
from ...files.invisible import read_visible
from ...files.limits import MAX_CHARACTERS
from ...matcher.icd_mapper import IcdMapper
from ...matcher.match_function import MatchFunction
from ...matcher.protocol import Matcher
from ...pages.rows import Row
from ...progress import Progress
from ...terms.icd.codes import Nodes, Place, nodes_of_cells, padded
from ...terms.icd.sources import open_tree
from ...terms.icd.tree import IcdTree
from ...votes.asking_options import Asking
from ..read.findings import Finding, first_few
from ..read.lists import REFERENCE, Lists, looked_up
from .options import Codes

Coded = tuple[tuple[int, ...], str]
"""The nodes of a diagnosis, and the way to them."""
CodeOf = dict[str, Coded]
DIAGNOSIS, CODE = "diagnosis", "icd10"
WITHOUT = ("unmapped", "not_in_table", "unscored", "none")
WAYS = ("column", "table", "direct", "code", "picked", "nearest", *WITHOUT)
"""Ways to a code: as given, by the table of codes, by name, as a code, by a language model's pick, by the nearest name; and to none: denied,
not understood or no name near enough; blank in the table; without a usable pick; nobody maps it."""
NO_CODES = "the columns icd10 and reference_icd10, or a reference and a match function, or a table of codes, that maps texts to ICD-10"


@dataclass(frozen=True)
class CodedAnswers:
    """Answers and right answers as nodes of ICD-10.

    predicted : int32 [n, r, k, c], the nodes of each diagnosis, at most c; -1 fills. how : int [n, r, k], by which of `WAYS` a diagnosis
        came to its codes; -1 where none is said.
    right : for each case the nodes of each right answer and the way to them; where codes are of the case as a whole, of these cells.
    reference : int32 [n, D], the same nodes; -1 fills.
    by : where codes of texts came from before M's own mapping, in words. tree : "icd10cm", "icd10", or a path.
    """

    raters: list[str]
    predicted: Nodes
    how: NDArray[np.integer]
    right: Sequence[Sequence[Coded]]
    reference: Nodes
    by: str = ""
    tree: str = "icd10cm"

    def top(self, k: int | None) -> CodedAnswers:
        """Cuts lists to k; None leaves them whole."""
        return replace(self, predicted=self.predicted[:, :, :k], how=self.how[:, :, :k])

    @property
    def rows(self) -> list[Row]:
        """Makes a row for each rater, the reference last: its diagnoses, those without a code, and how many came each way that some came."""
        of_right = np.array([WAYS.index(way) for case in self.right for _, way in case], int)
        sides = [*((rater, self.how[:, i]) for i, rater in enumerate(self.raters)), (REFERENCE, of_right)]
        rows: list[Row] = []
        for who, how in sides:
            ways = dict(zip(WAYS, np.bincount(how[how >= 0], minlength=len(WAYS)).tolist(), strict=True))
            total, none = sum(ways.values()), sum(map(ways.__getitem__, WITHOUT))
            counts = {"diagnoses": total, "without_code": none, "share_without_code": none / total if total else None}
            rows.append({"algorithm": who, **counts, **ways})
        unused = [way for way in WAYS if not any(row[way] for row in rows)]
        return [{name: cell for name, cell in row.items() if name not in unused} for row in rows]


def read_codes(codes: Any, encoding: str | None) -> tuple[str, dict[str, tuple[str, Place]]]:
    """The table that `dxmatch icd --unique` writes, or any with its columns diagnosis and icd10; or {diagnosis: code}.

    Source: H-DDx's canonical reference table (3.2), the same for all models.

    Returns
    -------
    str, for errors and sentences; and each diagnosis, as `same_text` writes it, with its codes as written, apart by ; or | ("" where the
    table says that it has none), and their place.

    Raises
    ------
    InputError
        For a missing column, a blank diagnosis, or a diagnosis that stands there twice with different codes; capitals and blanks make no
        difference.
    """
    if isinstance(codes, Mapping) and DIAGNOSIS not in codes:
        codes = [{DIAGNOSIS: text, CODE: code} for text, code in codes.items()]
    table = read_visible(codes, encoding)
    table.require(DIAGNOSIS, "as the models write it")
    table.require(CODE, "its code")
    cells: dict[str, tuple[str, Place]] = {}
    both = zip(table.required_text(DIAGNOSIS).to_pylist(), table.text(CODE).to_pylist(), strict=True)
    for row, (text, cell) in enumerate(both):
        first = cells.setdefault(same_text(text), (cell or "", Place(table.row_number(row), CODE)))
        if first[0] != (cell or ""):
            problem = f"{quoted(text)} has other codes here than in row {first[1].row}"
            raise table.error(problem, row, CODE, allowed="the same codes in all rows of a diagnosis")
    return table.source, cells


def same_text(text: str) -> str:
    """A text in small letters, with single blanks."""
    return " ".join(text.split()).casefold()


class TextCodes:
    """The ways from text to code, of the options of an evaluation: the table is looked in first, the others are mapped, where something maps.

    tree : of the codes. by : the ways that were asked for, in words; "" for M's own mapping alone.

    Raises
    ------
    InputError
        For a table that cannot be right.
    OptionError
        For a preset that asks a language model about every diagnosis, without one.
    """

    def __init__(self, codes: Codes, matcher: Matcher, asking: Asking, encoding: str | None) -> None:
        m = matcher if isinstance(matcher, MatchFunction) and SHIPPED in matcher.providers.encoders else None
        # without a pick the nearest name is all that is needed
        k, own = 1 if codes.pick is None else None, sorted(codes.given & {"pick", "preset"})
        mapper = IcdMapper(k=k, tree=codes.tree, preset=codes.preset, pick=codes.pick, matcher=m, asking=asking)
        self.mapper, self.tree = mapper if own or m else None, os.fspath(codes.tree)
        self.source, self.table = ("", {}) if codes.table is None else read_codes(codes.table, encoding)
        by_table = [f"the table {self.source}"] * bool(self.table)
        self.by = ", then ".join([*by_table, *(f"the {name} {getattr(codes, name)}" for name in own)])

    def of(self, texts: Sequence[str], tree: IcdTree, progress: Progress) -> tuple[CodeOf, list[Finding]]:
        """Finds the nodes of each text and the way to them."""
        places = {cell: place for cell, place in reversed([*self.table.values()]) if cell}
        nodes_of = nodes_of_cells(places, tree, self.tree, self.source)
        cells = {text: self.table[key][0] for text in texts if (key := same_text(text)) in self.table}
        out: CodeOf = dict.fromkeys(texts, ((), "none"))
        out |= {text: (nodes_of[cell], "table") if cell else ((), "not_in_table") for text, cell in cells.items()}
        others = [text for text in texts if text not in cells]
        if others and self.mapper is not None:
            out |= self._mapped(self.mapper, others, tree, progress)
        if not self.table or not others:
            return out, []
        by = "have no code" if self.mapper is None else "have their codes by the mapping"
        return out, [Finding("codes", len(others), len(texts), self.source, f"{by}: {first_few(map(quoted, others))}")]

    def _mapped(self, mapper: IcdMapper, texts: Sequence[str], tree: IcdTree, progress: Progress) -> CodeOf:
        """What is denied or not understood has no code, and no model is paid for it."""
        m = mapper.m
        out: CodeOf = dict.fromkeys(texts, ((), "unmapped"))
        readable = [text for text in texts if len(text) <= MAX_CHARACTERS and m.providers.normalizer(text)]
        to_code = m.providers.naming.to_code
        if asked := [text for text in readable if m.judge_all or to_code(text).not_understood is None]:
            with warnings.catch_warnings(action="ignore"):  # what is said beside a diagnosis changes no verdict here
                found = mapper.answers(asked, progress=progress)
            for text, one in found.items():
                out[text] = () if one.icd10 is None else (tree.find(one.icd10),), one.how
        return out


def coded_answers(
    alike: Sequence[Lists], depth: int, codes: TextCodes, progress: Progress
) -> tuple[list[CodedAnswers | None], list[Finding]]:
    """Codes the first `depth` of each list, and right answers; None where something is missing.

    A diagnosis has the codes of its cell; where that is blank, those of its text, by the ways of `codes`. A word for no diagnosis has none, nor has a text that lies too far from any name of ICD-10.

    Parameters
    ----------
    alike : sequence of Lists
        The same answers, each with right answers of its own: the set of a case, the final diagnosis.

    Raises
    ------
    InputError
        For codes of the lists, or of the table, that the tree lacks, or that are of two revisions.
    """
    answers = alike[0]
    cells, rows = answers.cells(CODE)
    maps = codes.mapper is not None or bool(codes.table)
    of_right = [[cell for case in one.references.more.get(CODE, ()) for cell in case if cell.value] for one in alike]
    known = [
        bool(own or any(one.reference) if maps else own and rows) for one, own in zip(alike, of_right, strict=True)
    ]
    if not any(known):
        return [None for _ in alike], []
    places = {text: Place(row, CODE) for text, row in rows.items()}
    for cell in chain.from_iterable(of_right):
        places.setdefault(cell.value, Place(cell.row, "icd10 of the reference", cell.source))
    of_cell = nodes_of_cells(places, tree := open_tree(codes.tree), codes.tree, answers.source)
    right = [list(_right_answers(one, of_cell)) for one in alike]

    # each diagnosis by its cell, or past these by its text; a cell that holds no code is blank
    blank = np.array([not of_cell[text] for text in rows] + [True])
    texts = np.where(answers.entries >= 0, len(rows) + answers.entries, -1)
    source = looked_up(np.where(blank[cells] | (texts < 0), texts, cells), answers.places(depth))
    # all texts at once: what a language model is asked, it is asked in one go
    said = [answers.strings[at] for at in np.unique(source[source >= len(rows)] - len(rows)).tolist()]
    in_right = (text for cases in right for case in cases for nodes, text in case if not nodes)
    of_text, findings = codes.of(list(dict.fromkeys([*said, *in_right])), tree, progress)
    found = [(of_cell[text], "column") for text in rows] + [of_text.get(text, ((), "none")) for text in answers.strings]
    nodes = padded([*(of for of, _ in found), ()])
    how = np.array([WAYS.index(way) for _, way in found] + [-1])

    out: list[CodedAnswers | None] = []
    for cases, there in zip(right, known, strict=True):
        coded = [[(of, "column") if of else of_text[text] for of, text in case] for case in cases]
        flat = padded(tuple(node for of, _ in case for node in of) for case in coded)
        made = CodedAnswers(answers.raters, nodes[source], how[source], coded, flat, codes.by, codes.tree)
        out.append(made if there else None)
    return out, findings


def _right_answers(one: Lists, of_cell: Mapping[str, tuple[int, ...]]) -> Iterator[list[Coded]]:
    """Gives for each right answer of each case the nodes of its cell, or () where that is blank, and its text."""
    for texts, cells in zip(one.reference, one.references.more.get(CODE, repeat(())), strict=False):
        nodes = [of_cell.get(cell.value, ()) for cell in cells]
        if len(nodes) == len(texts):
            yield list(zip(nodes, texts, strict=True))
        else:  # the codes are of the case as a whole
            yield [(of, "") for of in nodes if of] or [((), text) for text in texts]
