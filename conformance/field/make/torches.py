"""Models of PyTorch, torchvision and transformers, by both of PyTorch's exporters."""

import warnings

import numpy as np
import torch
from torch import nn

from common import Family, seed
import rewrite

warnings.filterwarnings("ignore")
torch.set_num_threads(1)
# The TorchScript exporter does not know the fast path's operator.
torch.backends.mha.set_fastpath_enabled(False)


def enliven(model):
    """Give normalisations statistics and affine weights that are not 0 and 1."""
    generator = torch.Generator().manual_seed(7)
    for m in model.modules():
        for name in ("weight", "bias", "running_mean", "running_var"):
            t = getattr(m, name, None)
            if not isinstance(t, torch.Tensor) or t.dim() != 1 or not t.is_floating_point():
                continue
            noise = torch.rand(t.shape, generator=generator)
            with torch.no_grad():
                if name in ("weight", "running_var"):
                    t.copy_(0.5 + noise)
                else:
                    t.copy_(0.4 * noise - 0.2)
    return model.eval()


def export(family, model, args, inputs, outputs, dynamic=None, opset=18):
    """Both exporters, each with and without its own optimisations."""
    ts = dict(input_names=inputs, output_names=outputs, dynamo=False)
    if dynamic:
        ts["dynamic_axes"] = dynamic
    done = {}
    with torch.no_grad():
        for variant, more in {
            "torchscript": dict(opset_version=17),
            "torchscript_unfolded": dict(
                opset_version=17, do_constant_folding=False,
                training=torch.onnx.TrainingMode.PRESERVE),
        }.items():
            done[variant] = family.attempt(
                variant, torch.onnx.export, model, args, family.path(variant), **ts, **more)
        for variant, more in {"dynamo": {}, "dynamo_plain": dict(optimize=False)}.items():
            done[variant] = family.attempt(
                variant, torch.onnx.export, model, args, family.path(variant),
                input_names=inputs, output_names=outputs, dynamo=True, opset_version=opset,
                external_data=False, verbose=False, **more)
    return done


def resnet(out):
    import torchvision
    from torchvision.models.resnet import BasicBlock

    class Narrow(torchvision.models.ResNet):
        """resnet18 with a sixteenth of its channels."""

        def __init__(self, width=4, classes=10):
            nn.Module.__init__(self)
            self._norm_layer, self.dilation, self.groups, self.base_width = nn.BatchNorm2d, 1, 1, 64
            self.inplanes = width
            self.conv1 = nn.Conv2d(3, width, 7, 2, 3, bias=False)
            self.bn1 = nn.BatchNorm2d(width)
            self.relu = nn.ReLU(inplace=True)
            self.maxpool = nn.MaxPool2d(3, 2, 1)
            self.layer1 = self._make_layer(BasicBlock, width, 2)
            self.layer2 = self._make_layer(BasicBlock, 2 * width, 2, stride=2)
            self.layer3 = self._make_layer(BasicBlock, 4 * width, 2, stride=2)
            self.layer4 = self._make_layer(BasicBlock, 8 * width, 2, stride=2)
            self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
            self.fc = nn.Linear(8 * width, classes)

    seed()
    torch.manual_seed(13)
    family = Family(out, "resnet")
    model = enliven(Narrow())
    x = torch.randn(2, 3, 64, 64)
    family.inputs(image=x.numpy())
    export(family, model, (x,), ["image"], ["logits"])
    rewrite.all(family, {"image": x.numpy()}, "torchscript", quantize=True)
    rewrite.all(family, {"image": x.numpy()}, "dynamo", quantize=False)


def mobilenet(out):
    import torchvision

    seed()
    torch.manual_seed(14)
    family = Family(out, "mobilenet")
    model = enliven(torchvision.models.mobilenet_v3_small(width_mult=0.25, num_classes=10))
    x = torch.randn(1, 3, 64, 64)
    family.inputs(image=x.numpy())
    export(family, model, (x,), ["image"], ["logits"])
    rewrite.all(family, {"image": x.numpy()}, "dynamo", quantize=True)


