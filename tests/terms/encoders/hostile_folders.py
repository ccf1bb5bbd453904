"""Folders that try to get out: what a model folder may say of encoders, and what a sentence-transformers folder may hold.

Each maker of `ENCODERS` spoils a good sentence-transformers folder; each name of `NAMES` is what a model folder calls an encoder.
`marker` is a path: where it exists afterwards, code of the folder ran.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

Maker = Callable[[Path, Path], object]

NAMES = (
    "attacker/model", "attacker-model", "all-MiniLM-L6-v2", "sentence-transformers/all-MiniLM-L6-v2", "bert-base-uncased",
    "{encoder}", "../encoder", "./encoder", "encoder", "~/encoder", "/proc/self/cwd/encoder", "/etc/passwd", "/dev/stdin", "/",
    ".", "..", "\\\\attacker\\share\\model", "//attacker/share/model", "file://{encoder}", "{url}/attacker/model",
    "https://huggingface.co/attacker/model", "hf://attacker/model", "s3://attacker/model", "attacker/model@main",
    "attacker/model/deeper", "attacker/model\n", " attacker/model", "attacker\u202e/model", "$HOME/encoder", "a" * 5_000, "models--attacker--model",
)  # fmt: skip


def code(marker: Path) -> str:
    return f"import os\nos.mkdir({str(marker)!r})\nclass Model:\n    load = from_pretrained = staticmethod(lambda *a, **k: None)\n"


def changed(file: str, **values: Any) -> Maker:
    """Keys of a JSON file, which is made where it is absent; "MARKER" in a text stands for the marker's path."""

    def make(folder: Path, marker: Path) -> None:
        path = folder / file
        path.parent.mkdir(exist_ok=True)
        value = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps({**value, **values}).replace("MARKER", str(marker)))

    return make


def module(kind: Any, path: Any = "", **more: Any) -> Maker:
    """Another module in the place of pooling."""

    def make(folder: Path, marker: Path) -> None:
        (folder / "modeling_x.py").write_text(code(marker))
        modules = json.loads((folder / "modules.json").read_text())
        modules[1] = {**modules[1], "type": kind, "path": path, **more}
        (folder / "modules.json").write_text(json.dumps(modules))

    return make


def auto_map(file: str, kind: str, where: str) -> Maker:
    def make(folder: Path, marker: Path) -> None:
        (folder / "modeling_x.py").write_text(code(marker))
        changed(file, auto_map={kind: where}, model_type="unknown-type", trust_remote_code=True)(folder, marker)

    return make


def dense(activation: str) -> Maker:
    def make(folder: Path, marker: Path) -> None:
        module(f"{OWN}.models.Dense", "2_Dense")(folder, marker)
        changed("2_Dense/config.json", in_features=64, out_features=8, activation_function=activation)(folder, marker)

    return make


def linked(file: str, to: str) -> Maker:
    def make(folder: Path, marker: Path) -> None:
        (folder / file).unlink(missing_ok=True)
        (folder / file).symlink_to(to)

    return make


def moved_out(folder: Path, marker: Path) -> None:
    shutil.move(folder / "model.safetensors", folder.parent / "outside")
    (folder / "model.safetensors").symlink_to(folder.parent / "outside")


def text(file: str, content: str) -> Maker:
    return lambda folder, marker: (folder / file).write_text(content)


BASE = {"base_model_name_or_path": "attacker/base", "peft_type": "LORA", "task_type": "FEATURE_EXTRACTION"}
OWN = "sentence_transformers"
BERT = "sentence_bert_config.json"
ENCODERS: dict[str, Maker] = {
    "Popen as module": module("subprocess.Popen"),
    "own code as module": module("modeling_x.Model"),
    "pickle by a back way": module(f"{OWN}.base.model.pickle"),
    "torch by a back way": module(f"{OWN}.base.model.torch", "model.safetensors"),
    "a module's function": module(f"{OWN}.util.file_io.snapshot_download"),
    "router": module(f"{OWN}.models.Router"),
    "no class": module(7),
    "path up": module(f"{OWN}.models.Pooling", "../.."),
    "path absolute": module(f"{OWN}.models.Pooling", "/etc"),
    "modules no list": text("modules.json", '{"0": "x"}'),
    "modules no JSON": text("modules.json", "[" * 100_000),
    "auto_map config": auto_map("config.json", "AutoModel", "modeling_x.Model"),
    "auto_map tokenizer": auto_map("tokenizer_config.json", "AutoTokenizer", "modeling_x.Model"),
    "auto_map deep": changed("config.json", text_config={"auto_map": {"AutoModel": "attacker/model--x.Model"}}),
    "custom pipelines": changed("config.json", custom_pipelines={"x": {"impl": "modeling_x.Model"}}),
    "adapter of a hub": changed("adapter_config.json", **BASE),
    "kernels": changed("config.json", _attn_implementation="kernels-community/flash-attn", attn_implementation="attacker/kernel"),
    "tokenizer of a hub": changed(BERT, tokenizer_name_or_path="attacker/tokenizer"),
    "arguments trust": changed(BERT, model_args={"trust_remote_code": True}, config_args={"trust_remote_code": True}),
    "arguments offload": changed(BERT, model_kwargs={"device_map": "auto", "offload_folder": "MARKER"}),
    "vocabulary by address": changed("tokenizer_config.json", vocab_file="https://attacker/vocab.txt"),
    "vocabulary by path": changed("tokenizer_config.json", vocab_file="/etc/passwd"),
    "dense by system": dense("os.system"),
    "dense by torch's hub": dense("torch.hub.load"),
    "link to passwd": linked("vocab.txt", "/etc/passwd"),
    "link of weights": moved_out,
    "link of a folder": linked("more", "/etc"),
    "config not UTF-8": lambda folder, marker: (folder / "config.json").write_bytes(b"\xff\xfe{}"),
}  # fmt: skip
