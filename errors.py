"""The errors that a user can mend: one clear line each, never a traceback."""

from __future__ import annotations

import copyreg
import re
import shlex
import sys
import warnings
from collections.abc import Mapping
from typing import Any, Self

from .settings import cells_hidden

_LONGEST_QUOTE = 80


def quoted(value: Any) -> str:
    """`value`, a cell or a parameter, as errors show it: its repr, cut to 80 characters; only how long it is where cells are hidden."""
    if cells_hidden() and value and not isinstance(value, bool | int | float):
        return f"<hidden: {f'{len(value):,} characters' if isinstance(value, str) else type(value).__name__}>"
    text = " ".join(repr(value).splitlines())  # of a frame, several lines
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"


def plain(text: str) -> str:
    """A text of the user's data in a message that sets no quotation marks; only how long it is where cells are hidden."""
    return quoted(text) if cells_hidden() else text


class DxmatchError(Exception):
    """Base of every error that dxmatch raises on purpose (exit code 1 on the command line).

    remedy : a parameter that would let it pass; a command line shows it as its own option.
    """

    remedy: Remedy | None = None

    @property
    def finding(self) -> str:
        """The message without the remedy."""
        return super().__str__()

    def worded(self, options: Mapping[str, str] | None = None) -> str:
        """The message: of Python, or of a command line. options : a parameter's name -> what the command calls it, as "k" -> "--k"."""
        return self.finding + ("" if self.remedy is None else self.remedy.worded(options))

    def __str__(self) -> str:
        return self.worded()

    def with_remedy(self, remedy: Remedy) -> Self:
        """The same error with a remedy, unless it has one."""
        self.remedy = self.remedy or remedy
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """So that an error comes back from another process as it was: its message is made of arguments that are not kept."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


class Open(str):
    """The value of a parameter that the user must think of, in a word: "FILE"; in Python it is shown as …"""

    def __repr__(self) -> str:
        return "…"


_READING = "reading=dxmatch.Reading({})"
_HOME = {
    **dict.fromkeys(("columns", "encoding", "missing", "rejects", "separator"), _READING),
    "allow_download": "loading=dxmatch.Loading({})", "endpoints": "asking=dxmatch.Asking({})", "judge_all": "dxmatch.load({})",
    "min_coverage": "dxmatch.load({})", "on_conflict": "labels=dxmatch.LabelRules({})", "test_share": "split=dxmatch.Split({})", "folds": "split=dxmatch.Split({})",
}  # fmt: skip
"""The object of options that holds a parameter, as Python says it; one that stands alone is not here."""


class Remedy:
    """A parameter that would let data pass as it is.

    Parameters
    ----------
    does : what it does, as in "sets such rows aside".
    option : with its value; an `Open` one for a value that the user must think of; a dict of them where the option names several things.
    """

    def __init__(self, does: str, **option: Any) -> None:
        self.does = does
        ((self.option, self.value),) = option.items()

    def worded(self, names: Mapping[str, str] | None) -> str:
        """` Or: column='dx' reads it.` in Python, ` Or: --column dx reads it.` by a command's names; "" where it lacks the option."""
        if names is None:
            words = _HOME.get(self.option, "{}").format(f"{self.option}={self.value!r}")
        elif (flag := names.get(self.option)) is None:
            return ""
        elif isinstance(self.value, dict):
            words = " ".join(f"{flag} {key}={one}" for key, one in self.value.items())
        else:
            words = flag if self.value is True else f"{flag} {shlex.quote(str(self.value))}"
        return f" Or: {words} {self.does}."


SET_ASIDE = Remedy("sets such rows aside", rejects=Open("FILE"))


class InputError(DxmatchError):
    """Data that cannot be right.

    Parameters
    ----------
    problem : what is wrong, as a sentence without its full stop.
    source : the file (or "data frame") that holds it.
    row : its number as the user sees it (in a CSV the header is row 1).
    column : its column.
    allowed : what would have been right, in words.
    got : what came; shown only when given.
    remedy : as of `DxmatchError`.
    """

    def __init__(
        self,
        problem: str,
        *,
        source: str | None = None,
        row: int | None = None,
        column: str | None = None,
        allowed: str | None = None,
        got: Any = ...,
        remedy: Remedy | None = None,
    ) -> None:
        self.problem, self.source, self.row, self.column = problem, source, row, column
        self.allowed, self.remedy = allowed, remedy
        numbered, named = None if row is None else f"row {row}", None if column is None else f"column {column!r}"
        place = [*filter(None, (source, numbered, named))]
        sentence = problem if problem.endswith("?") else f"{problem}."
        message = f"{', '.join(place)}: {sentence}" if place else sentence
        message += f" Allowed: {allowed}." if allowed else ""
        message += f" Got: {quoted(got)}." if got is not ... else ""
        super().__init__(message)


class NotUnderstood(InputError):
    """A diagnosis that M can know nothing of, so that a decision on it would be a guess.

    text : as it came. reason : "another script", "another language, or no words", "a sentence", "several diagnoses" or
    "no diagnosis".
    """

    def __init__(self, text: str, reason: str) -> None:
        self.text, self.reason = text, reason
        remedy = Remedy("scores it all the same", judge_all=True)
        allowed = "one diagnosis in words of the model's language"
        super().__init__(f"not understood ({reason})", allowed=allowed, got=text, remedy=remedy)


class NotUnderstoodWarning(UserWarning):
    """Pairs that were not scored, since a diagnosis in them was not understood."""


class ReadingWarning(UserWarning):
    """What is doubtful in what was read: rows without a value, words that mix scripts whose letters look alike."""


class OptionError(DxmatchError, ValueError):
    """A parameter outside what is allowed: `The 'k' parameter must be …. Got … instead.`"""

    def __init__(self, name: str, allowed: str, got: Any) -> None:
        self.name, self._allowed, self._got = name, allowed, got
        super().__init__(f"The {name!r} parameter must be {allowed}. Got {quoted(got)} instead.")

    def worded(self, options: Mapping[str, str] | None = None) -> str:
        if options is None or self.name not in options:
            return self.finding
        allowed = re.sub(r",? or None( for )?", lambda each: "; left out for " if each[1] else "", self._allowed)
        allowed = re.sub(r"'(\w+)'", lambda each: options.get(each[1], each[0]), allowed)
        got = "It is not given." if self._got is None else f"Got {quoted(self._got)} instead."
        return f"The option {options[self.name]} must be {allowed}. {got}"


class ModelError(DxmatchError):
    """A folder that is no model, or a model that does not fit what is asked of it."""


class MissingExtra(DxmatchError):
    """A feature of dxmatch whose library is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra that is not installed. Run: pip install 'dxmatch[{extra}]'")


_OURS = (__package__, "contextlib", "sklearn")
"""What stands between the user's line and a warning: the context managers and estimators of dxmatch are called through the other two."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns, and names the line of the user's own code that called dxmatch."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _OURS:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
