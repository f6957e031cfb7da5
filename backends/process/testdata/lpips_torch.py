"""Puts weights where torchvision looks for AlexNet's, so that LPIPS fetches none: they are drawn,
which two programs that use the same ones do not mind. TORCH_HOME is the folder that is given."""

import os
import sys

import torch
import torchvision

torch.manual_seed(1)
folder = f"{sys.argv[1]}/hub/checkpoints"
os.makedirs(folder)
url = torchvision.models.AlexNet_Weights.IMAGENET1K_V1.url
torch.save(torchvision.models.alexnet(weights=None).state_dict(),
           f"{folder}/{url.rsplit('/', 1)[1]}")
