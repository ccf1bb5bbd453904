"""Whether a text is the name of a file rather than a diagnosis: "pairs.csv", "./notes", not "E. coli", "M.I." or "w/ CKD"."""

from __future__ import annotations

import re

_NAME = re.compile(
    r"(~|\.{1,2})?[/\\]\S.*|[A-Za-z]:\\.*|.*\S\.(csv|tsv|txt|jsonl?|ndjson|xlsx?|ods|parquet|feather|arrow|docx?|rtf|pdf|html?|xml|ya?ml|toml|rds|npy|pkl|sqlite3?|db|gz|zip|tar|tgz)(#.*)?",
    re.IGNORECASE | re.DOTALL,
)
"""A path, or a name with the suffix of a file that holds data or text. None of these is a word that ends a diagnosis."""


def is_file_name(text: str) -> bool:
    """Whether a text looks like a file's name, be it there or not."""
    return _NAME.fullmatch(text.strip()) is not None
