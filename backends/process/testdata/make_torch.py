"""Makes one small network as every kind of file that the PyTorch runner runs, and as ONNX."""

import sys

import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(1)
        self.conv = torch.nn.Conv2d(3, 4, 3, padding=1)
        self.norm = torch.nn.BatchNorm2d(4)
        self.drop = torch.nn.Dropout(0.5)  # shows whether the module evaluates
        self.head = torch.nn.Linear(4, 5)

    def forward(self, image, scale):
        x = torch.relu(self.norm(self.conv(image))) * scale
        x = self.drop(x.mean((2, 3)))
        return self.head(x), x


if __name__ == "__main__":
    from make_torch import Net  # so that the class is found where the module is read

    folder = sys.argv[1]
    net = Net().eval()
    example = (torch.zeros(2, 3, 8, 8), torch.ones(1))
    torch.save(net, f"{folder}/module.pt")
    torch.save(net.state_dict(), f"{folder}/weights.pt")
    torch.jit.script(net).save(f"{folder}/script.pt")
    batch = torch.export.Dim("batch", min=1, max=64)
    torch.export.save(torch.export.export(net, example, dynamic_shapes=({0: batch}, None)),
                      f"{folder}/program.pt2")
