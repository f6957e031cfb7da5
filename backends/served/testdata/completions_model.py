"""Writes a small Llama with random weights and a vocabulary of ASCII: completions_model.py OUT.gguf"""
import sys

import gguf
import numpy as np

WORDS, WIDTH, LAYERS, HEADS, INNER = 259, 64, 2, 2, 128
rng = np.random.default_rng(36)
w = gguf.GGUFWriter(sys.argv[1], "llama")
w.add_context_length(256)
w.add_embedding_length(WIDTH)
w.add_block_count(LAYERS)
w.add_feed_forward_length(INNER)
w.add_head_count(HEADS)
w.add_head_count_kv(HEADS)
w.add_rope_dimension_count(WIDTH // HEADS)
w.add_layer_norm_rms_eps(1e-5)
w.add_vocab_size(WORDS)
w.add_tokenizer_model("llama")
w.add_token_list(["<unk>", "<s>", "</s>"] + [f"w{n}" for n in range(WORDS - 3)])
w.add_token_scores([0.0] * WORDS)
kinds = gguf.TokenType
w.add_token_types([kinds.UNKNOWN, kinds.CONTROL, kinds.CONTROL] + [kinds.NORMAL] * (WORDS - 3))
w.add_bos_token_id(1)
w.add_eos_token_id(2)


def add(name, *shape, scale=None):
    scale = 1 / np.sqrt(shape[-1]) if scale is None else scale
    w.add_tensor(name, (rng.standard_normal(shape) * scale).astype(np.float32))


add("token_embd.weight", WORDS, WIDTH, scale=1)
add("output.weight", WORDS, WIDTH, scale=0.5)
w.add_tensor("output_norm.weight", np.ones(WIDTH, np.float32))
for i in range(LAYERS):
    for name in ["attn_norm", "ffn_norm"]:
        w.add_tensor(f"blk.{i}.{name}.weight", np.ones(WIDTH, np.float32))
    for name in ["attn_q", "attn_k", "attn_v", "attn_output"]:
        add(f"blk.{i}.{name}.weight", WIDTH, WIDTH)
    add(f"blk.{i}.ffn_gate.weight", INNER, WIDTH)
    add(f"blk.{i}.ffn_up.weight", INNER, WIDTH)
    add(f"blk.{i}.ffn_down.weight", WIDTH, INNER)
w.write_header_to_file()
w.write_kv_data_to_file()
w.write_tensors_to_file()
w.close()
