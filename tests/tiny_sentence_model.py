"""A sentence-transformers model of two small layers with random weights."""

from __future__ import annotations

from pathlib import Path


def make_tiny_sentence_model(folder: Path) -> Path:
    """Its folder, `folder`/model; letters are its tokens. The transformer alone, without pooling, is in `folder`/plain."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    from transformers import BertConfig, BertModel, BertTokenizer

    torch.manual_seed(0)
    pieces = [*"abcdefghijklmnopqrstuvwxyz0123456789"]
    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *pieces, *(f"##{piece}" for piece in pieces)]
    (folder / "vocab.txt").write_text("\n".join(words), "utf-8")
    plain = folder / "plain"
    BertTokenizer(vocab=str(folder / "vocab.txt")).save_pretrained(plain)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=256,
        max_position_embeddings=80,
    )
    BertModel(config).save_pretrained(plain)
    transformer = Transformer(str(plain), max_seq_length=48)
    SentenceTransformer(modules=[transformer, Pooling(64)], device="cpu").save(str(folder / "model"))
    return folder / "model"
