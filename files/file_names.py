"""Whether a text is the name of a file rather than a diagnosis: "pairs.csv", "./notes", not "E. coli", "M.I." or "w/ CKD"."""

from __future__ import annotations

import re
from pathlib import Path

_SUFFIXES = re.compile(
    "csv|tsv|tab|txt|jsonl?|ndjson|xls[xmb]?|ods|numbers|parquet|pq|feather|arrow|avro|orc|docx?|odt|rtf|pdf|pptx?|html?|xml|ya?ml|toml|ini|sav|dta|"
    "sas7bdat|rds|rdata|mat|np[yz]|pkl|pickle|joblib|db|sqlite3?|duckdb|sql|log|gz|zip|bz2|xz|zst|7z|tar|tgz",
    re.IGNORECASE,
)
"""Of files that hold data or text. None is a word that ends a diagnosis."""
_PATH = re.compile(r"(~|\.{1,2})?[/\\]\S|[A-Za-z]:\\")


def is_file_name(text: str) -> bool:
    """Whether a text looks like a file's name, be it there or not: it ends in a suffix of files, or begins as a path does."""
    name = text.strip()
    if _PATH.match(name):
        return True
    stem, point, suffix = name.partition("#")[0].rpartition(".")
    return bool(point and stem) and not stem.endswith(" ") and _SUFFIXES.fullmatch(suffix) is not None


def files_named(text: str) -> list[str]:
    """Tables in the current folder whose name without its suffix is `text`: what a forgotten suffix may have meant."""
    if not text or not re.fullmatch(r"[\w .-]+", text):
        return []
    return [
        f"{text}{suffix}"
        for suffix in (".csv", ".tsv", ".jsonl", ".json", ".xlsx", ".parquet")
        if Path(f"{text}{suffix}").is_file()
    ]
