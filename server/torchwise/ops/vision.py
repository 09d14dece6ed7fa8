"""Models and transforms of torchvision, timm and transformers, as far as their constructors are certain.

A model is a module whose parameters are not known one by one, and whose results are not known.
"""

from __future__ import annotations

from torchwise.domain.value import ANY, Items, Many, Obj, Some, Tensor, Value
from torchwise.domain.verdict import FAILS, HOLDS
from torchwise.ops.layers import MODULE
from torchwise.ops.spec import Given, Made, Returns, op

DOCS = "https://docs.pytorch.org/vision/stable/"

MODELS = {
    # class in torchvision.models: the functions that make one
    "AlexNet": "alexnet",
    "VGG": "vgg11 vgg11_bn vgg13 vgg13_bn vgg16 vgg16_bn vgg19 vgg19_bn",
    "ResNet": "resnet18 resnet34 resnet50 resnet101 resnet152 resnext50_32x4d resnext101_32x8d "
    "resnext101_64x4d "
    "wide_resnet50_2 wide_resnet101_2",
    "SqueezeNet": "squeezenet1_0 squeezenet1_1",
    "DenseNet": "densenet121 densenet161 densenet169 densenet201",
    "MobileNetV2": "mobilenet_v2",
    "MobileNetV3": "mobilenet_v3_large mobilenet_v3_small",
    "ShuffleNetV2": "shufflenet_v2_x0_5 shufflenet_v2_x1_0 shufflenet_v2_x1_5 shufflenet_v2_x2_0",
    "MNASNet": "mnasnet0_5 mnasnet0_75 mnasnet1_0 mnasnet1_3",
    "EfficientNet": "efficientnet_b0 efficientnet_b1 efficientnet_b2 efficientnet_b3 efficientnet_b4 "
    "efficientnet_b5 "
    "efficientnet_b6 efficientnet_b7 efficientnet_v2_s efficientnet_v2_m efficientnet_v2_l",
    "RegNet": "regnet_y_400mf regnet_y_800mf regnet_y_1_6gf regnet_y_3_2gf regnet_y_8gf regnet_y_16gf "
    "regnet_x_400mf",
    "VisionTransformer": "vit_b_16 vit_b_32 vit_l_16 vit_l_32 vit_h_14",
    "SwinTransformer": "swin_t swin_s swin_b swin_v2_t swin_v2_s swin_v2_b",
    "ConvNeXt": "convnext_tiny convnext_small convnext_base convnext_large",
    "MaxVit": "maxvit_t",
}


def model(cls: str) -> Returns:
    return lambda given: Made(Obj(cls, {}, marks={"training": HOLDS, "opaque": True}, bases=(MODULE,)))


def kept(cls: str, *bases: str) -> Returns:
    """An object that keeps its arguments."""
    return lambda given: Made(Obj(cls, dict(given.values), bases=bases))


def _evaluated(cls: str) -> Returns:
    """`from_pretrained` hands out a model in eval mode."""
    return lambda given: Made(Obj(cls, {}, marks={"training": FAILS, "opaque": True}, bases=(MODULE,)))


for _cls, _functions in MODELS.items():
    for _name in _functions.split():
        _module = _cls.lower()
        op(
            f"torchvision.models.{_name}",
            f"torchvision.models.{_module}.{_name}",
            params="weights progress num_classes pretrained",
            returns=model(f"torchvision.models.{_cls}"),
            grad="cut",
            tags="model pure",
            source=f"{DOCS}models.html",
        )
for _name in ("inception_v3", "googlenet"):  # results differ between training and evaluation
    op(
        f"torchvision.models.{_name}",
        params="weights progress transform_input aux_logits",
        grad="cut",
        tags="model pure",
        returns=model(f"torchvision.models.{_name}"),
        source=f"{DOCS}models.html",
    )
for _family, _names in (
    (
        "segmentation",
        "fcn_resnet50 fcn_resnet101 deeplabv3_resnet50 deeplabv3_resnet101 lraspp_mobilenet_v3_large",
    ),
    (
        "detection",
        "fasterrcnn_resnet50_fpn maskrcnn_resnet50_fpn retinanet_resnet50_fpn ssd300_vgg16 fcos_resnet50_fpn",
    ),
    ("video", "r3d_18 mc3_18 r2plus1d_18 s3d"),
):
    for _name in _names.split():
        op(
            f"torchvision.models.{_family}.{_name}",
            params="weights progress num_classes weights_backbone",
            grad="cut",
            returns=model(f"torchvision.models.{_family}.{_name}"),
            tags="model pure",
            source=f"{DOCS}models.html",
        )
