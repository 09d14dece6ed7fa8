"""Loops: unrolled where the turns are known and few, else two turns and then what may still change is let go.

A loop body runs again with what its first turn left behind, so what is carried round the loop (gradients,
graphs, modes,
lists that grow) is seen on the second turn. Both turns are real turns: what is found in them happens.
"""

from __future__ import annotations

from dataclasses import replace

from torchwise.domain.dim import Dim
from torchwise.domain.join import join
from torchwise.domain.value import (
    ANY,
    LENGTH,
    Const,
    Items,
    Many,
    Num,
    Obj,
    Pointer,
    Site,
    Some,
    Tensor,
    Value,
)
from torchwise.flow.autograd import MODULE
from torchwise.flow.branches import truth
from torchwise.flow.drawing import note_walked
from torchwise.flow.iteration import elements
from torchwise.flow.iterators import walk
from torchwise.flow.last_batch import each_turn
from torchwise.flow.later import kept_out
from torchwise.flow.opcalls import allocate
from torchwise.flow.run import Run, distinct, fewer, handles
from torchwise.flow.state import State, join_objects, meet, of_content
from torchwise.flow.together import covering
from torchwise.flow.turns import FEW, inside
from torchwise.flow.unheld import note_taken
from torchwise.flow.walking import own_copy, walked_through
from torchwise.ir import nodes as ir
from torchwise.ops import Made
from torchwise.ops.creation import ARRAY


@handles(ir.Loop)
def _loop(run: Run, it: ir.Loop, state: State) -> list[State]:
    run.executions[it.out, run.turn] += 1
    with run.inside_loop(it.out):
        if it.over is None:
            return _while(run, it, state)
        over = state.regs.get(it.over, ANY)
        if isinstance(over, Tensor):
            run.event("loop-over-tensor", it.over, state, tuple(over.calls), over)
        walk(run, state, over, it.over, run.site(it.out))
        note_walked(run, state, over, it.over)
        paths = walked_through(run, state, over, it.over) or [(state, over)]
        return [end for one, value in paths for end in _collected(it, value, _for(run, it, one, value))]


def _collected(it: ir.Loop, over: Value, ends: list[State]) -> list[State]:
    """The paths of a comprehension differ in what it has collected: they go on as one."""
    if not it.comprehension or not ends:
        return ends
    for end in ends:
        note_taken(it, end, over)
    return [_common(ends)]


def _for(run: Run, it: ir.Loop, state: State, over: Value) -> list[State]:
    assert it.over is not None
    found = elements(run, state, over, it.over)
    if isinstance(found, tuple) and len(found) <= run.unroll:
        run.unrolled = run.unrolled or len(found) > FEW
        return _unrolled(run, it, state, found)
    each = found.each if isinstance(found, Many) else _covering(run, it, state, found)
    ends = _twice(run, it, state, each_turn(it, each))
    count = found.count if isinstance(found, Many) else Dim.of(len(found))
    if it.comprehension and count is not None:
        for end in ends:
            _note_count(it, end, count)
    return ends


MOST_COLLECTED = 512  # values that a list is known to have one by one


def _note_count(it: ir.Loop, state: State, count: Dim) -> None:
    """A comprehension without a test collects a value in each turn."""
    collect = next((i for i in it.body if isinstance(i, ir.Call) and i.callee == "collect.list"), None)
    made = state.regs.get(collect.args[0].ref) if collect is not None else None
    obj = state.obj(made) if made is not None else None
    if not isinstance(made, Pointer) or obj is None or obj.items is not None:
        return
    known = count.number
    each = obj.each
    if known is not None and known <= MOST_COLLECTED and each is not None and _is_data(each):
        state.heap[made.to] = replace(obj, items=(each,) * known, each=None)
    else:
        state.heap[made.to] = obj.with_mark(LENGTH, Num(count))


def _is_data(value: Value) -> bool:
    """Numbers and tensors that do not learn: whether two of them are one does not matter."""
    match value:
        case Items(items):
            return all(map(_is_data, items))
        case Tensor():
            return value.kind == "tensor" and value.requires_grad.fails
    return isinstance(value, Num | Const | Some)


def _covering(run: Run, it: ir.Loop, state: State, values: tuple[Value, ...]) -> Value:
    first, last = values[0], values[-1]
    if isinstance(first, Num) and isinstance(last, Num):
        return Num(Dim.of("?i"))
    return covering(state, values, run.site(it.out, "each"))


