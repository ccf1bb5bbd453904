"""The errors that a user can mend: one clear line each, never a traceback."""

from __future__ import annotations

from typing import Any

_LONGEST_QUOTE = 80


def quoted(value: Any) -> str:
    """`value` as it is shown in an error: its repr, cut to 80 characters."""
    text = repr(value)
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"


class DxmatchError(Exception):
    """Base of every error that dxmatch raises on purpose (exit code 1 on the command line)."""

    def __reduce__(self) -> tuple[Any, ...]:
        """So that an error comes back from another process as it was: its message is made of arguments that are not kept."""
        return _as_it_was, (type(self), self.args, self.__dict__)


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
    """

    _ABSENT = object()

    def __init__(
        self,
        problem: str,
        *,
        source: str | None = None,
        row: int | None = None,
        column: str | None = None,
        allowed: str | None = None,
        got: Any = _ABSENT,
    ) -> None:
        self.problem, self.source, self.row, self.column = problem, source, row, column
        self.allowed = allowed
        place = [source] if source else []
        if row is not None:
            place.append(f"row {row}")
        if column is not None:
            place.append(f"column {column!r}")
        sentence = problem if problem.endswith("?") else f"{problem}."
        message = f"{', '.join(place)}: {sentence}" if place else sentence
        if allowed:
            message += f" Allowed: {allowed}."
        if got is not InputError._ABSENT:
            message += f" Got: {quoted(got)}."
        super().__init__(message)


class NotUnderstood(InputError):
    """A diagnosis that M can know nothing of, so that a decision on it would be a guess.

    text : as it came. reason : "another script", "another language, or no words", "a sentence", "several diagnoses" or
    "no diagnosis".
    """

    def __init__(self, text: str, reason: str) -> None:
        self.text, self.reason = text, reason
        super().__init__(
            f"not understood ({reason})",
            allowed="one diagnosis in words of the model's language; judge_all=True scores it all the same",
            got=text,
        )


class NotUnderstoodWarning(UserWarning):
    """Pairs that were not scored, since a diagnosis in them was not understood."""


class OptionError(DxmatchError, ValueError):
    """A parameter outside what is allowed: `The 'k' parameter must be …. Got … instead.`"""

    def __init__(self, name: str, allowed: str, got: Any) -> None:
        super().__init__(f"The {name!r} parameter must be {allowed}. Got {quoted(got)} instead.")


class ModelError(DxmatchError):
    """A folder that is no model, or a model that does not fit what is asked of it."""


class MissingExtra(DxmatchError):
    """A feature of dxmatch whose library is not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs an extra that is not installed. Run: pip install 'dxmatch[{extra}]'")


def _as_it_was(kind: type[DxmatchError], args: tuple[Any, ...], attributes: dict[str, Any]) -> DxmatchError:
    error = kind.__new__(kind)
    error.args = args
    error.__dict__.update(attributes)
    return error
