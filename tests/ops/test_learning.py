"""Calls that work only for one number of axes teach it; what else must agree, they teach too."""

from torchwise.domain.dim import Dim
from torchwise.domain.effects import Learn
from torchwise.domain.value import Const, Items, Num, Site, Tensor
from torchwise.ops import OPS, Given
from torchwise.ops.spec import Outcome

B, T, K = map(Dim.of, "BTK")
UNKNOWN = Tensor(id=Site("test", 1))


def outcome(path: str, **values) -> Outcome:
    found = OPS[path].returns(Given(values, {}, site=Site("test", 9)))
    assert isinstance(found, Outcome)
    return found


def learned(found: Outcome) -> list[tuple[Dim, ...]]:
    return [effect.shape for effect in found.effects if isinstance(effect, Learn)]


def test_permute_teaches_the_rank():
    order = Items(tuple(Num(Dim.of(axis)) for axis in (0, 2, 1)))
    found = outcome("Tensor.permute", input=UNKNOWN, dims=order)
    (shape,) = learned(found)
    assert len(shape) == 3
    assert found.result.shape == (shape[0], shape[2], shape[1])


def test_a_product_of_matrices_teaches_the_inner_length():
    found = outcome("torch.mm", input=UNKNOWN, mat2=Tensor((K, T)))
    ((rows, inner),) = learned(found)
    assert inner == K
    assert found.result.shape == (rows, T)


def test_a_batch_of_products_teaches_the_batch():
    found = outcome("torch.bmm", input=Tensor((B, T, K)), mat2=UNKNOWN)
    ((batch, inner, columns),) = learned(found)
    assert (batch, inner) == (B, K)
    assert found.result.shape == (B, T, columns)


def test_an_equation_teaches_what_its_letters_say():
    found = outcome(
        "torch.einsum", equation=Const("btk,kj->btj"), operands=Items((Tensor((B, T, K)), UNKNOWN))
    )
    ((inner, columns),) = learned(found)
    assert inner == K
    assert found.result.shape == (B, T, columns)


def test_nothing_is_learned_from_a_call_that_fails():
    found = outcome("torch.mm", input=UNKNOWN, mat2=Tensor((B, T, K)))
    assert found.broken
    assert not learned(found)


def test_nothing_is_learned_of_a_tensor_whose_shape_is_known():
    assert not learned(outcome("torch.mm", input=Tensor((B, K)), mat2=Tensor((K, T))))
