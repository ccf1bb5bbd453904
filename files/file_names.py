"""Whether a text is the name of a file rather than a diagnosis: "pairs.csv", "./notes", not "E. coli", "M.I." or "w/ CKD"."""

from __future__ import annotations

import re
from pathlib import Path

_NAME = re.compile(
    r"(~|\.{1,2})?[/\\]\S.*|[A-Za-z]:\\.*|.*\S\.(csv|tsv|txt|jsonl?|ndjson|xlsx?|ods|parquet|feather|arrow|docx?|rtf|pdf|html?|xml|ya?ml|toml|rds|npy|pkl|sqlite3?|db|gz|zip|tar|tgz)(#.*)?",
    re.IGNORECASE | re.DOTALL,
)
"""A path, or a name with the suffix of a file that holds data or text. None of these is a word that ends a diagnosis."""


def is_file_name(text: str) -> bool:
    """Whether a text looks like a file's name, be it there or not."""
    return _NAME.fullmatch(text.strip()) is not None


def files_named(text: str) -> list[str]:
    """Tables in the current folder whose name without its suffix is `text`: what a forgotten suffix may have meant."""
    if not re.fullmatch(r"[\w .-]+", text):
        return []
    suffixes = (".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".parquet")
    return [f"{text}{suffix}" for suffix in suffixes if Path(f"{text}{suffix}").is_file()]
