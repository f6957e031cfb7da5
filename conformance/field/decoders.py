"""Decoders of transformers with their caches, for the specs of decode/.

decoders.py FOLDER writes gpt2.onnx, llama.onnx and t5.onnx, each with random weights, two layers
and a width of 32, and one file of what PyTorch itself answers: NAME.npz. It runs in the environment
of make/torch.txt: PyTorch 2.15.0, transformers 5.23.0, onnx 1.23.2.
"""

import pathlib
import sys
import warnings

import numpy as np
import onnx
import torch
from onnx import TensorProto, helper
from torch import nn
from transformers import (
    GPT2Config, GPT2LMHeadModel, LlamaConfig, LlamaForCausalLM, T5Config,
    T5ForConditionalGeneration)
from transformers.cache_utils import DynamicCache, EncoderDecoderCache

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "make"))
from common import seed, tidy  # noqa: E402
from torches import enliven  # noqa: E402

warnings.filterwarnings("ignore")
layers, vocabulary = 2, 60


def names(pattern, parts=("key", "value")):
    return [pattern % (i, p) for i in range(layers) for p in parts]


def cache_of(flat):
    cache = DynamicCache()
    for i in range(layers):
        cache.update(flat[2 * i], flat[2 * i + 1], i)
    return cache


def tensors(cache):
    return [t for layer in cache.layers for t in (layer.keys, layer.values)]


class Causal(nn.Module):
    """A decoder by its past and present, as Hugging Face's exporter names them."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, input_ids, attention_mask, position_ids, *past):
        out = self.model(
            input_ids=input_ids, attention_mask=attention_mask, position_ids=position_ids,
            past_key_values=cache_of(past), use_cache=True)
        return (out.logits, *tensors(out.past_key_values))


def causal(folder, name, model, heads, size):
    model = enliven(Causal(model))
    ids = torch.randint(1, vocabulary, (2, 3))
    mask = torch.ones(2, 8, dtype=torch.int64)
    positions = torch.arange(5, 8).repeat(2, 1)
    past = [torch.randn(2, heads, 5, size) for _ in range(2 * layers)]
    pasts, presents = names("past_key_values.%d.%s"), names("present.%d.%s")
    axes = {"input_ids": {0: "batch", 1: "sequence"}, "attention_mask": {0: "batch", 1: "total"},
            "position_ids": {0: "batch", 1: "sequence"}, "logits": {0: "batch", 1: "sequence"}}
    axes.update({p: {0: "batch", 2: "past"} for p in pasts})
    axes.update({p: {0: "batch", 2: "total"} for p in presents})
    path = folder / f"{name}.onnx"
    with torch.no_grad():
        torch.onnx.export(
            model, (ids, mask, positions, *past), str(path), dynamo=False, opset_version=17,
            input_names=["input_ids", "attention_mask", "position_ids", *pasts],
            output_names=["logits", *presents], dynamic_axes=axes)
        tidy(str(path))
        ids = torch.randint(1, vocabulary, (2, 12))
        out = model.model(input_ids=ids, attention_mask=torch.ones_like(ids), use_cache=True)
    answers = dict(zip(presents, tensors(out.past_key_values)))
    np.savez(folder / f"{name}.npz", input_ids=ids.numpy(), logits=out.logits.numpy(),
             **{k: v.numpy() for k, v in answers.items()})


def gpt2(folder):
    causal(folder, "gpt2", GPT2LMHeadModel(GPT2Config(
        vocab_size=vocabulary, n_positions=64, n_embd=32, n_layer=layers, n_head=2,
        initializer_range=0.15, attn_implementation="eager", bos_token_id=0, eos_token_id=0)),
        heads=2, size=16)


def llama(folder):
    causal(folder, "llama", LlamaForCausalLM(LlamaConfig(
        vocab_size=vocabulary, hidden_size=32, intermediate_size=64, num_hidden_layers=layers,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=64,
        initializer_range=0.15, attn_implementation="eager")), heads=2, size=8)


class First(nn.Module):
    """The first step of an encoder-decoder: no past; it makes the encoder's keys and values."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def run(self, cache, input_ids, encoder_attention_mask, encoder_hidden_states):
        hidden = self.model.decoder(
            input_ids=input_ids, encoder_hidden_states=encoder_hidden_states,
            encoder_attention_mask=encoder_attention_mask, past_key_values=cache, use_cache=True)
        state = hidden.last_hidden_state
        if self.model.config.scale_decoder_outputs:
            state = state * self.model.model_dim**-0.5
        cache = hidden.past_key_values
        return self.model.lm_head(state), cache

    def forward(self, input_ids, encoder_attention_mask, encoder_hidden_states):
        cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        logits, cache = self.run(
            cache, input_ids, encoder_attention_mask, encoder_hidden_states)
        return (logits, *tensors(cache.self_attention_cache), *tensors(cache.cross_attention_cache))


class Next(First):
    """The steps after the first: the encoder's keys and values stay."""

    def forward(self, input_ids, encoder_attention_mask, encoder_hidden_states, *past):
        half = len(past) // 2
        cache = EncoderDecoderCache(cache_of(past[:half]), cache_of(past[half:]))
        logits, cache = self.run(
            cache, input_ids, encoder_attention_mask, encoder_hidden_states)
        return (logits, *tensors(cache.self_attention_cache))


