"""Objects of options: each rule is held when one is made; mappings and TOML files are taken by any public function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest

from dxmatch.errors import DxmatchError
from dxmatch.options import Between, Options, checked


@dataclass(frozen=True, kw_only=True)
class Drawing(Options):
    resamples: Annotated[int, Between(0, 1_000)] = 100
    level: Annotated[float, Between(0, 1, apart=True)] = 0.95
    kind: Literal["cases", "raters"] = "cases"


@checked
def measure(
    answers: Any,
    *,
    resampling: Annotated[Drawing, "resamples", "kind"] = Drawing(),
    matcher: Any = None,
    k: Annotated[int, Between(1, 100)] | None = None,
    strict: bool = False,
    add: Sequence[Literal["shap"]] = (),
) -> tuple[Any, ...]:
    del matcher, strict, add
    return answers, resampling.resamples, k


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"k": 0}, "option 'k' must be a whole number from 1 to 100 or None. Got 0"),
        ({"k": True}, "Got True"),
        ({"strict": "no"}, "True or False"),
        ({"add": "shap"}, "several of shap"),
        ({"resampling": {"resamples": 1_001}}, "from 0 to 1,000"),
        ({"resampling": {"kind": "case"}}, "one of cases, raters"),
        ({"resampling": {"level": 0.5}}, "without level"),
        ({"resampling": {"levle": 0.5}}, "Allowed: resamples, level, kind"),
        ({"resampling": 3}, "dxmatch.Drawing"),
        ({"resampling": "absent.toml"}, "absent.toml"),
        ({"level": 0.9}, r"resampling=dxmatch.Drawing\(level=…\)"),
        ({"bootstrap": 0}, r"resampling=dxmatch.Drawing\(resamples=…\)"),
        ({"model": "m"}, "matcher=…"),
        ({"policy": "strict"}, r"matcher=dxmatch.load\(policy=…\)"),
        ({"shap": True}, r'add=\["shap"\]'),
    ],
)
def test_refused(options: dict[str, Any], words: str) -> None:
    with pytest.raises(DxmatchError, match=words):
        measure([], **options)


def test_an_option_of_nobody_is_pythons_own_error() -> None:
    with pytest.raises(TypeError, match=r"measure\(\) got an unexpected keyword argument 'speed'"):
        measure([], speed=1)


@pytest.mark.parametrize("text", ["resamples = 7", "[resampling]\nresamples = 7\n[other]\nx = 1"])
def test_a_file_of_options(tmp_path, text: str) -> None:
    (tmp_path / "mine.toml").write_text(text)
    assert measure([], resampling=tmp_path / "mine.toml") == measure([], resampling={"resamples": 7}) == ([], 7, None)


@checked
def draw(drawing: Literal["few", "many"] | Drawing = "few") -> Any:
    return drawing


def test_an_object_may_have_a_name(tmp_path) -> None:
    (tmp_path / "mine.toml").write_text("resamples = 7")
    assert draw("many") == "many"
    assert draw(tmp_path / "mine.toml") == draw({"resamples": 7}) == draw(Drawing(resamples=7)) == Drawing(resamples=7)
    with pytest.raises(DxmatchError, match=r"one of few, many or a dxmatch\.Drawing, or a TOML file"):
        draw("meny")