def squeezenet(out):
    import torchvision

    seed()
    torch.manual_seed(15)
    family = Family(out, "squeezenet")
    model = torchvision.models.squeezenet1_1(num_classes=10).eval()
    x = torch.randn(1, 3, 64, 64)
    family.inputs(image=x.numpy())
    export(family, model, (x,), ["image"], ["logits"])
    rewrite.all(family, {"image": x.numpy()}, "torchscript", quantize=False)


def vit(out):
    import torchvision

    seed()
    torch.manual_seed(16)
    family = Family(out, "vit")
    model = torchvision.models.VisionTransformer(
        image_size=32, patch_size=8, num_layers=2, num_heads=2, hidden_dim=32, mlp_dim=64,
        num_classes=10)
    nn.init.normal_(model.heads[0].weight, std=0.1)
    model = enliven(model)
    x = torch.randn(2, 3, 32, 32)
    family.inputs(image=x.numpy())
    export(family, model, (x,), ["image"], ["logits"])
    rewrite.all(family, {"image": x.numpy()}, "dynamo", quantize=False)


def lstm(out):
    class Tagger(nn.Module):
        """Embedding, two layers of LSTM in both directions, and a tag for each token."""

        def __init__(self):
            super().__init__()
            self.embed = nn.Embedding(50, 16)
            self.lstm = nn.LSTM(16, 12, num_layers=2, bidirectional=True, batch_first=True)
            self.norm = nn.LayerNorm(24)
            self.tags = nn.Linear(24, 7)

        def forward(self, tokens):
            return self.tags(self.norm(self.lstm(self.embed(tokens))[0]))

    seed()
    torch.manual_seed(17)
    family = Family(out, "lstm")
    model = enliven(Tagger())
    tokens = torch.randint(0, 50, (2, 9))
    family.inputs(tokens=tokens.numpy())
    export(family, model, (tokens,), ["tokens"], ["tags"])
    rewrite.all(family, {"tokens": tokens.numpy()}, "torchscript", quantize=False)


def bert(out):
    from transformers import BertConfig, BertForSequenceClassification

    class Plain(nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, input_ids, attention_mask):
            return self.model(input_ids=input_ids, attention_mask=attention_mask).logits

    seed()
    torch.manual_seed(18)
    family = Family(out, "bert")
    config = BertConfig(
        vocab_size=60, hidden_size=32, num_hidden_layers=2, num_attention_heads=2,
        intermediate_size=64, max_position_embeddings=32, num_labels=3, initializer_range=0.15,
        attn_implementation="eager")
    model = enliven(Plain(BertForSequenceClassification(config)))
    ids, mask = torch.randint(1, 60, (2, 12)), torch.ones(2, 12, dtype=torch.int64)
    mask[1, 9:] = 0
    inputs = {"input_ids": ids.numpy(), "attention_mask": mask.numpy()}
    family.inputs(**inputs)
    export(family, model, (ids, mask), list(inputs), ["logits"])
    for kind in ("dynamo", "torchscript"):
        rewrite.all(family, inputs, kind, quantize=False)
    rewrite.dynamic(family, "torchscript")
    rewrite.transformer(family, "torchscript", heads=2, hidden=32)


def decoder(out, name, make):
    class Plain(nn.Module):
        def __init__(self, model):
            super().__init__()
            self.model = model

        def forward(self, input_ids):
            # Without a mask, transformers looks for packed sequences with aten::diff, which the
            # TorchScript exporter does not know.
            mask = torch.ones_like(input_ids)
            return self.model(
                input_ids=input_ids, attention_mask=mask, use_cache=False).logits

    seed()
    torch.manual_seed(19)
    family = Family(out, name)
    model = enliven(Plain(make()))
    ids = torch.randint(1, 60, (2, 11))
    family.inputs(input_ids=ids.numpy())
    export(family, model, (ids,), ["input_ids"], ["logits"])
    rewrite.all(family, {"input_ids": ids.numpy()}, "dynamo", quantize=False)
    rewrite.dynamic(family, "torchscript")


