"""torch.einsum: an equation says which axes operands share, and which of them the result keeps."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain

from torchwise.domain.device import same_device
from torchwise.domain.dim import Dim
from torchwise.domain.dtype import promote
from torchwise.domain.effects import Effect
from torchwise.domain.shape import Shape, broadcast
from torchwise.domain.value import Const, Items, Pointer, Tensor, Value
from torchwise.ops.learning import of_sizes
from torchwise.ops.matmul import product_dtype
from torchwise.ops.rows import Answer, function
from torchwise.ops.spec import Broken, Given, Outcome
from torchwise.ops.views import refused
from torchwise.record import record

DOTS = "..."


@record
class Equation:
    """The letters of each operand and of the result; "..." stands for any number of axes."""

    inputs: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]
    wrong: str = ""  # why it is no equation


@lru_cache(512)
def parsed(text: str) -> Equation:
    left, arrow, right = text.replace(" ", "").partition("->")
    inputs = tuple(map(letters, left.split(",")))
    used = [letter for term in inputs for letter in term]
    if arrow:
        output = letters(right)
    else:  # the letters that stand once, in the order of the alphabet, behind the dots
        once = sorted(letter for letter in set(used) if used.count(letter) == 1 and letter != DOTS)
        output = ((DOTS,) if DOTS in used else ()) + tuple(once)
    return Equation(inputs, output, _fault(inputs, output, set(used)))


def letters(term: str) -> tuple[str, ...]:
    parts = term.split(DOTS)
    out: list[str] = list(parts[0])
    for part in parts[1:]:
        out += [DOTS, *part]
    return tuple(out)


def _fault(inputs: tuple[tuple[str, ...], ...], output: tuple[str, ...], used: set[str]) -> str:
    for letter in (*used, *output):
        if letter != DOTS and not (letter.isascii() and letter.isalpha()):
            return f"`{letter}` is no letter"
    if any(term.count(DOTS) > 1 for term in (*inputs, output)):
        return "an operand has `...` twice"
    for letter in output:
        if output.count(letter) > 1:
            return f"the result has `{letter}` twice"
        if letter not in used and letter != DOTS:
            return f"the result has `{letter}`, which no operand has"
    return ""


def _einsum(given: Given) -> Answer:
    value = given["equation"]
    if not isinstance(value, Const) or not isinstance(value.value, str):
        return Tensor()
    equation = parsed(value.value)
    if equation.wrong:
        return refused(Broken("einsum", "equation", got=value.value, message=equation.wrong))
    operands = _operands(given)
    return Tensor() if operands is None else contracted(given, equation, operands)


def contracted(given: Given, equation: Equation, operands: Sequence[Value]) -> Answer:
    """What operands make under an equation, and what it teaches of those whose shape is unknown."""
    if len(operands) != len(equation.inputs):
        wanted, got = f"{len(equation.inputs)} operands", f"{len(operands)} operands"
        return refused(Broken("einsum", "operands", wanted=wanted, got=got))
    if not all(isinstance(x, Tensor) for x in operands):
        return Tensor()
    tensors = [x for x in operands if isinstance(x, Tensor)]
    lengths: dict[str, Dim] = {}
    stars: list[Shape] = []
    for number, (term, x) in enumerate(zip(equation.inputs, tensors)):
        broken = None if x.shape is None else _read(term, x, str(number), lengths, stars)
        if broken is not None:
            return refused(broken)
    taught: tuple[Effect, ...] = ()
    for number, (term, x) in enumerate(zip(equation.inputs, tensors)):
        if x.shape is None and DOTS not in term:
            sizes = tuple(lengths.setdefault(n, given.fresh(f"einsum-{n}")) for n in term)
            tensors[number], lesson = of_sizes(given, f"operand{number}", x, sizes)
            taught += lesson
    found = _result(given, equation, tensors, lengths, stars)
    return Outcome(found.result, found.broken, () if found.broken else taught)


def _operands(given: Given) -> tuple[Value, ...] | None:
    """einsum(equation, a, b) or einsum(equation, [a, b])."""
    items = given.list("operands")
    if items is not None and len(items) == 1 and isinstance(items[0], Items | Pointer):
        inner = Given({"operands": items[0]}, given.heap)
        return inner.list("operands")
    if items is None and isinstance(given["operands"], Tensor):
        return (given["operands"],)
    return items


def _read(
    term: tuple[str, ...], x: Tensor, number: str, lengths: dict[str, Dim], stars: list[Shape]
) -> Broken | None:
    """Takes down the lengths of one operand's axes."""
    shape = x.shape or ()
    named = len(term) - (DOTS in term)
    if len(shape) < named or (len(shape) > named and DOTS not in term):
        wanted = f"{named}-d" + (" or more" if DOTS in term else "")
        return Broken("rank", "operands", number, wanted, f"{len(shape)}-d", x)
    at = 0
    for letter in term:
        if letter == DOTS:
            width = len(shape) - named
            stars.append(shape[at : at + width])
            at += width
            continue
        size, known = shape[at], lengths.get(letter)
        at += 1
        if known is None or known.number == 1:
            lengths[letter] = size
        elif known != size and size.number != 1:
            if known.same_as(size).fails and not (known.same_as(1).unknown or size.same_as(1).unknown):
                return Broken("axis", "operands", letter, known, size, x)
            if known.number is None and (size.number is not None or known.hidden):
                lengths[letter] = size
    return None


def contracts(equation: Equation) -> bool:
    """Whether an axis that operands share is summed over: a matrix product, of one dtype."""
    shared = [n for n in set(chain(*equation.inputs)) if sum(n in term for term in equation.inputs) > 1]
    return any(n not in equation.output for n in shared)


def _result(
    given: Given, equation: Equation, tensors: list[Tensor], lengths: dict[str, Dim], stars: list[Shape]
) -> Outcome:
    dtype, device = tensors[0].dtype, tensors[0].device
    broken: tuple[Broken, ...] = ()
    for x in tensors[1:]:
        if not contracts(equation) and not given.regions:  # a plain product, which promotes
            dtype = promote(dtype, x.dtype) if dtype and x.dtype else None
        else:
            found, clash = product_dtype(given, tensors[0], x, "operands")
            dtype, broken = (found if found == dtype or given.regions else None), (*broken, *clash)
        device = device if same_device(device, x.device) else None
    shape: Shape | None = None
    star: Shape = ()
    if all(x.shape is not None for x in tensors):
        star, apart = broadcast(stars) if stars else ((), None)
        if apart is not None:
            axis, wanted, got = apart
            return refused(*broken, Broken("broadcast", "operands", str(axis), wanted, got))
        shape = ()
        for letter in equation.output:
            shape += star if letter == DOTS else (lengths[letter],)
    elif DOTS not in equation.output:
        shape = tuple(lengths[n] if n in lengths else given.fresh(f"einsum-{n}") for n in equation.output)
    return Outcome(Tensor(shape, () if shape == () else None, dtype, device), broken)


function("torch.einsum", "equation *operands", _einsum)