op(
    "torchvision.models.get_model",
    params="name",
    returns=model("torchvision.models.Model"),
    grad="cut",
    tags="model pure",
    source=f"{DOCS}models.html",
)
op(
    "timm.create_model",
    "timm.models.create_model",
    params="model_name pretrained",
    grad="cut",
    tags="model pure",
    returns=model("timm.models.Model"),
    source="https://huggingface.co/docs/timm",
)

# transformers: models come in eval mode; tokenizers and configurations are no modules.
TASKS = (
    "Model ModelForCausalLM ModelForSequenceClassification ModelForTokenClassification "
    "ModelForQuestionAnswering "
    "ModelForMaskedLM ModelForSeq2SeqLM ModelForImageClassification ModelForMultipleChoice ModelForVision2Seq"
)
for _task in TASKS.split():
    _cls = f"transformers.Auto{_task}"
    op(
        f"{_cls}.from_pretrained",
        params="pretrained_model_name_or_path",
        returns=_evaluated(_cls),
        grad="cut",
        tags="model pure",
        source="https://huggingface.co/docs/transformers/model_doc/auto",
    )
for _family in ("Bert", "Roberta", "DistilBert", "GPT2", "T5", "ViT", "Wav2Vec2", "CLIP", "Whisper", "Llama"):
    _cls = f"transformers.{_family}Model"
    op(
        f"{_cls}.from_pretrained",
        params="pretrained_model_name_or_path",
        returns=_evaluated(_cls),
        grad="cut",
        tags="model pure",
        source="https://huggingface.co/docs/transformers",
    )


# Transforms

TRANSFORMS = (
    "ToTensor Normalize Resize CenterCrop RandomCrop RandomResizedCrop RandomHorizontalFlip "
    "RandomVerticalFlip RandomRotation "
    "ColorJitter Grayscale RandomErasing ToPILImage Pad RandomAffine GaussianBlur AutoAugment "
    "RandAugment TrivialAugmentWide "
    "Lambda RandomApply ConvertImageDtype RandomGrayscale RandomPerspective"
)
for _name in TRANSFORMS.split():
    for _package in ("torchvision.transforms", "torchvision.transforms.v2"):
        _path = f"{_package}.{_name}"
        op(
            _path,
            params="*args",
            returns=kept(_path),
            grad="cut",
            tags="transform pure",
            source=f"{DOCS}transforms.html",
        )
for _package in ("torchvision.transforms", "torchvision.transforms.v2"):
    op(
        f"{_package}.Compose",
        params="transforms",
        grad="cut",
        tags="transform pure",
        source=f"{DOCS}transforms.html",
        returns=kept(f"{_package}.Compose"),
    )
for _name in ("ToImage", "ToDtype"):
    op(
        f"torchvision.transforms.v2.{_name}",
        params="dtype scale",
        grad="cut",
        tags="transform pure",
        returns=kept(f"torchvision.transforms.v2.{_name}"),
        source=f"{DOCS}transforms.html",
    )

# Datasets of torchvision

DATASETS = {
    "MNIST": "root train transform target_transform download",
    "FashionMNIST": "root train transform target_transform download",
    "KMNIST": "root train transform target_transform download",
    "EMNIST": "root split",
    "CIFAR10": "root train transform target_transform download",
    "CIFAR100": "root train transform target_transform download",
    "SVHN": "root split transform target_transform download",
    "STL10": "root split folds transform target_transform download",
    "ImageFolder": "root transform target_transform loader is_valid_file",
    "DatasetFolder": "root loader extensions transform target_transform is_valid_file",
    "ImageNet": "root split",
    "CocoDetection": "root annFile transform target_transform transforms",
    "FakeData": "size image_size num_classes transform target_transform",
}
for _name, _params in DATASETS.items():
    _path = f"torchvision.datasets.{_name}"
    op(
        _path,
        params=_params,
        grad="cut",
        tags="data pure",
        source=f"{DOCS}datasets.html",
        returns=kept(_path, "torch.utils.data.Dataset"),
    )


def _picture(given: Given) -> Value:
    """Only that it is a pair is certain; the transform decides what the picture is."""
    return Items((ANY, Some("int")))


for _name in DATASETS:
    if _name != "CocoDetection":
        op(
            f"torchvision.datasets.{_name}.__getitem__",
            params="self index",
            returns=_picture,
            grad="cut",
            tags="pure",
            source=f"{DOCS}datasets.html",
        )
for _name, _params in (("make_grid", "tensor nrow padding normalize"), ("save_image", "tensor fp nrow")):
    op(
        f"torchvision.utils.{_name}",
        params=_params,
        returns=lambda given: Tensor(),
        grad="cut",
        tags="pure",
        source=f"{DOCS}utils.html",
    )
__all__ = ["Many"]
