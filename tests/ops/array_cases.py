"""Expressions of numpy whose arrays come to torch with the shape and dtype that numpy gives them."""

SETUP = """import numpy as np
import torch

a = np.random.randn(6, 4)
f = a.astype(np.float32)
i = np.arange(6)
h = np.zeros((2, 3), dtype=np.int16)
b = np.ones((2, 3, 4), dtype=np.uint8)
c = np.ones((3, 3), dtype=np.complex64)
v = np.ones(4, dtype=np.float32)
flags = a > 0
s = a.mean()
w = np.float32(2)
n = i.sum()
rng = np.random.default_rng(0)
old = np.random.RandomState(0)
"""
# As they were first
FIRST = """
np.zeros(3)
np.ones((2, 3), dtype=np.float32)
np.full((2, 2), 1.5)
np.full(3, 7)
np.arange(2, 9, 3)
np.linspace(0, 1, 5)
np.eye(3)
np.array([[1, 2], [3, 4]])
np.array([1.5, 2])
np.array([True, False])
np.array([1, 2], dtype=np.float32)
np.zeros_like(f)
np.random.rand(2, 3)
np.random.normal(0, 1, size=(2, 5))
np.random.randint(0, 9, size=4)
rng.normal(size=(2, 3))
rng.random((2, 3))
rng.integers(0, 9, 4)
rng.uniform(-1, 1, size=3).astype(np.float32)
a * 2
f * 2.0
i * 0.5
i / 2
i // 2
a + f
f + i[:, None]
h + np.zeros(3, dtype=np.float32)
1 - f
a > 0
flags & flags
np.clip(f, 0, 1)
np.clip(i, 0.5, 2.5)
a.clip(0, 1)
np.where(flags, 1, 0)
np.where(flags, f, 0.0)
np.where(i > 2, i, 0.5)
np.minimum(f, 0.5)
np.maximum(i, 0.5)
np.minimum(f, a)
np.digitize(f, [0.0, 1.0])
np.searchsorted(np.arange(4), i)
np.argsort(f, axis=1)
f.argsort()
f.round(2)
a @ a.T
f @ np.ones(4, dtype=np.float32)
np.dot(a.T, f)
a[0]
a[:, 1]
a[1:3, ::2]
a[i[:3]]
a[::-1].copy()
a.T.copy()
a.reshape(-1, 3)
np.reshape(a, (4, 6))
np.transpose(h)
h.transpose(1, 0)
np.expand_dims(f, 0)
f[None].squeeze(0)
a.flatten()
a.mean(axis=0)
i.mean(axis=0, keepdims=True)
f.sum(axis=1)
h.sum(axis=0)
np.max(f, axis=-1)
a.argmax(axis=1)
flags.any(axis=1)
np.concatenate([a, f])
np.stack([i, i], axis=1)
np.vstack([a, a])
np.hstack((f, f))
np.exp(i)
np.sqrt(f)
np.abs(h)
np.isnan(a)
np.cumsum(h, axis=0)
a.astype('float32')
flags.astype(int)
"""
# Numbers of numpy's, and what they do to arrays
NUMBERS = """
a.mean()
f.sum()
i[0]
a[0, 0]
f.max()
np.mean(f)
np.mean(i)
np.std(f)
s
w
n
s * f
f * s
w * f
w * a
n * f
f / n
2.0 * f
f / 2
3 / f
1 / i
len(i) * f
len(i) / i
i / len(i)
n / i
s + 1
w + 1
w + 1.5
w * 1j
s + w
n + 1
n / 2
n // 2
n % 4
-s
abs(w)
abs(n)
-f
-h
abs(h)
abs(c)
~flags
+i
s > 0
n == 3
f[0, 0] * f
f[0] * f[0, 0]
a[0, 0] * f
f.mean() * f
(f - f.mean()) / f.std()
(f - f.mean(0)) / f.std(0)
(f - a.mean()) / a.std()
(a - a.mean()).astype(np.float32)
f * float(a.mean())
f * a.mean().item()
f * i.sum().item()
f / np.sqrt(4)
f * np.sqrt(n)
f * np.pi
f * np.float64(2)
f * np.float32(2)
i * np.float32(2)
h * np.float32(2)
h * np.float16(2)
h + np.int64(1)
h + 1
h / 2
h // 2
h * 0.5
h + h
h + i[:3]
b + h[:, :, None]
b + np.uint16(3)
b * np.int8(1)
b / b
b - 1
flags + flags
flags * 1
flags * 1.0
flags & (a > 1)
flags ^ flags
c * f[:3, :3]
c * a[:3, :3]
c * 2
c + 1j
f + 1j
a + 1j
i + 1j
c * i[:3]
h.sum()
b.sum(axis=0)
flags.sum()
b.cumsum()
np.sum(f, dtype=np.float64)
np.mean(i, dtype=np.float32)
a.sum(keepdims=True)
np.max(b, axis=(0, 1), keepdims=True)
f.mean(axis=-1, keepdims=True)
i.sum(axis=0)
i.max(axis=0)
f[0].std(axis=0)
np.argmax(i)
np.argmax(f, axis=0, keepdims=True)
np.any(flags)
np.prod(h)
np.var(c)
"""
# Element by element
ELEMENTS = """
np.sqrt(b)
np.exp(h)
np.log(i + 1)
np.sqrt(2)
np.exp(1.5)
np.sqrt(s)
np.sqrt(w)
np.sin(flags)
np.abs(c)
np.absolute(h)
np.floor(a)
np.rint(i)
np.isnan(f)
np.square(h)
np.sign(f)
np.degrees(f)
np.deg2rad(i)
np.cbrt(f)
np.reciprocal(f)
np.sinh(h)
np.fabs(h)
np.nan_to_num(f)
np.nan_to_num(flags)
np.logical_not(a)
np.angle(c)
np.sinc(f)
np.sinc(b)
np.round(f, 2)
np.round(flags)
f.round()
np.add(f, 1)
np.add(f, [1.0, 2.0, 3.0, 4.0])
np.subtract(f, a)
np.multiply(f, i[:4])
np.divide(h, h)
np.true_divide(i, 2)
np.power(f, 2)
np.power(h, 2.0)
np.mod(i, 4)
np.fmod(h, 2)
np.floor_divide(i, 2.0)
np.fmax(f, 0)
np.fmin(i, 1.5)
np.maximum(f, 0.0)
np.maximum(f, s)
np.minimum(b, 3)
np.arctan2(f, f)
np.arctan2(h, h)
np.hypot(f, i[:4])
np.hypot(3.0, 4.0)
np.logaddexp(i, i)
np.greater(f, 0)
np.less(i, 3)
np.equal(i, i)
np.not_equal(f, a)
np.greater_equal(f, 1)
np.less_equal(s, 1)
np.logical_and(flags, a > 1)
np.logical_or(a, flags)
np.logical_xor(flags, flags)
np.isclose(f, a)
np.allclose(f, a)
np.array_equal(f, a)
"""
# New arrays, choices, and what torch makes of them
MADE = """
np.zeros((2, 2), dtype="float32")
np.zeros(3, dtype="int")
np.ones(3, "f4")
np.full((2, 3), w)
np.full((2, 3), s)
np.full((2, 3), n)
np.full((2, 3), [1, 2, 3])
np.array([s, 1.0])
np.array([w, w])
np.array([w, 1.0])
np.array([n, 2])
np.array([f[0], f[1]])
np.array([f[0], a[1]])
np.array([[1, 2.5], [3, 4]])
np.array(3.5)
np.array(s)
np.array(f, dtype="float64")
np.array(f.T)
np.array(f[:, ::2])
np.asarray(f.T)
np.ascontiguousarray(f.T)
np.ascontiguousarray(s)
f.T.copy()
np.copy(f.T)
np.copy(f)
f.T.astype(np.float64)
np.zeros_like(f.T)
np.zeros_like([1, 2])
np.zeros_like(f, shape=(2, 2))
np.full_like(i, 1.5)
np.ones_like(h, dtype=np.float32)
f.T * 2
f.T + a.T
f.T + i[:4, None]
np.linspace(a[0], a[1], 7)
np.linspace(0, s)
np.geomspace(1, 100, 3)
np.logspace(0, 1, 4)
np.tri(3)
np.tri(2, 3, dtype=np.float32)
np.identity(3)
np.where(flags, f, 0)
np.where(flags, f, s)
np.where(flags, w, 0)
np.where(a > 0, 1, 0.5)
np.where(flags, i[:4], 0.5)
np.clip(h, 0, 2)
np.clip(f, None, s)
np.clip(i, 0, 1.5)
f.clip(min=0)
f.item(0)
f.size * f
torch.tensor([s, 1.0])
torch.tensor([w, w])
torch.tensor([f[0], f[1]])
torch.tensor([a[0], a[1]])
torch.tensor(a.mean())
torch.tensor(n)
torch.ones(3) * s
s * torch.ones(3)
torch.ones(3, dtype=torch.int64) * n
torch.full((2,), s)
torch.tensor([n, 1.0])
round(s, 2)
round(s)
sum([s, s])
sum([1, n])
int(s)
float(w)
np.float32(f)
np.float32(3)
np.int64(s)
np.float64([1, 2])
"""
# By their place or value
PICKED = """
np.sort(f, axis=None)
np.sort(f)
np.argsort(f, axis=None)
np.digitize(1.5, [1.0, 2.0])
np.searchsorted(i, 3)
np.searchsorted(i, [1, 2])
i.searchsorted([1, 2])
np.partition(f, 1)
np.argpartition(f, 2, axis=0)
f.argpartition(2)
np.take(f, [0, 2], axis=0)
np.take(f, i[:3], axis=1)
np.take(f, 3)
np.take(f, [[1, 2]])
f.take([1, 2], axis=1)
f.take(0, axis=0)
np.take_along_axis(f, np.argsort(f, axis=1)[:, :2], axis=1)
np.select([flags, ~flags], [f, 0.0])
np.select([flags], [f], default=s)
np.select([i > 2, i < 1], [i, i * 2])
np.unique(i, return_inverse=True)[1]
np.isin(f, [1, 2])
np.isin(3, i)
np.triu_indices(4)[0]
np.tril_indices(4, -1)[1]
np.triu_indices(3, 1, 5)[0]
np.tril_indices(3, 1, 5)[0]
np.unravel_index(i, (2, 3))[0]
np.unravel_index(5, (2, 3))[1]
np.indices((2, 3))
np.indices((2, 3), dtype=np.float32)
"""
# As many as the values say: the other sizes are right
FOUND = """

"""
