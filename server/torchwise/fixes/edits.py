"""What a fix does, in terms of instructions: the engine turns a plan into text edits of the file as it is
now.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from torchwise.domain.value import Site


@dataclass(frozen=True)
class Change:
    """kind: "replace" the source at `at`; "before" or "after":
    `text` on a line of its own beside the statement that `at` is part of, with its indentation; "delete"
    that statement; "statement": `text` in its place; "body-start": as the first line in the body of the
    function or loop at `at`; "loop-start": in that of the loop right around `at`, in whatever file that is;
    "append": directly behind the source at `at`; "argument": `text` in place of the argument `part` of the
    call at `at`, where that is made of literals; "unwrap": the argument `part` in place of the whole call;
    "rewrite": the statement, or all up to the one of `until`, as the rewriting called `text` writes it.
    """

    kind: str
    at: Site
    text: str = ""
    part: str = ""
    until: Site | None = None


@dataclass(frozen=True)
class FixPlan:
    title: str
    changes: tuple[Change, ...]
    safe: bool = True

    def and_also(self, other: FixPlan) -> FixPlan:
        return replace(self, changes=self.changes + other.changes, safe=self.safe and other.safe)


def replace_with(at: Site, text: str, title: str, safe: bool = True) -> FixPlan:
    return FixPlan(title, (Change("replace", at, text),), safe)


def replace_statement(at: Site, text: str, title: str, safe: bool = True) -> FixPlan:
    return FixPlan(title, (Change("statement", at, text),), safe)


def insert_before(at: Site, text: str, title: str, safe: bool = True) -> FixPlan:
    return FixPlan(title, (Change("before", at, text),), safe)


def insert_after(at: Site, text: str, title: str, safe: bool = True) -> FixPlan:
    return FixPlan(title, (Change("after", at, text),), safe)


def insert_in_body(at: Site, text: str, title: str, safe: bool = True) -> FixPlan:
    return FixPlan(title, (Change("body-start", at, text),), safe)


def append_to(at: Site, text: str, title: str, safe: bool = True) -> FixPlan:
    return FixPlan(title, (Change("append", at, text),), safe)


def delete_statement(at: Site, title: str, safe: bool = True) -> FixPlan:
    return FixPlan(title, (Change("delete", at),), safe)


def wrap_statement(at: Site, header: str, title: str, safe: bool = True) -> FixPlan:
    """Puts the whole statement into the block of a new header line: `with torch.no_grad():`."""
    return FixPlan(title, (Change("wrap", at, header),), safe)


def decorate(at: Site, decorator: str, title: str, safe: bool = True) -> FixPlan:
    """A decorator for the function whose scope `at` belongs to. Its first name must be imported in the
    file.
    """
    return FixPlan(title, (Change("decorate", at, decorator),), safe)


def insert_in_loop_around(at: Site, text: str, title: str, safe: bool = True) -> FixPlan:
    return FixPlan(title, (Change("loop-start", at, text),), safe)


def replace_argument(at: Site, name: str, place: int, text: str, title: str) -> FixPlan:
    """Of a call, in whatever file: only where the argument is written with literals alone."""
    return FixPlan(title, (Change("argument", at, text, f"{name}:{place}"),), safe=False)


def unwrap(at: Site, title: str, part: str = "operand") -> FixPlan:
    """`f(x)` becomes `x`, and so does `x.f()`."""
    return FixPlan(title, (Change("unwrap", at, part=part),), safe=False)


def rewrite(at: Site, how: str, title: str, until: Site | None = None) -> FixPlan:
    """`how`: the name of a rewriting in `fixes.rewriting`."""
    return FixPlan(title, (Change("rewrite", at, how, until=until),), safe=False)
