"""ICD-10 as a judge: the nodes of answers and right answers, by the codes given, else by their texts: a table, then a mapping."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import quoted
from ...features.providers import SHIPPED
from ...files.invisible import read_visible
from ...files.limits import MAX_CHARACTERS
from ...matcher.icd_mapping import IcdMapper, map_icd
from ...matcher.icd_strings import Diagnoses
from ...matcher.match_function import MatchFunction
from ...matcher.protocol import Matcher
from ...pages.rows import Row
from ...progress import Progress
from ...terms.icd.ancestor_sets import Nodes
from ...terms.icd.codes import Place, nodes_of_cells, padded
from ...terms.icd.sources import open_tree
from ...terms.icd.tree import IcdTree
from ...votes.asking_options import Asking
from ..read.findings import Finding
from ..read.lists import Cell, Lists, looked_up
from .options import Codes

Coded = tuple[tuple[int, ...], str]
"""The nodes of a diagnosis, and the way to them."""
DIAGNOSIS, CODE = "diagnosis", "icd10"
_COLUMN, _TABLE, _NOT_IN_TABLE, _UNMAPPED, _NONE = "column", "table", "not_in_table", "unmapped", "none"
_WITHOUT = (_UNMAPPED, _NOT_IN_TABLE, "unscored", _NONE)
WAYS = (_COLUMN, _TABLE, "direct", "code", "picked", "nearest", *_WITHOUT)
"""Ways to a code: as given, by the table of codes, by name, as a code, by a language model's pick, by the nearest name; and to none: denied,
not understood or no name near enough; blank in the table; without a usable pick; nobody maps it."""
REFERENCE = "reference"
"""Stands for the rater in rows on the right answers."""
_SHOWN = 3


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
        of = {**{rater: self.how[:, i] for i, rater in enumerate(self.raters)}, REFERENCE: of_right}
        counts = np.stack([np.bincount(how[how >= 0], minlength=len(WAYS)) for how in of.values()])
        rows: list[Row] = []
        for who, own in zip(of, counts.tolist(), strict=True):
            ways = dict(zip(WAYS, own, strict=True))
            total, none = sum(own), sum(ways[way] for way in _WITHOUT)
            told = {
                "algorithm": who,
                "diagnoses": total,
                "without_code": none,
                "share_without_code": none / total if total else None,
            }
            rows.append(told | {way: ways[way] for way, some in zip(WAYS, counts.any(0).tolist(), strict=True) if some})
        return rows


def read_codes(codes: Any, encoding: str | None = None) -> tuple[str, dict[str, tuple[str, Place]]]:
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
            allowed = "one row for each diagnosis, or the same codes in all of its rows"
            raise table.error(problem, row, CODE, allowed=allowed)
    return table.source, cells


def same_text(text: str) -> str:
    """A text in small letters, with single blanks."""
    return " ".join(text.split()).casefold()


@dataclass(frozen=True)
class TextCodes:
    """The ways from text to code.

    table : looked in first, as `read_codes` gives it. mapper : what maps the others; None where nothing does. tree : of the codes. by : the ways that were asked
    for, in words; "" for M's own mapping alone.
    """

    table: tuple[str, Mapping[str, tuple[str, Place]]] | None = None
    mapper: IcdMapper | None = None
    tree: str = "icd10cm"
    by: str = ""

    def of(
        self, texts: Sequence[str], tree: IcdTree, progress: Progress | None
    ) -> tuple[dict[str, Coded], list[Finding]]:
        """Finds the nodes of each text and the way to them."""
        source, table = self.table or ("", {})
        places = {cell: place for cell, place in reversed([*table.values()]) if cell}
        nodes_of = nodes_of_cells(places, tree, self.tree, source)
        cells = {text: table[key][0] for text in texts if (key := same_text(text)) in table}
        out = {text: (nodes_of[cell], _TABLE) if cell else ((), _NOT_IN_TABLE) for text, cell in cells.items()}
        others = [text for text in texts if text not in cells]
        out |= (
            dict.fromkeys(others, ((), _NONE)) if self.mapper is None else _mapped(others, self.mapper, tree, progress)
        )
        if self.table is None or not others:
            return out, []
        by = "have no code" if self.mapper is None else "have their codes by the mapping"
        shown = ", ".join(map(quoted, others[:_SHOWN])) + (" …" if len(others) > _SHOWN else "")
        return out, [Finding("codes", len(others), len(texts), source, f"{by}: {shown}")]


def _mapped(texts: Sequence[str], mapper: IcdMapper, tree: IcdTree, progress: Progress | None) -> dict[str, Coded]:
    """What is denied or not understood has no code, and no model is paid for it."""
    m, out = mapper.m, dict[str, Coded].fromkeys(texts, ((), _UNMAPPED))
    readable = [text for text in texts if len(text) <= MAX_CHARACTERS and m.providers.normalizer(text)]
    coded = zip(readable, m.providers.naming.to_code(readable), strict=True)
    if asked := [text for text, one in coded if one.no_code is None or m.judge_all]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is said beside a diagnosis changes no verdict here
            found = map_icd(Diagnoses.of(asked), mapper, progress=progress).table
        for text, code, how in zip(*(found[name].to_pylist() for name in (DIAGNOSIS, CODE, "how")), strict=True):
            out[text] = () if code is None else (tree.node(code),), how
    return out


def text_codes(codes: Codes, matcher: Matcher, asking: Asking, encoding: str | None = None) -> TextCodes:
    """Makes of the options of an evaluation what codes its texts.

    Raises
    ------
    InputError
        For a table that cannot be right.
    OptionError
        For a preset that asks a language model about every diagnosis, without one.
    """
    m = matcher if isinstance(matcher, MatchFunction) and SHIPPED in matcher.providers.encoders else None
    # without a pick the nearest name is all that is needed
    k = 1 if codes.pick is None else None
    mapper = IcdMapper(k=k, tree=codes.tree, preset=codes.preset, pick=codes.pick, matcher=m, asking=asking)
    table = None if codes.table is None else read_codes(codes.table, encoding)
    by, own = [] if table is None else [f"the table {table[0]}"], codes.given & {"pick", "preset"}
    if own:
        ways = ", ".join(filter(None, (mapper.how.encoder, mapper.how.distance, mapper.how.entries)))
        who = "the nearest names" if codes.pick is None else f"the picks of {codes.pick}"
        by.append(who + ("" if mapper.how.direct else ", asked about every text") + (f" ({ways})" if ways else ""))
    return TextCodes(table, mapper if own or m else None, os.fspath(codes.tree), ", then ".join(by))


def _why_no_codes(answers: Lists, codes: TextCodes) -> str:
    """Says what is missing to know codes of answers and right answers; "" where nothing is."""
    coded = bool(answers.cells(CODE)[1])
    coded_right = any(cell.value for cells in answers.references.more.get(CODE, []) for cell in cells)
    if not coded_right and not any(answers.reference):
        return "a reference: rows with the role reference, or a column reference or reference_icd10"
    if codes.mapper is None and codes.table is None and not (coded and coded_right):
        missing = "reference_icd10" if coded else CODE
        return f"the column {missing} (or a match function that maps text to ICD-10, or a table of codes)"
    return ""


def coded_answers(
    alike: Sequence[Lists], depth: int, codes: TextCodes, progress: Progress | None = None
) -> tuple[list[CodedAnswers | None], list[str], list[Finding]]:
    """Codes the first `depth` of each list, and right answers; None where something is missing, and what that is.

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
    lacking = [_why_no_codes(one, codes) for one in alike]
    if all(lacking):
        return [None for _ in alike], lacking, []
    answers, tree = alike[0], open_tree(codes.tree)
    cells, rows = answers.cells(CODE)
    of_right = [one.references.more.get(CODE, [()] * len(one.cases)) for one in alike]
    places = {text: Place(row, CODE) for text, row in rows.items()}
    for cell in chain.from_iterable(chain.from_iterable(of_right)):
        if cell.value:
            places.setdefault(cell.value, Place(cell.row, "icd10 of the reference", cell.source))
    of_cell = nodes_of_cells(places, tree, codes.tree, answers.source)
    right = [_right_answers(one.reference, given, of_cell) for one, given in zip(alike, of_right, strict=True)]

    # each diagnosis by its cell, or past these by its text; a cell that holds no code is blank
    blank = np.array([not of_cell[text] for text in rows] + [True])
    by_text = np.where(answers.entries >= 0, len(rows) + answers.entries, -1)
    source = looked_up(np.where(blank[cells] | (by_text < 0), by_text, cells), answers.places(depth))
    # all texts at once: what a language model is asked, it is asked in one go
    said = [answers.strings[at] for at in np.unique(source[source >= len(rows)] - len(rows)).tolist()]
    in_right = (one for cases in right for case in cases for one in case if isinstance(one, str))
    of_text, findings = codes.of(list(dict.fromkeys([*said, *in_right])), tree, progress)
    found = [(of_cell[text], _COLUMN) for text in rows] + [of_text.get(text, ((), _NONE)) for text in answers.strings]
    nodes = padded([*(of for of, _ in found), ()])
    how = np.array([WAYS.index(way) for _, way in found] + [-1])

    out: list[CodedAnswers | None] = []
    for cases, why in zip(right, lacking, strict=True):
        coded = [[of_text[one] if isinstance(one, str) else (one, _COLUMN) for one in case] for case in cases]
        flat = padded(tuple(node for of, _ in case for node in of) for case in coded)
        made = CodedAnswers(answers.raters, nodes[source], how[source], coded, flat, codes.by, codes.tree)
        out.append(None if why else made)
    return out, lacking, findings


def _right_answers(
    references: Sequence[tuple[str, ...]], cells: Sequence[tuple[Cell, ...]], nodes_of: Mapping[str, tuple[int, ...]]
) -> list[list[tuple[int, ...] | str]]:
    """Of each case, for each right answer the nodes of its cell, or where that is blank its text."""
    found: list[list[tuple[int, ...] | str]] = []
    for texts, said in zip(references, cells, strict=True):
        values = [nodes_of[cell.value] if cell.value else () for cell in said]
        if len(values) == len(texts):
            found.append([nodes or text for text, nodes in zip(texts, values, strict=True)])
        else:  # the codes are of the case as a whole
            found.append([nodes for nodes in values if nodes] or list(texts))
    return found
