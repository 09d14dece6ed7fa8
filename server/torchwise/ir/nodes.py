"""The small language that every Python scope is lowered to.

Each instruction names its result with a number (`out`) that later instructions of the same scope refer to, so
`a @ b`, `a.matmul(b)` and `torch.matmul(a, b)` all become one Call. Blocks nest: there is no graph to
walk, and an
interpreter for it is one method per instruction.

The IR holds no positions. `Scope.places` maps numbers to spans and is no part of a scope's identity: two
texts that
differ in layout alone lower to equal scopes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import EllipsisType
from typing import Literal

from torchwise.record import record
from torchwise.syntax.span import Span

Ref = int
Block = tuple["Instr", ...]
Literals = int | float | complex | str | bytes | bool | EllipsisType | None


@record
class Instr:
    out: Ref


@record
class Const(Instr):
    """A literal. `-1` is one too."""

    value: Literals

    def __eq__(self, other: object) -> bool:  # 1 == True == 1.0, but they are different programs
        return (
            isinstance(other, Const)
            and other.out == self.out
            and type(other.value) is type(self.value)
            and other.value == self.value
        )

    def __hash__(self) -> int:
        return hash((self.out, type(self.value), self.value))


@record
class Load(Instr):
    name: str


@record
class Store(Instr):
    """`name = value`. The variable of a comprehension is stored as `name#number`: it is its own variable."""

    name: str
    value: Ref


@record
class Drop(Instr):
    """`del name`."""

    name: str


@record
class Attr(Instr):
    base: Ref
    name: str


@record
class SetAttr(Instr):
    base: Ref
    name: str
    value: Ref


@record
class Index(Instr):
    """`base[index]`; several indices are one Build("tuple"), slices are Build("slice", (start, stop,
    step)).
    """

    base: Ref
    index: Ref


@record
class SetIndex(Instr):
    base: Ref
    index: Ref
    value: Ref


@record
class DropIndex(Instr):
    """`del base[index]`, or `del base.name` with a Const index."""

    base: Ref
    index: Ref


@record
class Arg:
    """One argument or element. `name` for keywords; `stars` 1 for `*x`, 2 for `**x`."""

    ref: Ref
    name: str | None = None
    stars: int = 0


@record
class Build(Instr):
    """A display. A dict's items are keys and values in turn, and for `**x` one Arg with two stars.

    "string" is an f-string (its items are the interpolated values, `texts` what stands before, between and
    behind them, () where they are formatted in some way), "slice" has exactly three items.
    """

    kind: Literal["tuple", "list", "set", "dict", "slice", "string"]
    items: tuple[Arg, ...]
    texts: tuple[str, ...] = ()


@record
class Unpack(Instr):
    """Element `index` of `value`, unpacked into `count` targets, of which number `star` takes the rest."""

    value: Ref
    index: int
    count: int
    star: int | None = None


@record
class Call(Instr):
    """A call; or an operator, whose `callee` is a name of the operator module.

    Binary `operator.add`, in-place `operator.iadd`, unary `operator.neg`, comparisons `operator.lt`,
    `operator.is_`,
    `operator.is_not`, `operator.contains` (args: item, container), `operator.not_contains`, `operator.not_`.
    A comprehension fills its result by `collect.list`, `collect.set`, `collect.generator` (args: result,
    element) or
    `collect.dict` (args: result, key, value).
    """

    callee: Ref | str
    args: tuple[Arg, ...]


@record
class If(Instr):
    """`values` is given for expressions (`a if t else b`, `a and b`, chained comparisons): the result of
    each side.
    """

    test: Ref
    then: Block
    other: Block
    values: tuple[Ref, Ref] | None = None


@record
class Loop(Instr):
    """`for`: `over` is the iterable and `item` is bound anew each turn. `while`: `test` is worked out by
    `head`.

    `orelse` runs where the loop was not left by a break. A comprehension is a `for` whose body collects.
    """

    over: Ref | None
    item: Ref | None
    head: Block
    test: Ref | None
    body: Block
    orelse: Block = ()
    comprehension: bool = False


@record
class With(Instr):
    """`entered` is what `__enter__` gave. Several items are nested Withs."""

    context: Ref
    entered: Ref
    body: Block


@record
class Handler:
    """`except kinds as name`. `head` works out `kinds`, a class or a tuple of them; None catches all."""

    head: Block
    kinds: Ref | None
    name: str | None
    body: Block


@record
class Try(Instr):
    body: Block
    handlers: tuple[Handler, ...]
    orelse: Block
    final: Block


@record
class Return(Instr):
    value: Ref | None


@record
class Leave(Instr):
    """break, continue, or raise with its exception."""

    kind: Literal["break", "continue", "raise"]
    value: Ref | None = None


@record
class Yield(Instr):
    """Also `yield from`. The instruction's own value is what is sent in."""

    value: Ref | None
    whole: bool = False


@record
class Assert(Instr):
    """`message` is the value of the message; it is worked out by `head`, only where the test fails."""

    test: Ref
    head: Block = ()
    message: Ref | None = None


@record
class Import(Instr):
    """`name` now means `path`. Relative paths keep their dots. `name` is "*" for a star import."""

    name: str
    path: str


@record
class Define(Instr):
    """A function, lambda or class: `key` names its Scope. Binds nothing itself: a Store follows for `def`
    and `class`.

    `defaults` are worked out where the function stands; `annotations` are not evaluated.
    """

    kind: Literal["function", "lambda", "class"]
    name: str
    key: str
    defaults: tuple[Arg, ...] = ()  # functions: parameter name and value
    bases: tuple[Arg, ...] = ()  # classes: bases, and keywords such as metaclass
    decorators: tuple[Ref, ...] = ()  # outermost first; each is applied to the value below it


@record
class Opaque(Instr):
    """Anything not modelled. Its value is unknown; nothing is ever reported about it. `stores` are names
    it may bind.
    """

    stores: tuple[str, ...] = ()


@record
class Param:
    """`annotation` is its source text. `kind` as in inspect.Parameter; `default` says that there is
    one, `none` that it is None.
    """

    name: str
    kind: Literal["positional", "ordinary", "keyword", "star", "double-star"] = "ordinary"
    annotation: str | None = None
    default: bool = False
    none: bool = False


@dataclass(frozen=True)
class Scope:
    """The unit of analysis: a function body, a class body, or a module's top level.

    Keys: "<module>", "train", "Net" (a class body), "Net.forward", "outer.inner", "outer.<lambda>2"
    (counted within the
    enclosing scope); a name defined twice in one scope gets "name@2".
    """

    key: str
    kind: Literal["module", "function", "lambda", "class"]
    name: str
    params: tuple[Param, ...]
    body: Block
    stores: frozenset[str]  # names it binds itself (parameters included)
    outer: tuple[tuple[str, Literal["global", "nonlocal"]], ...]  # declared so
    mentions: frozenset[str]  # free names that it or a scope inside it loads: what it may need from outside
    inner: tuple[str, ...]  # keys of the scopes defined directly in it
    generator: bool = False
    is_async: bool = False
    doc: str | None = field(default=None, compare=False)
    returns: str | None = None  # source text of the annotation
    places: Mapping[Ref, Span] = field(default_factory=dict, compare=False, repr=False, hash=False)
    # of the name in `def name`
    header: Span | None = field(default=None, compare=False, repr=False, hash=False)
