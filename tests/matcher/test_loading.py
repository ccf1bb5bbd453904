"""What a user says of a model folder: its identity, where its encoders are; what was said before."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import dxmatch
from dxmatch.errors import InputError, ModelError, OptionError
from dxmatch.matcher.asked_models import providers_of
from dxmatch.matcher.loading import check_identity
from dxmatch.models.folder import SHIPPED_MODEL
from dxmatch.tests.small_model import model_parts, saved


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> dxmatch.MatchFunction:
    return dxmatch.load(saved(model_parts(), tmp_path_factory.mktemp("small") / "model", "shipped", None))


def test_the_identities_of_a_model() -> None:
    m = dxmatch.load(policy="strict")
    short, whole = m.identities
    assert short == m.identity == dxmatch.load().identity == whole[: len(short)]
    assert whole == f"offline-en@{hashlib.sha256((SHIPPED_MODEL / 'model.json').read_bytes()).hexdigest()}"
    for identity in m.identities:
        check_identity(m.name, m.identities, identity)
    check_identity(m.name, m.identities, whole.rpartition("@")[2])


@pytest.mark.parametrize("digits", [12, 64])
def test_another_model_is_told_with_both(digits: int, small: dxmatch.MatchFunction) -> None:
    with pytest.raises(ModelError, match=rf"^The model is small@[0-9a-f]{{{digits}}}, not mine@0{{{digits}}}\.$"):
        check_identity(small.name, small.identities, f"mine@{'0' * digits}")


@pytest.mark.parametrize("identity", ["", "offline-en", "offline-en@12", "@" + "0" * 12, "x@" + "G" * 12])
def test_what_is_no_identity(identity: str, small: dxmatch.MatchFunction) -> None:
    with pytest.raises(OptionError, match="'identity' parameter must be NAME@HASH"):
        check_identity(small.name, small.identities, identity)


@pytest.mark.parametrize("table", [{"model": "attacker/model"}, {"model": "/etc"}, None])
def test_a_model_folder_reaches_nothing_by_itself(tmp_path: Path, table: dict[str, str] | None) -> None:
    name = "enc" if table else "sentence-transformers:attacker/model"
    m = dxmatch.load(saved(model_parts(), tmp_path / "model", name, table))
    with pytest.raises(
        InputError, match=r"Or: .*(allow_download=True\)? fetches it|encoders=\{'enc': …\}\)? says it)\."
    ):
        m.probability("gout", "gouty arthritis")


@pytest.mark.parametrize(
    ("function", "option", "today"),
    [
        (dxmatch.load, "store", r"loading=dxmatch\.Loading\(store=…\)"),
        (dxmatch.score_files, "model", "matcher=…"),
        (dxmatch.score_files, "policy", r"matcher=dxmatch\.load\(policy=…\)"),
        (dxmatch.score_files, "rejects", r"reading=dxmatch\.Reading\(rejects=…\)"),
        (dxmatch.MatchFunction.score, "shap", r'add=\["shap"\]'),
        (dxmatch.MatchFunction.link, "encoding", r"Reading\(encoding=…\)"),
    ],
)
def test_an_old_option_is_answered_by_todays(function: Callable[..., Any], option: str, today: str) -> None:
    with pytest.raises(OptionError, match=f"The '{option}' parameter must be .*{today}"):
        function("x", "y", **{option: "z"})


def test_the_command_line(command: Callable[..., object], tmp_path: Path) -> None:
    def said(*arguments: object) -> tuple[int, str]:
        done = command(*arguments)
        return done.code, done.out + done.err

    shown = said("model", "show")
    assert shown[0] == 0 and dxmatch.load().identities[-1] in shown[1]
    pair = ("explain", "gout", "gouty arthritis")
    code, words = said(*pair, "--identity", "offline-en@000000000000")
    assert (code, words.count("\n")) == (1, 1) and "not offline-en@000000000000" in words
    assert "The option --identity must be NAME@HASH" in said(*pair, "--identity", "x")[1]
    hub = saved(model_parts(), tmp_path / "hub", "enc", {"model": "attacker/model", "revision": "main"})
    code, words = said(*pair, "--matcher", hub)
    assert code == 1 and words.endswith("Or: --allow-download fetches it.\n")
    assert "'attacker/model' of the Hugging Face hub" in said("model", "show", hub)[1]
    path = saved(model_parts(), tmp_path / "path", "enc", {"model": "/etc"})
    assert said(*pair, "--matcher", path)[1].endswith("Or: --encoders enc=FOLDER says it.\n")
    assert said(*pair, "--matcher", path, "--encoders", "enc")[0] == 2
    assert "without modules.json" in said(*pair, "--matcher", path, "--encoders", f"enc={tmp_path}")[1]


def test_a_feature_set_takes_them(tmp_path: Path, small: dxmatch.MatchFunction) -> None:
    wrong = dxmatch.Loading(identity=f"offline-en@{'0' * 12}")
    with pytest.raises(ModelError, match="The model is small@"):
        providers_of("offline", matcher=small.save(tmp_path / "model"), loading=wrong)
    with pytest.raises(OptionError, match="'identity' parameter must be left out without a model"):
        providers_of("offline", loading=wrong)


def test_the_commit_of_training_is_what_a_hub_name_means(monkeypatch: pytest.MonkeyPatch) -> None:
    from dxmatch.terms.encoders.declared import EncoderSpec

    commit = "1" * 40
    assert EncoderSpec("x", "owner/model").pinned(f"owner/model@{commit}-8").revision == commit
    assert EncoderSpec("x", "owner/model", revision="v1").pinned(f"owner/model@{commit}-8").revision == "v1"
    for other in (None, "owner/model@main-8", f"owner/other@{commit}-8", "sentence-0123456789ab-8"):
        assert EncoderSpec("x", "owner/model").pinned(other).revision is None
