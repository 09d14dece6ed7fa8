"""Which calls are drawn: for each spelling, a function that draws arguments, and how strict the judge is."""

from collections.abc import Callable
from typing import Any

import torch

from tests.ops.draw import Draw

Arguments = tuple[list[Any], dict[str, Any]]
CALLS: dict[str, tuple[Callable[[Draw], Arguments], dict[str, bool]]] = {}


def calls(
    *paths: str, partial: bool = False, lenient: bool = False, symbols: bool = True
) -> Callable[[Any], Any]:
    """Says how to draw the arguments of these spellings. `partial`, `lenient`: see `judge`."""

    def note(draw: Callable[[Draw], Arguments]) -> Callable[[Draw], Arguments]:
        for path in paths:
            assert path not in CALLS, f"{path} is drawn twice"
            CALLS[path] = draw, {"partial": partial, "lenient": lenient, "symbols": symbols}
        return draw

    return note


def both(*names: str) -> list[str]:
    return [f"{home}.{name}" for name in names for home in ("torch", "Tensor")]


def alike(r: Draw, shape: tuple[int, ...]) -> Any:
    dtype = torch.float32 if r.maybe(0.8) else r.dtype()
    return r.tensor(shape, dtype)
