"""What MkDocs and mkdocstrings are told of this house: where the package is, and how its docstrings are to be read."""

from __future__ import annotations

import re
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from griffe import Class, Extension, Function

ROOT = Path(__file__).resolve().parent.parent
PROSE = 70
"""From so many characters on, what stands behind the colon of a parameter is no type but the begin of a sentence."""


def on_startup(**_: Any) -> None:
    """A hook of MkDocs, before any plugin: mkdocstrings forgets a path that is not there yet."""
    lay_package(ROOT / "out" / "site-package" / "dxmatch")


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The page of metrics with each in full, from the registry; the repository holds its table alone."""
    if page.file.src_uri != "metrics.md":
        return markdown
    from dxmatch.evaluation.score.reference_page import reference_page

    return reference_page(in_full=True)


def lay_package(package: Path) -> None:
    """Links in `package` to what is installed as dxmatch: the repository's root without tests and environments."""
    shutil.rmtree(package, ignore_errors=True)
    package.mkdir(parents=True)
    told = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    folders = {name.split(".")[1] for name in told["tool"]["setuptools"]["packages"] if "." in name}
    for source in [*ROOT.glob("*.py*"), *(ROOT / folder for folder in sorted(folders))]:
        (package / source.name).symlink_to(source)


class Sentences(Extension):
    """Parameters whose sentence stands behind the colon (`k : how many candidates.`), as numpy's style has them."""

    def on_function_instance(self, *, func: Function, **_: Any) -> None:
        _restyle(func, {parameter.name for parameter in func.parameters})

    def on_class_members(self, *, cls: Class, **_: Any) -> None:
        _restyle(cls, set(cls.members))


def _restyle(of: Function | Class, names: set[str]) -> None:
    if of.docstring is None:
        return
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", of.docstring.value, flags=re.MULTILINE)
    for i in range(1, len(parts), 2):
        title, body = parts[i], parts[i + 1]
        if title in ("Parameters", "Other Parameters", "Attributes"):
            body = "\n".join(_items(body, names)) + "\n\n"
        elif title == "Returns" and isinstance(of, Function) and len(body.partition("\n")[0]) >= PROSE:
            body = f"{of.returns}\n" + "\n".join(_indented(body.splitlines())) + "\n\n"
        parts[i : i + 2] = [f"{title}\n{'-' * len(title)}\n{body}", ""]
    of.docstring.value = "".join(parts)


def _items(body: str, names: set[str]) -> Iterator[str]:
    """Each parameter on a line of its own, what is said of it indented below."""
    begun = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
    # "a : the first. b : the second." in one line
    body = re.sub(rf"(?<=[.)]) ((?:{begun})(?:, (?:{begun}))*) : ", r"\n\1 : ", body) if begun else body
    for line in body.splitlines():
        name, colon, said = line.partition(" : ")
        if (
            line[:1] in ("", " ")
            or not colon
            or (len(said) < PROSE and not said.endswith(".") and " " not in said.strip())
        ):
            yield line
        else:
            yield from (name, *_indented([said]))


def _indented(lines: Iterable[str]) -> Iterator[str]:
    return (f"    {line}" for line in lines)
