"""The errors that a user can mend: one clear line each, never a traceback."""

from __future__ import annotations

import copyreg
import sys
import warnings
from typing import Any, Self

from .settings import cells_hidden


def quoted(value: Any) -> str:
    """`value`, a cell or a parameter, as errors show it: its repr, cut to 80 characters; only how long it is where cells are hidden."""
    if cells_hidden() and value and not isinstance(value, bool | int | float):
        return f"<hidden: {f'{len(value):,} characters' if isinstance(value, str) else type(value).__name__}>"
    text = " ".join(repr(value).splitlines())  # of a frame, several lines
    return text if len(text) <= 80 else text[:79] + "…"


def plain(text: str) -> str:
    """A text of the user's data in a message that sets no quotation marks; only how long it is where cells are hidden."""
    return quoted(text) if cells_hidden() else text


class DxmatchError(Exception):
    """Base of every error that dxmatch raises on purpose (exit code 1 on the command line).

    remedy : what would let it pass, as "the option 'rejects' (FILE) sets such rows aside"; "" for nothing. A command line shows its own option.
    """

    remedy = ""

    @property
    def finding(self) -> str:
        """The message without the remedy."""
        return super().__str__()

    def __str__(self) -> str:
        return f"{self.finding} Or: {self.remedy}." if self.remedy else self.finding

    def with_remedy(self, remedy: str) -> Self:
        """The same error with a remedy, unless it has one."""
        self.remedy = self.remedy or remedy
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """So that an error comes back from another process as it was: its message is made of arguments that are not kept."""
        return copyreg.__newobj__, (type(self), *self.args), self.__dict__  # type: ignore[attr-defined]


SET_ASIDE = "the option 'rejects' (FILE) sets such rows aside"


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
        remedy: str = "",
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
        remedy = "the option 'judge_all' scores it all the same"
        allowed = "one diagnosis in words of the model's language"
        super().__init__(f"not understood ({reason})", allowed=allowed, got=text, remedy=remedy)


class NotUnderstoodWarning(UserWarning):
    """Pairs that were not scored, since a diagnosis in them was not understood."""


class ReadingWarning(UserWarning):
    """What is doubtful in what was read: rows without a value, words that mix scripts whose letters look alike."""


class OptionError(DxmatchError, ValueError):
    """A parameter outside what is allowed: `The option 'k' must be …. Got … instead.`"""

    def __init__(self, name: str, allowed: str, got: Any) -> None:
        self.name = name
        super().__init__(f"The option {name!r} must be {allowed}. Got {quoted(got)} instead.")


class ModelError(DxmatchError):
    """A folder that is no model, or a model that does not fit what is asked of it."""


class MissingExtra(DxmatchError):
    """A feature of dxmatch whose library is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra that is not installed. In the clone, run: pip install '.[{extra}]'")


_OURS = (__package__, "contextlib", "sklearn")
"""What stands between the user's line and a warning: the context managers and estimators of dxmatch are called through the other two."""


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Warns, and names the line of the user's own code that called dxmatch."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).partition(".")[0] in _OURS:
        level, frame = level + 1, frame.f_back
    warnings.warn(message, category, stacklevel=level)
