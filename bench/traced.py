"""`python -m bench.traced MODEL_FILE PROGRAM OUT`: runs a program, and notes the shapes of all tensors that
the model file's assignments bind.

What the packages need but the models do not is stood in for: compiled operators of torchvision, hub clients.
"""

from __future__ import annotations

import ast
import json
import runpy
import sys
import types
from pathlib import Path
from typing import Any, ClassVar

ABSENT = ("huggingface_hub", "huggingface_hub.utils", "safetensors", "safetensors.torch")
Seen = dict[tuple[int, str], set[tuple[tuple[int, ...], str]]]


class Absent(types.ModuleType):
    """A module that has every name, each a class of its own."""

    __path__: ClassVar[list[str]] = []

    def __getattr__(self, name: str) -> type:
        if name.startswith("__"):
            raise AttributeError(name)
        return type(name, (), {})


def stand_in() -> Any:
    import torch

    for name in ABSENT:
        sys.modules.setdefault(name, Absent(name))
    library = torch.library.Library("torchvision", "DEF")
    for name in ("nms", "qnms"):
        library.define(f"{name}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    return library  # kept, or its operators go


def bound_names(text: str) -> dict[int, tuple[int, list[str]]]:
    """By the first line of each assignment: its last line, and the names that it binds."""
    out: dict[int, tuple[int, list[str]]] = {}
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            flat = [e for t in targets for e in (t.elts if isinstance(t, ast.Tuple | ast.List) else [t])]
            names = [t.id for t in flat if isinstance(t, ast.Name)]
            if names:
                out[node.lineno] = (node.end_lineno or node.lineno, names)
    return out


class Tracer:
    """Stateful: `sys.settrace` calls it for each line that runs."""

    def __init__(self, path: str):
        self.path, self.bound = path, bound_names(Path(path).read_text())
        self.seen: Seen = {}
        self.at: dict[int, int] = {}

    def __call__(self, frame: Any, event: str, arg: object) -> Any:
        return self.line if frame.f_code.co_filename == self.path else None

    def line(self, frame: Any, event: str, arg: object) -> Any:
        start = self.at.get(id(frame))
        left = event == "return" or (
            event == "line" and start is not None and not start <= frame.f_lineno <= self.bound[start][0]
        )
        if start is not None and left:
            self.keep(frame, self.at.pop(id(frame)))
        if event == "line" and frame.f_lineno in self.bound:
            self.at[id(frame)] = frame.f_lineno
        elif event == "exception":
            self.at.pop(id(frame), None)
        return self.line

    def keep(self, frame: Any, line: int) -> None:
        import torch

        for name in self.bound[line][1]:
            value = frame.f_locals.get(name)
            if isinstance(value, torch.Tensor):
                shape = (tuple(value.shape), str(value.dtype).removeprefix("torch."))
                self.seen.setdefault((line, name), set()).add(shape)


def main() -> None:
    model, program, out = sys.argv[1:]
    kept = stand_in()
    sys.path.insert(0, str(Path(program).parent))
    tracer = Tracer(model)
    sys.settrace(tracer)
    runpy.run_path(program)
    sys.settrace(None)
    seen = [[line, name, sorted(shapes)] for (line, name), shapes in tracer.seen.items()]
    Path(out).write_text(json.dumps(seen))
    del kept


if __name__ == "__main__":
    main()
