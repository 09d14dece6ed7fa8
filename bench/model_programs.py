"""Small programs that each run one model file of torchvision or timm on an example input."""

from __future__ import annotations

from typing import NamedTuple


class Program(NamedTuple):
    """`file`: of the model, with its package. `names`: what is imported from it. `shape`: of the input."""

    file: str
    names: str
    model: str
    shape: tuple[int, ...]

    @property
    def text(self) -> str:
        module = self.file.removesuffix(".py").replace("/", ".")
        return (
            f"import torch\n\nfrom {module} import {self.names}\n\nmodel = {self.model}\nmodel.eval()\n"
            f"with torch.no_grad():\n    scores = model(torch.randn{self.shape})\n"
        )


SMALL, IMAGE = (2, 3, 32, 32), (2, 3, 64, 64)
PROGRAMS = (
    Program(
        "torchvision/models/vgg.py",
        "VGG, cfgs, make_layers",
        "VGG(make_layers(cfgs['A']), num_classes=10)",
        IMAGE,
    ),
    Program(
        "torchvision/models/resnet.py",
        "Bottleneck, ResNet",
        "ResNet(Bottleneck, [1, 1, 1, 1], num_classes=10)",
        IMAGE,
    ),
    Program(
        "torchvision/models/inception.py",
        "Inception3",
        "Inception3(num_classes=10, aux_logits=False, init_weights=False)",
        (2, 3, 128, 128),
    ),
    Program(
        "torchvision/models/convnext.py",
        "CNBlockConfig, ConvNeXt",
        "ConvNeXt([CNBlockConfig(16, 32, 1), CNBlockConfig(32, None, 1)], num_classes=10)",
        IMAGE,
    ),
    Program(
        "torchvision/models/vision_transformer.py",
        "VisionTransformer",
        "VisionTransformer(32, 8, 2, 4, 48, 96, num_classes=10)",
        SMALL,
    ),
    Program(
        "torchvision/models/swin_transformer.py",
        "SwinTransformer",
        "SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=10)",
        IMAGE,
    ),
    Program(
        "timm/models/convmixer.py",
        "ConvMixer",
        "ConvMixer(16, 2, kernel_size=5, patch_size=4, num_classes=10)",
        SMALL,
    ),
    Program(
        "timm/models/mlp_mixer.py",
        "MlpMixer",
        "MlpMixer(num_classes=10, img_size=32, patch_size=8, num_blocks=2, embed_dim=48)",
        SMALL,
    ),
    Program(
        "timm/models/cait.py",
        "Cait",
        "Cait(img_size=32, patch_size=8, embed_dim=48, depth=2, num_heads=4, num_classes=10)",
        SMALL,
    ),
    Program(
        "timm/models/vision_transformer.py",
        "VisionTransformer",
        "VisionTransformer(img_size=32, patch_size=8, embed_dim=48, depth=2, num_heads=4, num_classes=10)",
        SMALL,
    ),
    Program(
        "timm/models/resnet.py",
        "BasicBlock, ResNet",
        "ResNet(BasicBlock, (1, 1, 1, 1), num_classes=10)",
        IMAGE,
    ),
    Program(
        "timm/models/xcit.py",
        "Xcit",
        "Xcit(img_size=32, patch_size=8, embed_dim=48, depth=2, num_heads=4, num_classes=10)",
        SMALL,
    ),
)