def _turn(
    run: Run, it: ir.Loop, states: list[State], number: int, outer: int
) -> tuple[list[State], list[State]]:
    """One turn of the body: the paths that reach the loop's head again, and those that broke out."""
    run.turn = inside(outer, number)
    run.leaving.append({"break": [], "continue": []})
    try:
        ends = run.block(it.body, states)
    finally:
        left = run.leaving.pop()
    again = distinct([*ends, *left["continue"]])
    return (again if len(again) <= 8 else fewer(again)), left["break"]


MANY_PATHS = 2  # a loop whose turns part into more of them is run twice, as if its length were unknown


def _unrolled(run: Run, it: ir.Loop, state: State, values: tuple[Value, ...]) -> list[State]:
    outer, states, broken = run.turn, [state], []
    head: State | None = None
    for number, value in enumerate(values, 1):
        for one in states:
            one.regs[it.item] = one.current(value)  # type: ignore[index]
        states, out = _turn(run, it, states, number, outer)
        broken += out
        if not states:
            break
        if number == 1:
            head = _common(states)
        elif number == 2 < len(values) and len(states) > MANY_PATHS and head is not None:
            states = [widen(head, one) for one in states]
            broken = [widen(head, one) for one in broken]
            break
    run.turn = outer
    return _after(run, it, states, broken)


def _twice(run: Run, it: ir.Loop, state: State, each: Value) -> list[State]:
    outer = run.turn
    for_item = _fresh(run, it, each, state)
    state.regs[it.item] = for_item[0]  # type: ignore[index]
    first, broken1 = _turn(run, it, [state], 1, outer)
    if not first:
        run.turn = outer
        return _after(run, it, [], broken1)
    head = _common(first)
    for one in first:
        one.regs[it.item] = for_item[1]  # type: ignore[index]
    second, broken2 = _turn(run, it, first, 2, outer)
    broken = [*broken1, *broken2]
    if kept_out(run, it.body, head, second):
        second = [widen(head, one) for one in second]
        for number in (3, 4):
            for one in second:
                one.regs[it.item] = _own(one, each, run.site(it.out, f"item{number}"))  # type: ignore[index]
            second, more = _turn(run, it, second, number, outer) if second else ([], [])
            broken += more
    run.turn = outer
    ends = [widen(head, one) for one in second]
    return _after(run, it, ends, [widen(head, one) for one in broken])


def _fresh(run: Run, it: ir.Loop, each: Value, state: State) -> tuple[Value, Value]:
    """What the first two turns get: alike, but tensors of their own."""
    out = []
    for number in (1, 2):
        out.append(_own(state, each, run.site(it.out, f"item{number}")))
    return out[0], out[1]


def _own(state: State, value: Value | Made, site: Site) -> Value:
    match value:
        case Pointer():
            return own_copy(state, value, site) or value
        case Tensor(id=None):
            return value.but(id=site, storage=site)
        case Items(items, kind, names):
            return Items(tuple([_own(state, v, site.of(str(i))) for i, v in enumerate(items)]), kind, names)
        case Made(obj):
            return allocate(state, obj, site)
    return value if isinstance(value, Value) else ANY


def _while(run: Run, it: ir.Loop, state: State) -> list[State]:
    outer, states, broken, out = run.turn, [state], [], []
    head = None
    for number in (1, 2, 3, 4):
        if number == 3:
            if head is None or not states or not kept_out(run, it.body, head, states):
                break
            states = [widen(head, one) for one in states]
        run.turn = inside(outer, number)
        entering = []
        for one in run.block(it.head, states):
            known = truth(one, one.regs.get(it.test, ANY) if it.test is not None else ANY)
            value = one.regs.get(it.test, ANY) if it.test is not None else ANY
            if isinstance(value, Tensor):
                run.event("branch-on-tensor", it.test or 0, one, tuple(value.calls), value, "while")
            if known is not True:
                out.append(one.copy() if known is None else one)
            if known is not False:
                entering.append(one)
        if not entering:
            states = []
            break
        states, left = _turn(run, it, entering, number, outer)
        broken += left
        if number == 1:
            head = _common(states) if states else None
    run.turn = outer
    endless = it.test is not None and isinstance(run.defs.get(it.test), ir.Const)
    ends = out if endless else [*out, *states]
    if head is not None:
        ends = [widen(head, one) for one in ends]
        broken = [widen(head, one) for one in broken]
    return _after(run, it, ends, broken)


