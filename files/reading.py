"""How the files that users bring are read: one object of options for every function that takes a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ..options import Options, Output


@dataclass(frozen=True, kw_only=True)
class Reading(Options):
    """How files are read; each function says which of these it uses, and refuses the others.

    Parameters
    ----------
    columns : mapping, optional
        Which column is what, where its name does not tell: {"reference": "gold", "predictions": ["gpt4", "claude"]}.
    record : callable, optional
        Your own function from a record of a file, {column: value}, to its answers: an object, or several, with case_id, model, diagnoses
        (a list) or text, and references. The way out for every file that has none of the shapes that are read.
    format : str, optional
        The published format of the files, where it is not recognised.
    encoding : str, optional
        Of text files that are not UTF-8, such as "cp1252".
    separator : str, optional
        What parts several diagnoses in one cell beside line breaks, ";" and "|", such as ","; "none" where nothing else does.
    missing : str, optional
        What a list that is not there counts as: "empty", an empty answer (the default, but for experts of a panel), "own", nothing: each
        rater has its own number of cases; or "refuse".
    no_diagnosis : sequence of str
        More words that mean "no diagnosis", beside none, N/A, unknown and the like; "keep" takes these as diagnoses.
    read_again : str, optional
        A language model, "endpoint:model", that says what answers name that no form tells.
    rejects : path, optional
        A file for rows that cannot be right; without it the first of them is an error.

    Raises
    ------
    OptionError
        For what is not allowed.
    """

    columns: Mapping[str, str | Sequence[str]] | None = None
    record: Callable[[Any], Any] | None = None
    format: str | None = None
    encoding: str | None = None
    separator: str | None = None
    missing: Literal["empty", "own", "refuse"] | None = None
    no_diagnosis: str | Sequence[str] = ()
    read_again: str | None = None
    rejects: Output | None = None


OF_TABLES = ("encoding", "rejects")  # what serves a table of pairs, whose columns have parameters of their own


@dataclass(frozen=True, kw_only=True)
class PairColumns(Options):
    """The columns of labelled pairs.

    Parameters
    ----------
    a, b : str
        The two diagnoses of each pair.
    label : str
        The label, 0 or 1; without that column, one `label_<name>` for each expert, of which the majority decides (a tie or a blank needs
        `adjudicated`).
    soft : str, optional
        The share of votes for "match", in [0, 1]; the name of `label` stands for the experts' own votes. A pair that voters are divided on
        is learned as both, in that proportion. Measured on the labels all the same.
    weight : str, optional
        The weights of the pairs, above 0.
    group : str, optional
        The reference diagnosis, `a` if not given. All rows of one reference (after normalisation) lie on one side of every split.
    """

    a: str = "a"
    b: str = "b"
    label: str = "label"
    soft: str | None = None
    weight: str | None = None
    group: str | None = None
