"""numba's `njit` for files that must not import numba before a kernel of theirs is called."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

FEW = 0


def kernels_compiled() -> bool:
    return True


def made_ready() -> bool:
    return False


class _Lazy:
    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        self.function, self.options = function, options

    @cached_property
    def compiled(self) -> Callable[..., Any]:
        import numba

        names = self.function.__globals__
        for name in self.function.__code__.co_names:
            if isinstance(called := names.get(name), _Lazy):
                names[name] = called.compiled
        return numba.njit(cache=True, nogil=True, **self.options)(self.function)

    def __call__(self, *args: Any) -> Any:
        return self.compiled(*args)


def compiled(*, few: str | None = None, **options: Any) -> Callable[[Callable[..., Any]], Any]:
    return lambda function: _Lazy(function, options)
