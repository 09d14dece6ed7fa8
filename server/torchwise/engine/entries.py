"""What a file has compiled: its functions and classes that `torch.compile` is given."""

from __future__ import annotations

from collections.abc import Iterator

from torchwise.domain.value import Func
from torchwise.engine.placing import in_file
from torchwise.engine.reading import Run
from torchwise.findings import Location
from torchwise.flow.facts import Arg
from torchwise.project.program import Program
from torchwise.record import record

GIVEN = ("model", "self")  # what is compiled, as a function's or a method's argument


@record
class Entry:
    """`at` is its name in its `def` or `class`."""

    name: str
    at: Location


def entries(program: Program, runs: list[Run], path: str) -> list[Entry]:
    """Those that are defined in the file, in its order."""
    module = program.files[path].module
    found = {name for run in runs for name in _named(run, path)}
    return [
        Entry(name, in_file(module, path, span))
        for name in module.scopes
        if name in found and (span := module.name(name)) is not None
    ]


def _named(run: Run, path: str) -> Iterator[str]:
    for call in run.reading_with({}).calls_tagged("compiles"):
        for arg in (fact.args[given] for fact in call.facts for given in GIVEN if given in fact.args):
            file, _, name = _scope(arg).partition("::")
            if file == path:
                yield name


def _scope(arg: Arg) -> str:
    return arg.value.scope if isinstance(arg.value, Func) else arg.cls