def _after(run: Run, it: ir.Loop, ends: list[State], broken: list[State]) -> list[State]:
    if it.orelse and ends:
        ends = run.block(it.orelse, ends)
    states = distinct([*ends, *broken])
    return states if len(states) <= 8 else fewer(states)


def _common(states: list[State]) -> State:
    out = states[0].copy()
    for other in states[1:]:
        out = meet(out, other)
    return out


def widen(before: State, after: State) -> State:
    """`after` a turn, as it may be after any number of turns more: what a turn changes in content is let go.

    Identity and typestate stay as the last turn left them; sizes, numbers and elements that a turn changes
    do not.
    """
    for name, value in list(after.env.items()):
        if name in before.env:
            old, now = before.current(before.env[name]), after.current(value)
            if old is not now and old != now:
                after.env[name] = loosened(old, now)
    for site, obj in list(after.heap.items()):
        was = before.heap.get(site)
        if was is not None and was is not obj and was != obj:
            after.heap[site] = _loosened_object(was, obj, after.heap)
    _let_go_of_changed(before, after)
    after.assumed = {k: v for k, v in after.assumed.items() if before.assumed.get(k) is v}
    return after


def _let_go_of_changed(before: State, after: State) -> None:
    """What an in-place operation has made of a tensor is let go of with the rest: by each of its names."""
    held = [*after.env.values(), *(v for obj in after.heap.values() for v in obj.attrs.values())]
    for value in held if after.tensors else ():
        if isinstance(value, Tensor) and value.id in after.tensors:
            now = after.tensors[value.id]
            old = before.tensors.get(value.id, value)
            loose = loosened(old, now) if old != now else now
            after.tensors[value.id] = loose if isinstance(loose, Tensor) else Tensor(id=value.id)


def loosened(old: Value, new: Value) -> Value:
    if isinstance(new, Pointer):
        return new  # what it is stays as the last turn left it
    joined = join(old, new)
    if isinstance(joined, Tensor) and isinstance(new, Tensor):
        return new.but(shape=joined.shape, strides=joined.strides, dtype=joined.dtype, device=joined.device)
    return joined


def _loosened_object(old: Obj, new: Obj, heap: dict[Site, Obj]) -> Obj:
    attrs = {n: v if old.attrs.get(n, v) == v else loosened(old.attrs[n], v) for n, v in new.attrs.items()}
    if old.items is not None and new.items is not None and len(old.items) == len(new.items):
        items: tuple[Value, ...] | None = tuple(
            [b if a == b else loosened(a, b) for a, b in zip(old.items, new.items, strict=True)]
        )
        return Obj(new.cls, attrs, items, new.each, new.marks, new.bases)
    each: Value | None = old.each if old.items is None else None
    known = [items[1::2] if new.cls == "dict" else items for items in (old.items or (), new.items or ())]
    for value in (*known[0], *known[1], *((new.each,) if new.items is None else ())):
        value = ANY if value is None else value
        each = value if each is None else _joined(heap, each, value)
    marks = {**new.marks, **of_content(old, new)}
    if each is ANY and (sample := _sample(old, new)):
        marks[SAMPLE] = sample
    return Obj(new.cls, attrs, None, each or ANY, marks, new.bases)


SAMPLE = "sample"  # mark of a container: one of the objects in it, where nothing is known of them all


def _sample(*turns: Obj) -> Pointer | None:
    found = (v for obj in turns for v in (*(obj.items or ()), obj.each) if isinstance(v, Pointer))
    return next(found, None) or next(
        (m for o in turns if isinstance(m := o.marks.get(SAMPLE), Pointer)), None
    )


def _joined(heap: dict[Site, Obj], one: Value, other: Value) -> Value:
    """Two elements of a list as one: dicts of the same keys, arrays, and instances of one class of the
    project are one object that covers both.
    """
    if isinstance(one, Pointer) and isinstance(other, Pointer) and one != other:
        a, b = heap.get(one.to), heap.get(other.to)
        if a is None or b is None or a.cls != b.cls or not _coverable(a, b):
            return ANY
        heap[other.to] = join_objects(a, b)
        return other
    return join(one, other)


def _coverable(a: Obj, b: Obj) -> bool:
    if a.cls == "dict":
        return bool(a.items and b.items) and a.items[::2] == b.items[::2] and not a.marks and not b.marks  # type: ignore[index]
    return a.cls == ARRAY or ("::" in a.cls and MODULE not in a.bases and a.attrs.keys() == b.attrs.keys())
