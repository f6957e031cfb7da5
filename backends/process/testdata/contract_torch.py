"""Makes what backendtest's models compute as the files that the PyTorch runner runs."""

import os
import sys
from typing import Dict, Optional

import torch
from torch import Tensor

WIDTH = 64


def weights():
    """The weights of backendtest's layers."""
    i = torch.arange(WIDTH * WIDTH)
    return ((i * 7919 % 1000).to(torch.float32) / 1000 - 0.5).reshape(WIDTH, WIDTH)


class Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(weights())

    def forward(self, x):
        return torch.softmax(torch.relu(x @ self.w) @ self.w, -1)


class Arithmetic(torch.nn.Module):
    def forward(self, subtrahend, minuend):
        return subtrahend - minuend, minuend - subtrahend


class Constant(torch.nn.Module):
    def forward(self):
        return torch.tensor([1.0, 2.0, 3.0])


class Identity(torch.nn.Module):
    def forward(self, x):
        return x.clone()


class Any(torch.nn.Module):
    """All of them: what is asked for follows from the inputs, which come by place."""

    def __init__(self):
        super().__init__()
        self.layers = Layers()

    def forward(self, *inputs):
        if not inputs:
            return Constant()()
        if len(inputs) == 2:
            return Arithmetic()(*inputs)
        x, = inputs
        return self.layers(x) if x.dim() == 2 and x.shape[1] == WIDTH else x


class Scripted(torch.nn.Module):
    """All of them in TorchScript, by name."""

    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(weights())

    def forward(self, x: Optional[Tensor] = None, minuend: Optional[Tensor] = None,
                subtrahend: Optional[Tensor] = None) -> Dict[str, Tensor]:
        if minuend is not None and subtrahend is not None:
            return {"difference": minuend - subtrahend, "opposite": subtrahend - minuend}
        if x is None:
            return {"y": torch.tensor([1.0, 2.0, 3.0])}
        if x.dim() == 2 and x.size(1) == 64:
            return {"y": torch.softmax(torch.relu(x @ self.w) @ self.w, -1)}
        return {"y": x}


def exported(module, *example):
    """The module as an exported program whose sizes are free, but for those of the layers."""
    free = tuple({i: torch.export.Dim.DYNAMIC for i, n in enumerate(e.shape) if n == 2}
                 for e in example)
    return torch.export.export(module.eval(), example, dynamic_shapes=free)


if __name__ == "__main__":
    from contract_torch import Any  # so that the class is found where the module is read

    folder = sys.argv[1]
    for kind in ("module", "script", "program"):
        os.mkdir(f"{folder}/{kind}")
    torch.save(Any().eval(), f"{folder}/module/any.pt")
    torch.jit.script(Scripted().eval()).save(f"{folder}/script/any.pt")
    pairs = torch.zeros(2, 3), torch.zeros(2, 3)
    programs = {"arithmetic": exported(Arithmetic(), *pairs), "constant": exported(Constant()),
                "layers": exported(Layers(), torch.zeros(2, WIDTH))}
    for rank in range(5):
        programs[f"identity_float32_{rank}"] = exported(Identity(), torch.zeros((2,) * rank))
    for name, program in programs.items():
        torch.export.save(program, f"{folder}/program/{name}.pt2")
