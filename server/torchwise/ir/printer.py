"""Prints a scope, one instruction a line: `3 = call 1(2, dim=4)`."""

from __future__ import annotations

from collections.abc import Iterator

from torchwise.ir.nodes import (
    Arg,
    Assert,
    Attr,
    Block,
    Build,
    Call,
    Const,
    Define,
    Drop,
    DropIndex,
    If,
    Import,
    Index,
    Instr,
    Leave,
    Load,
    Loop,
    Opaque,
    Param,
    Ref,
    Return,
    Scope,
    SetAttr,
    SetIndex,
    Store,
    Try,
    Unpack,
    With,
    Yield,
)

_STARS = {"star": "*", "double-star": "**"}


def print_scope(scope: Scope) -> str:
    return "\n".join([_head(scope), *(f"    {line}" for line in _block(scope.body))]) + "\n"


def _head(scope: Scope) -> str:
    params = f"({', '.join(map(_param, scope.params))})" if scope.kind in ("function", "lambda") else ""
    returns = f" -> {scope.returns}" if scope.returns else ""
    words = [word for word, said in (("async", scope.is_async), ("generator", scope.generator)) if said]
    outer = "".join(f" {how} {name}" for name, how in scope.outer)
    return " ".join([*words, scope.kind, scope.key]) + params + returns + outer + ":"


def _param(param: Param) -> str:
    annotation = f": {param.annotation}" if param.annotation else ""
    where = {"positional": "/", "keyword": "*"}.get(param.kind)
    return (
        _STARS.get(param.kind, "")
        + param.name
        + annotation
        + (" = ..." if param.default else "")
        + (f" [{where}]" if where else "")
    )


def _block(block: Block) -> Iterator[str]:
    for instr in block:
        yield from _lines(instr)


def _nested(title: str, block: Block) -> Iterator[str]:
    yield title
    yield from (f"    {line}" for line in _block(block))


def _lines(instr: Instr) -> Iterator[str]:
    match instr:
        case If(out, test, then, other, values):
            chosen = f" -> {values[0]} | {values[1]}" if values else ""
            yield from _nested(f"{out} = if {test}{chosen}:", then)
            if other:
                yield from _nested("else:", other)
        case Loop():
            yield from _loop(instr)
        case With(out, context, entered, body):
            yield from _nested(f"{out} = with {context} as {entered}:", body)
        case Try():
            yield from _try(instr)
        case Assert(out, test, head, message):
            yield from _nested(f"{out} = assert {test}" + ("" if message is None else f", {message}:"), head)
        case _:
            yield f"{instr.out} = {_plain(instr)}"


def _loop(loop: Loop) -> Iterator[str]:
    word = "comprehend" if loop.comprehension else "for"
    if loop.over is not None:
        yield f"{loop.out} = {word} {loop.item} in {loop.over}:"
    else:
        yield from _nested(f"{loop.out} = while:", loop.head)
        yield f"while {loop.test}:"
    yield from (f"    {line}" for line in _block(loop.body))
    if loop.orelse:
        yield from _nested("else:", loop.orelse)


def _try(instr: Try) -> Iterator[str]:
    yield from _nested(f"{instr.out} = try:", instr.body)
    for handler in instr.handlers:
        if handler.kinds is not None:
            yield from _nested("except:", handler.head)
        kinds = "" if handler.kinds is None else f" {handler.kinds}"
        yield from _nested(
            f"except{kinds}" + (f" as {handler.name}" if handler.name else "") + ":", handler.body
        )
    if instr.orelse:
        yield from _nested("else:", instr.orelse)
    if instr.final:
        yield from _nested("finally:", instr.final)


def _plain(instr: Instr) -> str:
    match instr:
        case Const(_, value):
            return "..." if value is ... else repr(value)
        case Load(_, name):
            return f"load {name}"
        case Store(_, name, value):
            return f"store {name} {value}"
        case Drop(_, name):
            return f"drop {name}"
        case Attr(_, base, name):
            return f"{base}.{name}"
        case SetAttr(_, base, name, value):
            return f"set {base}.{name} {value}"
        case Index(_, base, index):
            return f"{base}[{index}]"
        case SetIndex(_, base, index, value):
            return f"set {base}[{index}] {value}"
        case DropIndex(_, base, index):
            return f"drop {base}[{index}]"
        case Build(_, kind, items):
            return f"{kind}({_args(items)})"
        case Call(_, callee, args):
            return f"call {callee}({_args(args)})"
        case _:
            return _rare(instr)


def _rare(instr: Instr) -> str:
    match instr:
        case Unpack(_, value, index, count, star):
            return f"unpack {value} {index} of {count}" + ("" if star is None else f", rest at {star}")
        case Return(_, value):
            return f"return{_maybe(value)}"
        case Leave(_, kind, value):
            return f"{kind}{_maybe(value)}"
        case Yield(_, value, whole):
            return ("yield from" if whole else "yield") + _maybe(value)
        case Import(_, name, path):
            return f"import {path} as {name}"
        case Define(_, kind, name, key, defaults, bases, decorators):
            wrapped = "".join(f"@{ref} " for ref in decorators)
            return f"{wrapped}{kind} {key}({_args(defaults or bases)})"
        case Opaque(_, stores):
            return " ".join(["opaque", *stores])
        case _:
            raise AssertionError(f"the printer does not know {type(instr).__name__}")


def _maybe(ref: Ref | None) -> str:
    return "" if ref is None else f" {ref}"


def _args(args: tuple[Arg, ...]) -> str:
    return ", ".join("*" * arg.stars + (f"{arg.name}=" if arg.name else "") + str(arg.ref) for arg in args)
