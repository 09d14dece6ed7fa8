"""The settings that a rule knows are those of torch."""

import inspect

import torch

from torchwise.rules.practice.backends_flags_misused import FLAGS, SETTINGS


def test_settings_are_those_of_torch() -> None:
    for module, names in SETTINGS.items():
        real = getattr(torch.backends, module)
        found = {
            n
            for n, v in vars(type(real)).items()
            if type(v).__name__ in ("ContextProp", "GenericContextProp")
        }
        assert set(names) >= found - {"depthwise_kernel"}, module
        assert all(hasattr(real, name) for name in names), module


def test_flags_take_these_arguments() -> None:
    for module, names in FLAGS.items():
        real = getattr(torch.backends, module) if module else torch.backends
        assert set(inspect.signature(real.flags).parameters) == set(names), module
