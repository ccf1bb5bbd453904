"""From what experts returned to labelled pairs, and how far they agree."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import DxmatchError, InputError, OptionError
from ..files.counted import counted
from ..files.pair_labels import BLANK, UNSURE, experts_of, labels_of_people, majority_of
from ..files.reading import Reading
from ..files.tables import Table, check_output, write_table
from ..options import File, Output, Serves, checked
from ..training.expert_agreement import agreement_words, expert_agreement
from .sheets import PREFIX, SHEETS, Key, key_of, questions, read_answers, read_export, write_sheet
from .suggestion import RANDOM, Suggestion

Votes = NDArray[np.int8]
"""int8[n] of 1, 0 and -1 for a blank."""


@dataclass(frozen=True)
class Labels:
    """What experts said of n pairs.

    pairs : a, b, and of a suggestion chosen and probability. votes : by expert. unsure : how often each expert was.
    adjudicated : the votes on what the panel left open. reviewed : those of one more expert who went over every pair, as the source has
    its test set reviewed; they go before the panel's. None where nobody did.
    """

    pairs: pa.Table
    votes: Mapping[str, Votes]
    unsure: Mapping[str, int]
    adjudicated: Votes
    reviewed: Votes | None = None

    @cached_property
    def before_review(self) -> Votes:
        """Gives what more than half of the panel say, else the adjudicator; -1 where both leave it open."""
        return majority_of(np.stack([*self.votes.values()], axis=1), self.adjudicated)

    @cached_property
    def label(self) -> Votes:
        """Gives what the reviewer says, else `before_review`; -1 where it is open."""
        reviewed = self.reviewed
        return self.before_review if reviewed is None else np.where(reviewed == BLANK, self.before_review, reviewed)

    @property
    def table(self) -> pa.Table:
        """Gives a, b, chosen, `label_<expert>` (0, 1 or null), `adjudicated`, after a review `reviewed` and `label`: what `train` reads."""
        columns: dict[str, Any] = {
            name: self.pairs[name] for name in ("a", "b", "chosen") if name in self.pairs.column_names
        }
        votes = {PREFIX + expert: said for expert, said in self.votes.items()} | {"adjudicated": self.adjudicated}
        if self.reviewed is not None:
            votes |= {"reviewed": self.reviewed, "label": self.label}
        return pa.table(columns | {name: pa.array(said, mask=said == BLANK) for name, said in votes.items()})

    @property
    def open(self) -> pa.Table:
        """Gives the pairs without a majority that are not adjudicated."""
        return self.pairs.filter(pa.array(self.label == BLANK))

    def words(self) -> list[str]:
        """Says in a line for each expert how much they answered, then how far they agree, what is open, and what the pairs drawn at random tell."""
        total, width = len(self.pairs), max(map(len, self.votes))
        lines = []
        for expert, votes in self.votes.items():
            answered, unsure = int((votes != BLANK).sum()), self.unsure[expert]
            blank = total - answered - unsure
            lines.append(f"{expert:<{width}}  {answered:,} of {total:,} answered, {unsure:,} unsure, {blank:,} blank.")
        lines.append(agreement_words(expert_agreement(np.stack([*self.votes.values()], axis=1))))
        if self.reviewed is not None:
            answered, before = self.reviewed != BLANK, self.before_review
            changed = int((answered & (before != BLANK) & (before != self.reviewed)).sum())
            lines.append(
                f"The review answers {int(answered.sum()):,} of {total:,} pairs and goes before the panel: {counted(changed, 'label')} changed."
            )
        left = len(self.open)
        lines.append(f"{counted(total - left, 'pair')} decided, {int((self.label == 1).sum()):,} of them matches.")
        if left:
            lines.append(f"{left:,} without a majority: to be adjudicated before 'dxmatch train' takes them.")
        return [*lines, *self._chance_words()]

    def _chance_words(self) -> list[str]:
        """What the pairs drawn at random say of the pool."""
        if "chosen" not in self.pairs.column_names:
            return []
        from scipy.stats import binomtest

        known = (np.array(self.pairs["chosen"].to_pylist()) == RANDOM) & (self.label != BLANK)
        found, pairs = int((self.label[known] == 1).sum()), int(known.sum())
        if not pairs:
            return []
        low, high = binomtest(found, pairs).proportion_ci(method="wilson")
        said = float(self.pairs["probability"].to_numpy()[known].mean())
        return [
            f"Of {pairs:,} pairs drawn at random and decided {found:,} match: {found / pairs:.0%} of the pool [{low:.0%}, {high:.0%}]; "
            f"the match function expected {said:.0%}."
        ]


@checked
def labels(
    given: File | Sequence[File],
    output: Output | None = None,
    *,
    experts: Sequence[str] = (),
    annotators: Mapping[str, str] | None = None,
    adjudicated: File | None = None,
    reviewed: File | None = None,
    open_pairs: Output | None = None,
    review: Output | None = None,
    reading: Annotated[Reading, Serves("encoding")] = Reading(),
) -> Labels:
    """Reads what experts said of pairs back, as labelled pairs for `train`, and how far they agree.

    Parameters
    ----------
    given : path or sequence of paths
        The folder that `suggest` made, with its sheets filled; tables with a, b and `label_<expert>`, as `label` writes them and as a sheet
        is; exports of Label Studio (.json). A sheet in the folder is not read where its expert's labels are given otherwise.
    output : path, optional
        The table of the labelled pairs.
    experts : sequence of str
        The panel; everybody whom the suggestion was made for, or whose labels are given, if none is named.
    annotators : mapping, optional
        Who is who in an export: Label Studio's user id or e-mail address -> expert.
    adjudicated : path, optional
        The sheet of `open_pairs`, filled.
    reviewed : path, optional
        The sheet of `review`, filled; its answers go before the panel's, in a column `label`.
    open_pairs : path, optional
        A new sheet of the pairs without a majority, for one who adjudicates them.
    review : path, optional
        A new sheet of every pair, for one more expert who reviews them.
    reading : Reading
        How files are read.

    Returns
    -------
    Labels
        Whose `table` is what `output` gets, and whose `words()` say how far the experts agree.

    Raises
    ------
    InputError
        For a file that is missing or cannot be right, with the row.
    OptionError
        For an expert who was not asked.
    """
    for new in (open_pairs, review):
        if new is not None and Path(new).exists():
            raise DxmatchError(f"{new} is there already, maybe filled; choose a new file.")
    for path in (output, open_pairs, review):
        if path is not None:
            check_output(path)
    files = [Path(path) for path in ([given] if isinstance(given, str | os.PathLike) else given)]
    folders = [path for path in files if path.is_dir()]
    if len(folders) > 1 or not files:
        raise OptionError("given", "files, with one folder at most", given)
    returned = [
        read_answers(read_export(path, annotators or {}) if path.suffix == ".json" else path, reading.encoding)
        for path in files
        if path not in folders
    ]
    own = [name[len(PREFIX) :] for table, _ in returned for name in _experts(table)]
    if twice := next((expert for expert in own if own.count(expert) > 1), None):
        raise InputError(f"labels of {twice} in two files", allowed="one file for each expert")
    suggestion = Suggestion.read(folders[0]) if folders else None
    asked = own if suggestion is None else suggestion.experts
    panel = tuple(experts or asked)
    for expert in (*panel, *own):
        if expert not in asked:
            raise OptionError("experts", f"of the experts {', '.join(asked)}", expert)
    for folder in folders:
        missing = [expert for expert in panel if expert not in own]
        returned += [read_answers(folder / SHEETS / f"{expert}.xlsx") for expert in missing]
    pairs = suggestion.key if suggestion else _pairs_of(returned)
    places = {key: place for place, key in enumerate(_keys(pairs))}
    votes, unsure = {}, {}
    for table, keys in returned:
        rows = _places(table, keys, places)
        for column, said in labels_of_people(table, "label").items():
            expert = column[len(PREFIX) :]
            if expert in panel:
                votes[expert] = _in_order(said, rows, len(places))
                unsure[expert] = sum(
                    str(one).strip().casefold() == UNSURE and row is not None
                    for one, row in zip(table.column(column), rows, strict=True)
                )
    settled, over = (
        None if path is None else _settled(Path(path), column, places, reading)
        for column, path in (("adjudicated", adjudicated), ("reviewed", reviewed))
    )
    nobody = np.full(len(places), BLANK, np.int8)
    found = Labels(pairs, {one: votes[one] for one in panel}, unsure, nobody if settled is None else settled, over)
    seed = suggestion.made_with["seed"] if suggestion else 0
    for path, column, those in ((open_pairs, "adjudicated", found.open), (review, "reviewed", pairs)):
        if path is not None and len(those):
            write_sheet(questions(those, column, seed), column, Path(path))
    if output is not None:
        write_table(found.table, output)
    return found


def _experts(table: Table) -> list[str]:
    if not (columns := experts_of(table, "label")):
        raise InputError(
            "no expert's labels", source=table.source, allowed=f"a column {PREFIX}<expert>", got=table.names
        )
    return columns


def _keys(pairs: pa.Table) -> list[Key]:
    return [key_of(row["a"], row["b"]) for row in pairs.select(["a", "b"]).to_pylist()]


def _pairs_of(returned: Sequence[tuple[Table, list[Key]]]) -> pa.Table:
    """The pairs of all tables, each once."""
    once: dict[Key, dict[str, str]] = {}
    for table, keys in returned:
        for key, row in zip(keys, table.data.select(["a", "b"]).to_pylist(), strict=True):
            once.setdefault(key, row)
    return pa.Table.from_pylist([*once.values()])


def _places(table: Table, keys: Sequence[Key], places: Mapping[Key, int]) -> list[int | None]:
    """Where each row's pair stands; None, and a warning, for a pair that nobody was asked about."""
    rows = [places.get(key) for key in keys]
    if others := rows.count(None):
        first = table.error("a pair that was not asked about, or changed", rows.index(None), "a")
        warnings.warn(f"{first} {counted(others, 'such pair')} left out.", stacklevel=3)
    return rows


def _in_order(said: Votes, rows: Sequence[int | None], n: int) -> Votes:
    votes = np.full(n, BLANK, np.int8)
    for row, vote in zip(rows, said, strict=True):
        if row is not None:
            votes[row] = vote
    return votes


def _settled(path: Path, column: str, places: Mapping[Key, int], reading: Reading) -> Votes:
    """The votes in a sheet of one who adjudicated or reviewed."""
    table, keys = read_answers(path, reading.encoding)
    table.require(column, "0 or 1")
    return _in_order(labels_of_people(table, column)[column], _places(table, keys, places), len(places))
