"""What a sentence-transformers folder may hold, looked at before a library opens it: data, and no way out of the folder.

Its files choose classes by name, may bring code of their own, and may stand on another model, by a hub name or a path. dxmatch
never gives `trust_remote_code`; what is refused here is refused whatever a release of those libraries makes of it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ...errors import ModelError, quoted

MODULES = frozenset(
    (
        "Transformer", "Pooling", "Normalize", "Dense", "LayerNorm", "Dropout", "StaticEmbedding", "WeightedLayerPooling",
    )
)  # fmt: skip
_PLACES = (
    "sentence_transformers.models",
    "sentence_transformers.models.",
    "sentence_transformers.base.modules.",
    "sentence_transformers.sentence_transformer.modules",
)
_ACTIVATIONS = ("torch.nn.modules.activation.", "torch.nn.modules.linear.Identity")
_CONFIGS = ("config*.json", "*_config.json", "preprocessor_config.json")
_MAX_CONFIG_BYTES = 16 * 2**20
_PLAIN_ARGUMENTS = frozenset(("dtype", "torch_dtype", "add_pooling_layer", "padding_side", "model_max_length"))
_ARGUMENTS = ("model_args", "tokenizer_args", "config_args", "model_kwargs", "processor_kwargs", "config_kwargs")
_OTHER_FILES = ("vocab_file", "tokenizer_file", "merges_file", "spm_file", "tokenizer_name_or_path")


def check_sentence_folder(folder: Path) -> None:
    """Holds a folder against what dxmatch opens.

    Raises
    ------
    ModelError
        Naming the file, for a class that is not one of sentence-transformers' own `MODULES`, code of the model's own, a model
        that stands on another one (an adapter), a file that is named by a path or an address, a link that leads out.
    """
    inside = {folder.resolve(), _repository_of(folder)}
    for path in folder.rglob("*"):
        real = path.resolve()
        if path.is_symlink() and not any(real.is_relative_to(root) for root in inside):
            raise _refused(path, "a link that leads out of the folder")
        if path.name == "adapter_config.json":
            raise _refused(path, "an adapter, which stands on another model. Merge the two and save the whole")
    if (folder / "modules.json").is_file():
        _check_modules(folder, folder / "modules.json")
    for path in sorted({path for pattern in _CONFIGS for path in folder.rglob(pattern)}):
        _check_config(path, _json(path))


def _repository_of(folder: Path) -> Path:
    """Where the files of a snapshot lie: a hub's cache links `models--NAME/snapshots/COMMIT/FILE` to `models--NAME/blobs`."""
    real = folder.resolve()
    return real.parents[1] if len(real.parents) > 1 and real.parent.name == "snapshots" else real


def _check_modules(folder: Path, file: Path) -> None:
    modules = _json(file)
    if not isinstance(modules, list) or not modules or not all(isinstance(module, dict) for module in modules):
        raise _refused(file, "not a list of modules")
    for module in modules:
        kind, path = module.get("type"), module.get("path")
        place, _, name = str(kind).rpartition(".")
        known = any(place == one or (one.endswith(".") and place.startswith(one)) for one in _PLACES)
        if not isinstance(kind, str) or name not in MODULES or not (known or place.startswith(_PLACES[-1] + ".")):
            raise _refused(file, f"a module of the class {quoted(kind)}. Allowed: {', '.join(sorted(MODULES))}")
        if not isinstance(path, str) or not (folder / path).resolve().is_relative_to(folder.resolve()):
            raise _refused(file, f"a module outside the folder: {quoted(path)}")


def _check_config(file: Path, value: Any) -> None:
    for key, one in _entries(value):
        if key in ("auto_map", "custom_pipelines") and one:
            raise _refused(
                file, f"code of the model's own ({key}), which dxmatch never runs. Let a server serve the model"
            )
        if key == "trust_remote_code" and one:
            raise _refused(file, "trust_remote_code, which dxmatch never gives")
        if key == "activation_function" and not str(one).startswith(_ACTIVATIONS):
            raise _refused(file, f"an activation that is none of torch.nn: {quoted(one)}")
        if key in _OTHER_FILES and one is not None:
            raise _refused(file, f"a file outside the folder ({key}): {quoted(one)}")
        if key.endswith("attn_implementation") and "/" in str(one):
            raise _refused(file, f"a kernel of the hub ({key}): {quoted(one)}")
        if key in _ARGUMENTS and not (isinstance(one, dict) and one.keys() <= _PLAIN_ARGUMENTS):
            raise _refused(file, f"{key} other than {', '.join(sorted(_PLAIN_ARGUMENTS))}: {quoted(one)}")
        if isinstance(one, str) and "://" in one[:12] and "template" not in key:
            raise _refused(file, f"an address ({key}): {quoted(one)}")


def _entries(value: Any) -> Iterator[tuple[str, Any]]:
    """Every key of a JSON value with what it holds, at any depth."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield key, one
            yield from _entries(one)
    elif isinstance(value, list):
        for one in value:
            yield from _entries(one)


def _json(file: Path) -> Any:
    try:
        if file.stat().st_size > _MAX_CONFIG_BYTES:
            raise _refused(file, f"larger than {_MAX_CONFIG_BYTES:,} bytes")
        return json.loads(file.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise _refused(file, f"not JSON ({error})") from None


def _refused(file: Path, problem: str) -> ModelError:
    return ModelError(f"{file}: {problem}.")
