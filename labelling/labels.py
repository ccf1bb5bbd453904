"""From what experts returned to labelled pairs, and how far they agree."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import DxmatchError, InputError, OptionError, warn
from ..files.pair_labels import ALLOWED, BLANK, NO_LABEL, UNSURE, VOTES, Key, answer_of, experts_of, key_of, majority_of
from ..files.reading import Reading
from ..files.tables import check_output, write_table
from ..files.wording import counted
from ..options import File, Output, checked
from ..training.labelled import agreement_words, expert_agreement
from .sheets import PREFIX, SHEETS, Returned, questions, read_answers, read_export, write_sheet
from .suggestion import RANDOM, Suggestion

Answers = Sequence[str | None]
"""What one says of n pairs: "yes", "no", "unsure", or None for a blank."""


@dataclass(frozen=True)
class Labels:
    """What experts said of n pairs.

    pairs : a, b, and of a suggestion chosen and probability. answers : of each expert of the panel.
    adjudicated : those on what the panel left open. reviewed : those of one more expert who went over every pair, as the source has
    its test set reviewed; they go before the panel's. None where nobody did.
    """

    pairs: pa.Table
    answers: Mapping[str, Answers]
    adjudicated: Answers | None = None
    reviewed: Answers | None = None

    def _votes(self, answers: Answers | None) -> NDArray[np.int8]:
        """int8[n] of 1, 0, and -1 for all else."""
        given = [None] * len(self.pairs) if answers is None else answers
        return np.array([VOTES.get(said, BLANK) for said in given], np.int8)

    @cached_property
    def ballots(self) -> NDArray[np.int8]:
        """int8[n, k]: the votes of the panel, 1, 0, and -1 for none."""
        return np.stack([*map(self._votes, self.answers.values())], axis=1)

    @cached_property
    def before_review(self) -> NDArray[np.int8]:
        """Gives what more than half of the panel say, else the adjudicator; -1 where both leave it open."""
        return majority_of(self.ballots, self._votes(self.adjudicated))

    @cached_property
    def label(self) -> NDArray[np.int8]:
        """Gives what the reviewer says, else `before_review`; -1 where it is open."""
        reviewed = self._votes(self.reviewed)
        return np.where(reviewed == BLANK, self.before_review, reviewed)

    @property
    def table(self) -> pa.Table:
        """Gives a, b, chosen, `label_<expert>` (0, 1 or null), `adjudicated`, after a review `reviewed` and `label`: what `train` reads."""
        votes = dict(zip((PREFIX + expert for expert in self.answers), self.ballots.T, strict=True))
        votes["adjudicated"] = self._votes(self.adjudicated)
        if self.reviewed is not None:
            votes |= {"reviewed": self._votes(self.reviewed), "label": self.label}
        columns = {name: self.pairs[name] for name in ("a", "b", "chosen") if name in self.pairs.column_names}
        return pa.table({**columns, **{name: pa.array(said, mask=said == BLANK) for name, said in votes.items()}})

    @property
    def open(self) -> pa.Table:
        """Gives the pairs without a majority that are not adjudicated."""
        return self.pairs.filter(pa.array(self.label == BLANK))

    def words(self) -> list[str]:
        """Says in a line for each expert how much they answered, then how far they agree, what is open, and what the pairs drawn at random tell."""
        total, width = len(self.pairs), max(map(len, self.answers))
        lines = []
        for expert, said in self.answers.items():
            unsure, blank = (sum(one == word for one in said) for word in (UNSURE, None))
            answered = total - unsure - blank
            lines.append(f"{expert:<{width}}  {answered:,} of {total:,} answered, {unsure:,} unsure, {blank:,} blank.")
        lines.append(agreement_words(expert_agreement(self.ballots)))
        if self.reviewed is not None:
            answered = int((self._votes(self.reviewed) != BLANK).sum())
            changed = int(((self.before_review != BLANK) & (self.before_review != self.label)).sum())
            lines.append(
                f"The review answers {answered:,} of {total:,} pairs and goes before the panel: {counted(changed, 'label')} changed."
            )
        left = len(self.open)
        lines.append(f"{counted(total - left, 'pair')} decided, {int((self.label == 1).sum()):,} of them matches.")
        if left:
            lines.append(
                f"{left:,} without a majority: to be adjudicated before 'dxmatch train' takes them: --open-pairs makes a sheet of them, --adjudicated takes it back."
            )
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
    reading: Annotated[Reading, "encoding"] = Reading(),
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
    suggestion = Suggestion.read(folders[0]) if folders else None
    said: dict[str, tuple[Returned, str]] = {}
    for path in (path for path in files if path not in folders):
        found = read_answers(read_export(path, annotators or {}) if path.suffix == ".json" else path, reading.encoding)
        columns = experts_of(found[0], "label")
        if not columns:
            allowed = f"a column {PREFIX}<expert>"
            raise InputError("no expert's labels", source=found[0].source, allowed=allowed, got=found[0].names)
        for column in columns:
            expert = column[len(PREFIX) :]
            if said.setdefault(expert, (found, column))[0] is not found:
                raise InputError(f"labels of {expert} in two files", allowed="one file for each expert")
    asked = tuple(said) if suggestion is None else suggestion.experts
    panel = tuple(experts or asked)
    if unknown := [expert for expert in (*panel, *said) if expert not in asked]:
        raise OptionError("experts", f"of the experts {', '.join(asked)}", unknown[0])
    for expert in panel:
        if expert not in said:
            said[expert] = read_answers(folders[0] / SHEETS / f"{expert}.xlsx"), f"{PREFIX}{expert}"
    pairs = suggestion.key if suggestion else _every_pair([found for found, _ in said.values()])
    keys = [key_of(row["a"], row["b"]) for row in pairs.select(["a", "b"]).to_pylist()]
    over: dict[str, Answers] = {}
    for column, path in (("adjudicated", adjudicated), ("reviewed", reviewed)):
        if path is not None:
            over[column] = _in_order(read_answers(Path(path), reading.encoding), column, keys)
    made = Labels(pairs, {expert: _in_order(*said[expert], keys) for expert in panel}, **over)
    seed = suggestion.made_with["seed"] if suggestion else 0
    for path, column, those in ((open_pairs, "adjudicated", made.open), (review, "reviewed", pairs)):
        if path is not None and len(those):
            write_sheet(questions(those, column, seed), column, Path(path))
    if output is not None:
        write_table(made.table, output)
    return made


def _every_pair(returned: Sequence[Returned]) -> pa.Table:
    """The pairs of several tables, each once."""
    shown: dict[Key, dict[str, str]] = {}
    for table, rows in returned:
        found = table.data.select(["a", "b"]).to_pylist()
        shown |= {key: found[row] for key, row in rows.items() if key not in shown}
    return pa.Table.from_pylist([*shown.values()])


def _in_order(returned: Returned, column: str, keys: Sequence[Key]) -> Answers:
    """What a column says of each pair; a warning for a pair that nobody was asked about."""
    table, rows = returned
    table.require(column, "0 or 1")
    if others := rows.keys() - set(keys):
        first = table.error("a pair that was not asked about, or changed", min(map(rows.__getitem__, others)), "a")
        warn(f"{first} {counted(len(others), 'such pair')} left out.")
    said = table.parsed(column, answer_of, NO_LABEL, ALLOWED)
    return [said[rows[key]] if key in rows else None for key in keys]
