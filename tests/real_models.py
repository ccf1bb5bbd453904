"""A language model of two small layers that has learnt to vote, and files of it for llama.cpp.

Run as a script, `real_models.py FILE.gguf chat|embed`, it serves a model by llama.cpp's own server, prints its address, and
ends when its standard input closes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

CHAT = (
    "{% for message in messages %}<|user|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def make_language_model(folder: Path, lessons: Sequence[tuple[str, str]]) -> float:
    """Saves a Llama of 0.15 M random weights and, of its lessons (what is asked, what to answer), a tokenizer.

    It is trained until it answers each as it should, or, without answers, not at all. Returns the last loss.
    """
    import torch
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

    plain = Tokenizer(models.BPE())
    plain.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    plain.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=1000,
        special_tokens=["<|end|>", "<|user|>", "<|assistant|>"],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    plain.train_from_iterator([part for lesson in lessons for part in lesson], trainer)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=plain, eos_token="<|end|>", pad_token="<|end|>")
    tokenizer.chat_template = CHAT
    end = tokenizer.eos_token_id

    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=len(tokenizer), hidden_size=64, intermediate_size=128, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=4, max_position_embeddings=2048, bos_token_id=None, eos_token_id=end, pad_token_id=end,
    )  # fmt: skip
    model = LlamaForCausalLM(config)
    loss = float("inf")
    if any(answer for _, answer in lessons):
        asked = [tokenizer(f"<|user|>{question}<|end|><|assistant|>")["input_ids"] for question, _ in lessons]
        answers = [[*tokenizer(answer)["input_ids"], end] for _, answer in lessons]
        longest = max(len(q) + len(a) for q, a in zip(asked, answers, strict=True))
        tokens = torch.full((len(lessons), longest), end)
        wanted = torch.full((len(lessons), longest), -100)
        for row, (question, answer) in enumerate(zip(asked, answers, strict=True)):
            tokens[row, : len(question) + len(answer)] = torch.tensor([*question, *answer])
            wanted[row, len(question) : len(question) + len(answer)] = torch.tensor(answer)
        optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
        for _ in range(300):
            step = model(input_ids=tokens, labels=wanted).loss
            step.backward()
            optimizer.step()
            optimizer.zero_grad()
            if (loss := step.item()) < 0.02:
                break
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return loss


def llama_file(folder: Path, target: Path) -> Path:
    """The model of `make_language_model` as GGUF, in float32."""
    from gguf import GGUFWriter

    config = json.loads((folder / "config.json").read_text("utf-8"))
    heads = config["num_attention_heads"]
    writer = GGUFWriter(str(target), "llama")
    _add_sizes(writer, config)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
    writer.add_rope_dimension_count(config["hidden_size"] // heads)
    writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
    merges = _add_tokens(writer, folder, "gpt2", "gpt-2", lambda token: token)
    writer.add_token_merges([" ".join(merge) for merge in merges])
    writer.add_eos_token_id(config["eos_token_id"])
    writer.add_add_bos_token(False)
    writer.add_chat_template((folder / "chat_template.jinja").read_text("utf-8"))
    names = {
        "model.embed_tokens": "token_embd", "model.norm": "output_norm", "lm_head": "output", "model.layers": "blk",
        "self_attn.q_proj": "attn_q", "self_attn.k_proj": "attn_k", "self_attn.v_proj": "attn_v",
        "self_attn.o_proj": "attn_output", "mlp.gate_proj": "ffn_gate", "mlp.up_proj": "ffn_up",
        "mlp.down_proj": "ffn_down", "post_attention_layernorm": "ffn_norm", "input_layernorm": "attn_norm",
    }  # fmt: skip
    for name, weights in _weights(folder):
        if name.endswith(("q_proj.weight", "k_proj.weight")):  # rotated in pairs of neighbours, not of halves
            weights = weights.reshape(heads, 2, -1, weights.shape[1]).swapaxes(1, 2).reshape(weights.shape)
        writer.add_tensor(_renamed(name, names), np.ascontiguousarray(weights))
    return _written(writer, target)


def bert_file(folder: Path, target: Path) -> Path:
    """A sentence encoder on BERT, with mean pooling, as GGUF in float32."""
    from gguf import GGUFWriter, PoolingType

    config = json.loads((folder / "config.json").read_text("utf-8"))
    writer = GGUFWriter(str(target), "bert")
    _add_sizes(writer, config)
    writer.add_layer_norm_eps(config["layer_norm_eps"])
    writer.add_causal_attention(False)
    writer.add_pooling_type(PoolingType.MEAN)
    _add_tokens(writer, folder, "bert", "default", lambda t: t[2:] if t.startswith("##") else f"▁{t}")
    writer.add_token_type_count(2)
    vocabulary = json.loads((folder / "tokenizer.json").read_text("utf-8"))["model"]["vocab"]
    for add, token in (
        (writer.add_unk_token_id, "[UNK]"), (writer.add_sep_token_id, "[SEP]"), (writer.add_pad_token_id, "[PAD]"),
        (writer.add_bos_token_id, "[CLS]"), (writer.add_mask_token_id, "[MASK]"),
    ):  # fmt: skip
        add(vocabulary[token])
    names = {
        "embeddings.word_embeddings": "token_embd", "embeddings.position_embeddings": "position_embd",
        "embeddings.token_type_embeddings": "token_types", "embeddings.LayerNorm": "token_embd_norm",
        "encoder.layer": "blk", "attention.self.query": "attn_q", "attention.self.key": "attn_k",
        "attention.self.value": "attn_v", "attention.output.dense": "attn_output",
        "attention.output.LayerNorm": "attn_output_norm", "intermediate.dense": "ffn_up", "output.dense": "ffn_down",
        "output.LayerNorm": "layer_output_norm",
    }  # fmt: skip
    for name, weights in _weights(folder):
        if not name.startswith("pooler") and not name.endswith("position_ids"):
            writer.add_tensor(_renamed(name, names), weights)
    return _written(writer, target)


def _add_sizes(writer: Any, config: dict[str, Any]) -> None:
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(config["num_hidden_layers"])
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(config["num_attention_heads"])


def _add_tokens(writer: Any, folder: Path, kind: str, cut: str, spelt: Any) -> list[list[str]]:
    """Adds the vocabulary, with `spelt` of every token that is none of control; returns the merges, if it has any."""
    from gguf import TokenType

    tokenizer = json.loads((folder / "tokenizer.json").read_text("utf-8"))
    control = {token["content"] for token in tokenizer["added_tokens"]}
    vocabulary = sorted(tokenizer["model"]["vocab"], key=tokenizer["model"]["vocab"].get)
    writer.add_tokenizer_model(kind)
    writer.add_tokenizer_pre(cut)
    writer.add_token_list([token if token in control else spelt(token) for token in vocabulary])
    writer.add_token_types([TokenType.CONTROL if token in control else TokenType.NORMAL for token in vocabulary])
    return tokenizer["model"].get("merges", [])


def _weights(folder: Path) -> Iterable[tuple[str, np.ndarray]]:
    from safetensors.numpy import load_file

    for name, weights in load_file(folder / "model.safetensors").items():
        yield name.removeprefix("bert."), weights.astype(np.float32)


def _renamed(name: str, names: dict[str, str]) -> str:
    """The longest names first: one may end in another."""
    for part in sorted(names, key=len, reverse=True):
        name = name.replace(part, names[part])
    return name


def _written(writer: Any, target: Path) -> Path:
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return target


def serve(model: str, kind: str) -> None:
    import xllamacpp

    parameters = xllamacpp.CommonParams()
    parameters.model.path = model
    parameters.n_parallel = 2
    parameters.n_ctx = 4096 if kind == "chat" else 1024
    parameters.embedding = kind == "embed"
    parameters.warmup = False
    parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(parameters)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    serve(*sys.argv[1:])
