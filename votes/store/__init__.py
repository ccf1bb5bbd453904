"""Every answer of a language model, kept in SQLite."""

from pathlib import Path

STORE = Path("votes.sqlite")
"""Where answers are kept if no store is named."""
