"""The notebooks run from top to bottom, and what is kept of their outputs is whole, small and says nothing of a machine.

python tests/test_notebooks.py [NAME …]    # executes them and keeps the new outputs
"""

from __future__ import annotations

import base64
import io
import re
import socket
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
from jupyter_client.manager import KernelManager, start_new_kernel
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"
NAMES = sorted(file.stem for file in NOTEBOOKS.glob("*.ipynb"))
LARGEST = 700_000
METADATA = {
    "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"},
    "language_info": {"name": "python"},
}


def read(name: str) -> Any:
    return nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)


def execute(notebook: Any, folder: Path, kernel: KernelManager | None = None) -> None:
    """In a kernel of its own, or in one that runs already."""
    NotebookClient(notebook, km=kernel, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()


def outputs(notebook: Any) -> list[Any]:
    return [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]


def pictures(notebook: Any) -> list[str]:
    """The PNGs, in base64."""
    return [output["data"]["image/png"] for output in outputs(notebook) if "image/png" in output.get("data", {})]


@pytest.fixture(scope="module")
def kernel() -> Iterator[KernelManager]:
    """One for all notebooks: to start one, and to import and to load what each of them needs, takes longer than they do."""
    manager, client = start_new_kernel()
    client.stop_channels()
    yield manager
    manager.shutdown_kernel(now=True)


@pytest.mark.nightly
@pytest.mark.parametrize("name", NAMES)
def test_it_runs_and_draws_the_pictures_that_are_kept(name: str, tmp_path: Path, kernel: KernelManager) -> None:
    kept, again = read(name), read(name)
    # as if it were new: no name of the notebook before, and its own folder
    fresh = f"%reset -f\n%cd -q {tmp_path}"
    execute(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(fresh)]), tmp_path, kernel)
    execute(again, tmp_path, kernel)
    assert len(pictures(again)) == len(pictures(kept)) >= 2
    assert [o.output_type for o in outputs(again)] == [o.output_type for o in outputs(kept)]


@pytest.mark.parametrize("name", NAMES)
def test_what_is_kept(name: str) -> None:
    """Every cell was run in order and none erred; nothing says where."""
    notebook = read(name)
    nbformat.validate(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert not [o for o in outputs(notebook) if o.output_type == "error" or o.get("name") == "stderr"]
    assert (NOTEBOOKS / f"{name}.ipynb").stat().st_size < LARGEST
    assert notebook.metadata == METADATA and not any(cell.metadata for cell in notebook.cells)
    text = nbformat.writes(notebook)
    for picture in pictures(notebook):
        text = text.replace(picture, "")
    assert not re.findall(r"/(?:home|Users|root|tmp|opt|work|usr|var)/|site-packages", text)
    assert not re.search(rf"\b{re.escape(socket.gethostname())}\b", text)


def keep(name: str) -> None:
    """Executes a notebook and writes it with its outputs, and with nothing of the machine that did it."""
    notebook = read(name)
    with tempfile.TemporaryDirectory() as folder:
        execute(notebook, Path(folder))
    notebook.metadata = METADATA
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"{name}-{number:02d}", {}
    for number, table in enumerate(o["data"] for o in outputs(notebook) if "text/html" in o.get("data", {})):
        # pandas marks tables by chance and by address: the same figures would be another file
        table.pop("text/plain", None)
        table["text/html"] = re.sub(r"\bT_[0-9a-f]{5}", f"T_{name}_{number}", table["text/html"])
    for data in (o["data"] for o in outputs(notebook) if "image/png" in o.get("data", {})):
        data["image/png"] = packed(data["image/png"])
    nbformat.write(notebook, NOTEBOOKS / f"{name}.ipynb")


def packed(png: str) -> str:
    """The same picture in a quarter of the bytes that its renderer writes, in base64."""
    from PIL import Image

    smaller = io.BytesIO()
    Image.open(io.BytesIO(base64.b64decode(png))).save(smaller, "PNG", optimize=True)
    return base64.b64encode(smaller.getvalue()).decode()


if __name__ == "__main__":
    for each in sys.argv[1:] or NAMES:
        keep(each)
