"""The shape of the repository: one-way imports, the packages listed, a light start, a wheel that works alone."""

from __future__ import annotations

import ast
import graphlib
import os
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    ("recipe",),
    ("cli",),
    ("serving",),
    ("auditing", "diagnosing", "estimators", "labelling"),
    ("evaluation", "training", "jobs"),
    ("matcher",),
    ("features",),
    ("votes",),
    ("terms",),
    ("endpoints", "pages"),
    ("files", "stats"),
    ("models",),
    ("errors", "options", "progress", "compiled", "settings"),
)
"""From the top floor down: a file imports only what stands in its own folder or on a floor below."""
PARTS = tuple(name for floor in FLOORS for name in floor if (ROOT / name).is_dir())
EVALUATION = (("choice", "reasoning"), ("report",), ("statistics",), ("score",), ("match",), ("read",))
"""The same inside evaluation, whose own files stand above all of them."""


def imported_files(file: Path) -> set[Path]:
    """The files of dxmatch that a file imports: at its top, inside its functions, for the type checker."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            module = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            for target in {module, *(module / alias.name for alias in node.names)}:
                found |= {path for path in (target.with_suffix(".py"), target / "__init__.py") if path.is_file()}
        elif (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dxmatch")) or (
            isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "dxmatch" for alias in node.names)
        ):
            raise AssertionError(f"{file}: an absolute import of dxmatch")
    # The package of a module that is imported by its name is not meant.
    return {
        path for path in found if path.name != "__init__.py" or not any(f.parent == path.parent for f in found - {path})
    }


def product_files() -> list[Path]:
    return [*(file for part in PARTS for file in (ROOT / part).rglob("*.py")), *ROOT.glob("*.py")]


@pytest.mark.parametrize(("holder", "floors"), [(ROOT, FLOORS), (ROOT / "evaluation", EVALUATION)])
def test_imports_run_down_the_floors(holder: Path, floors: tuple[tuple[str, ...], ...]) -> None:
    for floor, parts in enumerate(floors):
        below = {name for names in floors[floor + 1 :] for name in names}
        for file in (file for part in parts for file in (holder / part).rglob("*.py")):
            part = file.relative_to(holder).parts[0]
            allowed = {part, *below, *(["__init__"] if part == "cli" else [])}  # the command line says the version
            inside = {path.relative_to(holder).parts for path in imported_files(file) if holder in path.parents}
            wrong = {parts[0].removesuffix(".py") for parts in inside} - allowed
            assert not wrong, f"{file.relative_to(ROOT)} imports {sorted(wrong)}; {part} may import {sorted(allowed)}"
    on_disk = {file.parent.name for file in holder.glob("*/__init__.py")} - {"tests"}
    assert on_disk <= {part for parts in floors for part in parts}


def test_no_file_imports_itself_by_a_circle() -> None:
    graphlib.TopologicalSorter({file: imported_files(file) - {file} for file in product_files()}).prepare()


def sub_folders() -> list[Path]:
    return sorted({file.parent for part in PARTS for file in (ROOT / part).rglob("*.py")} - {ROOT / p for p in PARTS})


def test_sub_folders_import_neither_their_holder_nor_each_other_in_circles() -> None:
    arrows: dict[Path, dict[str, set[str]]] = {}
    for folder in sub_folders():
        for file in folder.glob("*.py"):
            for path in imported_files(file):
                for holder in [h for h in folder.parents if h != ROOT and ROOT in h.parents and h in path.parents]:
                    inside = path.relative_to(holder).parts
                    mine = folder.relative_to(holder).parts[0]
                    assert len(inside) > 1, f"{file.relative_to(ROOT)} imports {path.relative_to(ROOT)} of its holder"
                    if inside[0] != mine:
                        arrows.setdefault(holder, {}).setdefault(mine, set()).add(inside[0])
    for graph in arrows.values():
        graphlib.TopologicalSorter(graph).prepare()


def test_packages_listed_are_the_packages_on_disk() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    folders = {
        file.parent for part in {*PARTS} - {"recipe"} for file in (ROOT / part).rglob("*.py")
    }  # recipe is not installed
    assert sorted(listed) == sorted(".".join(("dxmatch", *one.relative_to(ROOT).parts)) for one in {ROOT, *folders})
    assert [one for one in folders if not (one / "__init__.py").is_file()] == []


def lines_of_code(file: Path) -> int:
    """Without docstrings, of which none is to be shortened for this."""
    text = file.read_text("utf-8")
    kinds = ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef
    first = [node.body[0] for node in ast.walk(ast.parse(text)) if isinstance(node, kinds) and ast.get_docstring(node)]
    return len(text.splitlines()) - sum((one.end_lineno or 0) - one.lineno + 1 for one in first)


def test_no_file_is_two_files() -> None:
    long = {str(f): n for p in (*PARTS, ".") for f in (ROOT / p).glob("*.py") if (n := lines_of_code(f)) > 400}
    assert not long


def others_imported(code: str) -> set[str]:
    """The packages of others that a program imports."""
    told = "print('', *{name.partition('.')[0] for name in set(sys.modules) - before})"
    program = f"import atexit, sys; before = set(sys.modules); atexit.register(lambda: {told}); {code}"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(run.stdout.splitlines()[-1].split()) - sys.stdlib_module_names - {"dxmatch"}


def test_a_start_imports_next_to_nothing() -> None:
    run, words = "from dxmatch.cli.main import run; run", {"cyclopts", "rich", "attr", "attrs", "docstring_parser"}
    assert others_imported("import dxmatch") == {"lazy_loader"}
    assert others_imported(f"{run}(['--help'])") <= words | {"lazy_loader"}
    assert not others_imported(f"{run}(['help', 'evaluate'])") & {"pandas", "scipy", "altair", "torch"}


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    source = tmp_path_factory.mktemp("source") / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(source)], check=True)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(source)], check=True, capture_output=True
    )
    return next(out.glob("*.whl"))


def plain_install() -> set[str]:
    """The distributions that `pip install dxmatch` brings on this machine, itself among them."""
    needed, left = set[str](), ["dxmatch"]
    while left:
        name = canonicalize_name(left.pop())
        if name not in needed:
            needed.add(name)
            asked = map(Requirement, metadata.requires(name) or [])
            left += [one.name for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
    return needed


DEMO_WITHOUT = """
import sys

class Absent:
    def find_spec(name, path=None, target=None):
        if name in {absent!r}:
            raise ModuleNotFoundError(f"No module named '{{name}}'", name=name)

sys.meta_path.insert(0, Absent)
import dxmatch
from dxmatch.cli.main import main

print(dxmatch.__file__)
sys.argv = ["dxmatch", "demo", "--output", "out"]
main()
"""


@pytest.mark.nightly
def test_wheel_runs_the_demo_with_its_dependencies_alone(wheel: Path, tmp_path: Path) -> None:
    """From a folder outside the repository, where no package can be imported that a plain install does not bring."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", tmp_path / "site", wheel]
    subprocess.run(install, check=True)
    needed = plain_install()
    absent = {
        name
        for name, owners in metadata.packages_distributions().items()
        if not needed & {canonicalize_name(owner) for owner in owners}
    }
    run = subprocess.run(
        [sys.executable, "-c", DEMO_WITHOUT.format(absent=absent)],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")}, cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(str(tmp_path / "site")) and "RPAD" in run.stdout
    assert (tmp_path / "out" / "report.html").is_file()
    assert {"pandas", "torch"} <= absent