def t5(folder):
    model = T5ForConditionalGeneration(T5Config(
        vocab_size=vocabulary, d_model=32, d_kv=16, d_ff=64, num_layers=layers, num_heads=2,
        relative_attention_num_buckets=8, relative_attention_max_distance=20,
        decoder_start_token_id=0, attn_implementation="eager"))
    model = enliven(model)
    for p in model.parameters():
        if p.dim() > 1:
            nn.init.normal_(p, std=0.15)
    nn.init.normal_(model.decoder.block[0].layer[0].SelfAttention.relative_attention_bias.weight)
    ids, encoder = torch.randint(1, vocabulary, (2, 3)), torch.randn(2, 7, 32)
    mask = torch.ones(2, 7, dtype=torch.int64)
    own, cross = [torch.randn(2, 2, 5, 16) for _ in range(4)], [
        torch.randn(2, 2, 7, 16) for _ in range(4)]
    common = ["input_ids", "encoder_attention_mask", "encoder_hidden_states"]
    pasts = names("past_key_values.%d.decoder.%s") + names("past_key_values.%d.encoder.%s")
    presents = names("present.%d.decoder.%s") + names("present.%d.encoder.%s")
    axes = {"input_ids": {0: "batch", 1: "sequence"}, "logits": {0: "batch", 1: "sequence"},
            "encoder_attention_mask": {0: "batch", 1: "encoded"},
            "encoder_hidden_states": {0: "batch", 1: "encoded"}}
    axes.update({p: {0: "batch", 2: "encoded" if "encoder" in p else "past"} for p in pasts})
    axes.update({p: {0: "batch", 2: "encoded" if "encoder" in p else "total"} for p in presents})
    options = dict(dynamo=False, opset_version=17, dynamic_axes=axes)
    first, later = folder / "first.onnx", folder / "next.onnx"
    with torch.no_grad():
        torch.onnx.export(First(model).eval(), (ids, mask, encoder), str(first), input_names=common,
                          output_names=["logits", *presents], **options)
        torch.onnx.export(Next(model).eval(), (ids, mask, encoder, *own, *cross), str(later),
                          input_names=common + pasts, output_names=["logits", *presents[:4]],
                          **options)
        merge(first, later, folder / "t5.onnx", common + pasts, ["logits", *presents])
        tidy(str(folder / "t5.onnx"))
        ids = torch.randint(1, vocabulary, (2, 12))
        logits, *caches = First(model).eval()(ids, mask, encoder)
    first.unlink()
    later.unlink()
    np.savez(folder / "t5.npz", input_ids=ids.numpy(), encoder_attention_mask=mask.numpy(),
             encoder_hidden_states=encoder.numpy(), logits=logits.numpy(),
             **{k: v.numpy() for k, v in zip(presents, caches)})


def merge(first, later, path, inputs, outputs):
    """Put both steps into the branches of one If, as Hugging Face's merged decoders have it."""
    branches, shared = {}, {}
    declared = {}
    for side, file in {"else": first, "then": later}.items():
        model = onnx.load(file)
        graph = model.graph
        renamed = {}
        for weight in graph.initializer:
            key = (tuple(weight.dims), weight.data_type, weight.raw_data)
            if key not in shared:
                weight_name = weight.name
                if weight_name in {w.name for w in shared.values()}:
                    weight_name = f"{side}_{weight_name}"
                shared[key] = onnx.TensorProto()
                shared[key].CopyFrom(weight)
                shared[key].name = weight_name
            renamed[weight.name] = shared[key].name
        for value in graph.input:
            declared.setdefault(value.name, value)
        for value in graph.output:
            declared.setdefault(value.name, value)
        given = {v.name for v in graph.input}
        for node in graph.node:
            for i, name in enumerate(node.input):
                if name and name not in given:
                    node.input[i] = renamed.get(name, f"{side}/{name}")
            for i, name in enumerate(node.output):
                node.output[i] = f"{side}/{name}"
            node.name = f"{side}{node.name}"
        own = []
        for name in outputs:
            value = onnx.ValueInfoProto()
            value.CopyFrom(declared[name])
            if side == "then" and "encoder" in name:
                # The branch with a past gives an empty tensor: the encoder's cache stays.
                heads, size = (value.type.tensor_type.shape.dim[i].dim_value for i in (1, 3))
                empty = helper.make_tensor("", TensorProto.FLOAT, (0, heads, 1, size), [])
                graph.node.append(helper.make_node(
                    "Constant", [], [f"{side}/{name}"], value=empty))
                for i in (0, 2):
                    value.type.tensor_type.shape.dim[i].ClearField("dim_param")
            value.name = f"{side}/{name}"
            own.append(value)
        branches[side] = helper.make_graph(graph.node, side, [], own)
    use = helper.make_tensor_value_info("use_cache_branch", TensorProto.BOOL, [1])
    node = helper.make_node("If", ["use_cache_branch"], outputs, name="branches",
                            then_branch=branches["then"], else_branch=branches["else"])
    outs = []
    for name in outputs:
        value = onnx.ValueInfoProto()
        value.CopyFrom(declared[name])
        outs.append(value)
    graph = helper.make_graph([node], "decoder", [*(declared[n] for n in inputs), use], outs,
                              initializer=list(shared.values()))
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, path)


if __name__ == "__main__":
    out = pathlib.Path(sys.argv[1])
    for i, make in enumerate((gpt2, llama, t5)):
        seed()
        torch.manual_seed(31 + i)
        make(out)
        print(make.__name__, (out / f"{make.__name__}.onnx").stat().st_size, flush=True)
