"""A language model of two small layers that has learnt to vote, and files of it for llama.cpp.

Run as a script, `real_models.py FILE.gguf chat|embed`, it serves a model by llama.cpp's own server, prints its address, and
ends when its standard input closes.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

CHAT = (
    "{% for message in messages %}<|user|>{{ message['content'] }}<|end|>{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def make_language_model(folder: Path, lessons: Sequence[tuple[str, str]]) -> None:
    """Saves a Llama of 0.15 M weights that answers its lessons (what is asked, what to answer), and their tokenizer."""
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
    tokens, wanted = [], []
    for question, answer in lessons:
        asked = tokenizer(f"<|user|>{question}<|end|><|assistant|>")["input_ids"]
        answered = [*tokenizer(answer)["input_ids"], end]
        tokens.append(torch.tensor([*asked, *answered]))
        wanted.append(torch.tensor([-100] * len(asked) + answered))
    batch = {
        name: torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=padding)
        for name, rows, padding in (("input_ids", tokens, end), ("labels", wanted, -100))
    }
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(300):
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if loss.item() < 0.02:
            break
    else:
        raise AssertionError(f"the lessons were not learnt: {loss.item()}")
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)


def gguf_file(folder: Path, target: Path) -> Path:
    """A model of `make_language_model`, or a sentence encoder on BERT with mean pooling, as GGUF in float32."""
    import gguf
    from safetensors.numpy import load_file

    config, tokenizer = (json.loads((folder / f"{name}.json").read_text("utf-8")) for name in ("config", "tokenizer"))
    llama = config["model_type"] == "llama"
    heads, layers = config["num_attention_heads"], config["num_hidden_layers"]
    writer = gguf.GGUFWriter(str(target), "llama" if llama else "bert")
    writer.add_context_length(config["max_position_embeddings"])
    writer.add_embedding_length(config["hidden_size"])
    writer.add_block_count(layers)
    writer.add_feed_forward_length(config["intermediate_size"])
    writer.add_head_count(heads)
    if llama:
        writer.add_head_count_kv(heads)
        writer.add_layer_norm_rms_eps(config["rms_norm_eps"])
        writer.add_rope_dimension_count(config["hidden_size"] // heads)
        writer.add_rope_freq_base(config["rope_parameters"]["rope_theta"])
        writer.add_add_bos_token(False)
    else:
        writer.add_layer_norm_eps(config["layer_norm_eps"])
        writer.add_causal_attention(False)
        writer.add_pooling_type(gguf.PoolingType.MEAN)
        writer.add_token_type_count(2)
    control = {token["content"] for token in tokenizer["added_tokens"]}
    vocabulary = sorted(tokenizer["model"]["vocab"], key=tokenizer["model"]["vocab"].get)
    spelt = vocabulary if llama else [t if t in control else t[2:] if t[:2] == "##" else f"▁{t}" for t in vocabulary]
    kind = gguf.TokenType
    writer.add_tokenizer_model("gpt2" if llama else "bert")
    writer.add_tokenizer_pre("gpt-2" if llama else "default")
    writer.add_token_list(spelt)
    writer.add_token_types([kind.CONTROL if token in control else kind.NORMAL for token in vocabulary])
    gguf.SpecialVocab(folder, load_merges=llama).add_to_gguf(writer, quiet=True)
    names = gguf.get_tensor_name_map(gguf.MODEL_ARCH.LLAMA if llama else gguf.MODEL_ARCH.BERT, layers)
    for name, weights in load_file(folder / "model.safetensors").items():
        weights = weights.astype(np.float32)
        if name.endswith(("q_proj.weight", "k_proj.weight")):  # rotated in pairs of neighbours, not of halves
            weights = weights.reshape(heads, 2, -1, weights.shape[1]).swapaxes(1, 2).reshape(weights.shape)
        if known := names.get_name(name.removeprefix("bert."), try_suffixes=(".weight", ".bias")):
            writer.add_tensor(known, np.ascontiguousarray(weights))
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
