from __future__ import annotations

import sys
from pathlib import Path

import pytest

from . import folders, model_mutants


def test_the_watch_sees_what_leaves(tmp_path: Path) -> None:
    watched = folders.Watch(tmp_path)
    watched("socket.connect", (None, ("attacker", 443)))
    assert not watched.events
    watched.on = True
    watched("socket.getaddrinfo", ("attacker", 443, 0, 0, 0))
    watched("subprocess.Popen", ("sh", [], None, None))
    watched("open", (str(tmp_path / "case"), "w", 0o101))
    watched("open", ("/elsewhere", "w", 0o101))
    watched("import", ("modeling_x", None, None, None, None))
    assert [event.split(" ")[0] for event in watched.events] == [
        "socket.getaddrinfo",
        "subprocess.Popen",
        "wrote",
        "imported",
    ]
    assert not folders.clear("two\nlines") and not folders.clear("") and folders.clear("one line")


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="an alarm and limits of a process")
def test_hostile_folders_get_nowhere() -> None:
    pytest.importorskip(
        "sentence_transformers", reason="a sentence encoder needs sentence-transformers (extra 'encoders')"
    )
    found = folders.report(24, 1)
    assert not found["findings"] and found["requests"] == 0
    assert sum(found["outcomes"].values()) == 24


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="an alarm")
def test_damaged_models_are_refused_or_the_same() -> None:
    assert model_mutants.run(20, 1) == []