def gpt2(out):
    from transformers import GPT2Config, GPT2LMHeadModel

    decoder(out, "gpt2", lambda: GPT2LMHeadModel(GPT2Config(
        vocab_size=60, n_positions=32, n_embd=32, n_layer=2, n_head=2, initializer_range=0.15,
        attn_implementation="eager", bos_token_id=0, eos_token_id=0)))


def llama(out):
    from transformers import LlamaConfig, LlamaForCausalLM

    decoder(out, "llama", lambda: LlamaForCausalLM(LlamaConfig(
        vocab_size=60, hidden_size=32, intermediate_size=64, num_hidden_layers=2,
        num_attention_heads=4, num_key_value_heads=2, max_position_embeddings=32,
        initializer_range=0.15, attn_implementation="eager")))


def detector(out):
    """SSD with its own anchors, decoding of boxes and NonMaxSuppression."""
    import torchvision
    from torchvision.models.detection.anchor_utils import DefaultBoxGenerator
    from torchvision.models.detection.ssd import SSD

    class Backbone(nn.Module):
        def __init__(self):
            super().__init__()
            self.out_channels = [8, 12]

            def block(i, o):
                return nn.Sequential(nn.Conv2d(i, o, 3, 2, 1), nn.BatchNorm2d(o), nn.ReLU())

            self.one = nn.Sequential(block(3, 8), block(8, 8), block(8, 8))
            self.two = block(8, 12)

        def forward(self, x):
            one = self.one(x)
            return {"0": one, "1": self.two(one)}

    class Plain(nn.Module):
        """Decodes by hand, as exporters' users do: one class, boxes above a score, NMS."""

        def __init__(self):
            super().__init__()
            self.backbone = Backbone()
            self.heads = nn.ModuleList([nn.Conv2d(8, 5, 3, 1, 1), nn.Conv2d(12, 5, 3, 1, 1)])
            grids = []
            for size, side in ((8, 8.0), (4, 16.0)):
                y, x = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="ij")
                centre = (torch.stack([x, y], -1).reshape(-1, 2) + 0.5) * side
                grids.append(torch.cat([centre, torch.full_like(centre, 2 * side)], 1))
            self.register_buffer("anchors", torch.cat(grids))

        def forward(self, image):
            maps = self.backbone(image)
            rows = torch.cat([
                h(m).permute(0, 2, 3, 1).reshape(-1, 5)
                for h, m in zip(self.heads, maps.values())])
            centre = self.anchors[:, :2] + rows[:, :2] * self.anchors[:, 2:] * 0.1
            size = self.anchors[:, 2:] * torch.exp(rows[:, 2:4] * 0.2)
            boxes = torch.cat([centre - size / 2, centre + size / 2], 1).clamp(0, 64)
            scores = torch.sigmoid(rows[:, 4])
            keep = torchvision.ops.nms(boxes, scores, 0.4)
            return boxes[keep], scores[keep]

    seed()
    torch.manual_seed(20)
    family = Family(out, "detector")
    model = enliven(Plain())
    x = torch.randn(1, 3, 64, 64)
    family.inputs(image=x.numpy())
    export(family, model, (x,), ["image"], ["boxes", "scores"])
    rewrite.all(family, {"image": x.numpy()}, "torchscript", quantize=False)

    torch.manual_seed(21)
    family = Family(out, "ssd")
    generator = DefaultBoxGenerator([[2], [2]], min_ratio=20, max_ratio=60)
    model = enliven(SSD(Backbone(), generator, (64, 64), 4, score_thresh=0.2,
                        detections_per_img=20, image_mean=[0.5] * 3, image_std=[0.3] * 3))
    x = torch.rand(3, 64, 64)
    family.inputs(image=x.numpy())
    for variant, opset in {"torchscript": 17, "torchscript_13": 13}.items():
        family.attempt(variant, torch.onnx.export, model, ([x],), family.path(variant),
                       input_names=["image"], output_names=["boxes", "scores", "labels"],
                       dynamo=False, opset_version=opset)
    rewrite.all(family, {"image": x.numpy()}, "torchscript", quantize=False)


makers = {f.__name__: f for f in (
    resnet, mobilenet, squeezenet, vit, lstm, bert, gpt2, llama, detector)}
