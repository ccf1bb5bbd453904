"""Numbers as the sentences of an audit have them."""

from __future__ import annotations


def signed(value: float) -> str:
    """`+2.30`, `−0.45`."""
    return f"{value:+.2f}".replace("-", "−")


def spanned(value: float | None, low: float | None, high: float | None) -> str:
    """`0.931 [0.842, 1.020]`."""
    if value is None or value != value:
        return "undefined"
    return f"{value:.3f}" if low is None or low != low else f"{value:.3f} [{low:.3f}, {high:.3f}]"
