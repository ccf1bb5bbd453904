from __future__ import annotations

import pytest

from ..terms.conftest import SMALL


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("tree") / "tree.csv"
    path.write_text(SMALL, "utf-8")
    return str(path)
