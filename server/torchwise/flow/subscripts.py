"""Items between brackets, and operators: of both a class of the project may say what they do."""

from __future__ import annotations

from torchwise.domain.value import ANY, Any, Const, Func, Method, Named, Pointer, Site, Tensor, Value, Wrapped
from torchwise.flow.functions import call_function
from torchwise.flow.names import plain_subject
from torchwise.flow.objects import Paths, attribute, find_method
from torchwise.flow.opcalls import Args, call_op
from torchwise.flow.run import Run, handles
from torchwise.flow.state import State
from torchwise.flow.unheld import note_regrouped
from torchwise.ir import nodes as ir
from torchwise.ops import OPS


@handles(ir.Index)
def _index(run: Run, it: ir.Index, state: State) -> list[State]:
    base = state.current(state.regs.get(it.base, ANY))
    index = state.current(state.regs.get(it.index, ANY))
    args = Args(((it.base, base), (it.index, index)))
    note_regrouped(state, base, index)
    paths = _item_call(run, state, base, "__getitem__", "operator.getitem", args, it.out)
    for one, value in paths:
        one.regs[it.out] = value = one.current(value)
        if isinstance(value, Tensor):
            run.note(it.out, value)
    return [one for one, _ in paths]


@handles(ir.SetIndex)
def _set_index(run: Run, it: ir.SetIndex, state: State) -> list[State]:
    base = state.current(state.regs.get(it.base, ANY))
    index, value = (state.current(state.regs.get(r, ANY)) for r in (it.index, it.value))
    args = Args(((it.base, base), (it.index, index), (it.value, value)))
    note_regrouped(state, base, index)
    if isinstance(base, Pointer | Tensor):
        return [
            one for one, _ in _item_call(run, state, base, "__setitem__", "operator.setitem", args, it.out)
        ]
    if isinstance(base, Named) and isinstance(index, Const):
        run.event("item-put", it.out, state, (), plain_subject(value), f"{base.path}[{index.value}]")
    return [state]


def _item_call(
    run: Run, state: State, base: Value, dunder_: str, operator: str, args: Args, ref: int
) -> Paths:
    from torchwise.flow.calls import call

    obj = state.obj(base)
    if obj is not None and obj.cls not in ("list", "dict", "set"):
        method = attribute(run, state, base, dunder_, ref)
        if isinstance(method, Func | Method | Wrapped):
            return call(run, state, method, Args(args.positional[1:]), ref, run.site(ref))
        return [(state, ANY)]
    op = OPS.get(operator)
    if op is None or isinstance(base, Any | Named):
        return [(state, ANY)]
    return call_op(run, state, op, operator, args, ref, run.site(ref))


def dunder(run: Run, state: State, path: str, args: Args, ref: int, site: Site) -> Paths | None:
    """An operator on an instance of a class of the project: the class says what it does, if it does."""
    if not args.positional:
        return None
    owner = args.positional[0][1]
    obj = state.obj(owner)
    if obj is None or "::" not in obj.cls:
        return None
    name = f"__{path.rpartition('.')[2].rstrip('_')}__"
    method = find_method(run, state, owner, obj, name)
    if isinstance(method, Func):
        return call_function(run, state, method, Args(args.positional[1:]), ref, site)
    return [(state, ANY)] if path not in ("operator.is_", "operator.is_not", "operator.not_") else None
