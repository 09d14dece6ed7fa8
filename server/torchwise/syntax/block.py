"""One statement of a file, a class with its members, or the comments before them: the unit of parsing and of
reuse.

A block knows nothing of where it stands: its rows count from 1 at its own start. So it is kept as it is when
lines above it come and go.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from sys import intern

from tree_sitter import Tree

from torchwise.syntax.cuts import Cut, class_body, cut
from torchwise.syntax.errors import LONG, lacks_a_body, python_error
from torchwise.syntax.parser import parse
from torchwise.syntax.repair import fill, half_typed, start_of_row
from torchwise.syntax.span import Span
from torchwise.syntax.tokens import comments, with_plain_newlines

REPAIRS = 4
INDENT_LIMIT = 16  # characters; classes that stand further to the right are not cut
NEAR = 1000  # bytes; a place so near the start of a block needs no table of lines
NOTHING_FILLED: dict[int, str] = {}
NO_BLOCKS: Mapping[str, Block] = {}


class Block:
    """Frozen to the outside. What is costly and follows from the text alone is worked out when first asked
    for.

    The text is kept once: that of a class is its head and that of its members.
    """

    __slots__ = (
        "_before_members",
        "_broken",
        "_bytes",
        "_code",
        "_comments",
        "_errors",
        "_filled",
        "_half_typed",
        "_odd_text",
        "_starts",
        "_tail",
        "_tree",
        "face",
        "head",
        "head_rows",
        "indent",
        "is_definition",
        "members",
        "rows",
    )  # fmt: skip

    def __init__(
        self,
        text: str,
        indent: str = "",
        operators: tuple[int, ...] = (),
        known: Mapping[str, Block] = NO_BLOCKS,
    ) -> None:
        plain = with_plain_newlines(text)
        self.rows = plain.count("\n")
        end = _end_of_code(plain)
        self._code: str | None = plain[:end]
        self._tail = intern(plain[end:])
        self._odd_text = text if plain is not text and plain != text else None
        self.indent = indent
        self.face: str | None = None  # set by lowering: what the surrounding scope sees
        self.is_definition = False  # set by lowering: whether that is less than all of it
        self.head = ""  # of a class: up to its colon
        self.head_rows = 0  # how many rows stand before its first member
        self._before_members = ""
        self._half_typed = operators  # positions in lines that are not finished
        self._filled: dict[int, str] = NOTHING_FILLED
        self._tree: Tree | None = None
        self._bytes: bytes | None = None
        self._starts: array[int] | None = None
        self._broken: bool | None = None
        self._errors: tuple[tuple[Span, str], ...] | None = None
        self._comments: tuple[tuple[Span, str], ...] | None = None
        self.members: tuple[Block, ...] = self._cut(text, plain, known)

    def _cut(self, text: str, plain: str, known: Mapping[str, Block]) -> tuple[Block, ...]:
        body = class_body(self.code, self.indent) if len(self.indent) < INDENT_LIMIT else None
        if body is None:
            return ()
        self.head = plain[: body.colon]
        self.head_rows = plain.count("\n", 0, body.body)
        self._before_members = text[: body.body]
        self._code, self._tail, self._odd_text = None, "", None
        return blocks_of(text[body.body :], cut(plain[body.body :], body.indent), body.indent, known)

    @property
    def text(self) -> str:
        """All of it, with the comments and blank lines behind."""
        if self._odd_text is not None:
            return self._odd_text
        if self._code is not None:
            return self._code + self._tail if self._tail else self._code
        return self._before_members + "".join([member.text for member in self.members])

    @property
    def code(self) -> str:
        """Without the comments and blank lines behind, and with a newline at the end of each line."""
        if self._code is not None:
            return self._code
        plain = with_plain_newlines(self.text)
        return plain[: _end_of_code(plain)]

    @property
    def tree(self) -> Tree:
        if self._tree is None:
            self._tree = self._first_tree() if self._broken is None else parse(self.encoded)
        return self._tree

    def _first_tree(self) -> Tree:
        """Finds out which lines are half-typed; later trees leave out the same."""
        if self._half_typed and self._is_python():
            self._half_typed = ()
        tree = parse(self.encoded)
        self._broken = bool(self._half_typed) or tree.root_node.has_error
        return self._repaired(tree) if tree.root_node.has_error else tree

    def _is_python(self) -> bool:
        return len(self.code) <= LONG and python_error(self.code, self.indent) is None

    def _repaired(self, tree: Tree) -> Tree:
        """Parses again with the half-typed lines left out, as far as they can be told."""
        for attempt in range(REPAIRS):
            code = fill(self.code, self._half_typed).code
            positions = half_typed(code)  # an open bracket hides what is half-typed behind it
            if not positions and attempt and not parse(as_bytes(code)).root_node.has_error:
                break
            if not positions and (error := python_error(code, self.indent)):
                positions = (start_of_row(code, error[0].row),)
            if not positions or positions[0] in self._half_typed:
                break
            self._half_typed += positions
        if not self._half_typed:
            return tree
        self._bytes = None
        return parse(self.encoded)

    @property
    def encoded(self) -> bytes:
        """What the tree counts in: UTF-8, where half-typed lines are filled and what Python cannot have is
        one `?`."""
        if self._bytes is None:
            self._bytes = self._filled_bytes() if self._half_typed else as_bytes(self.code)
        return self._bytes

    def _filled_bytes(self) -> bytes:
        repaired = fill(self.code, self._half_typed)
        self._filled = {
            len(as_bytes(repaired.code[:start])): words for start, words in repaired.filled.items()
        }
        return as_bytes(repaired.code)

    @property
    def filled(self) -> Mapping[int, str]:
        """Half-typed lines that the parser did not see, by where they start in `encoded`, with what they
        said."""
        return self._filled if self.tree else {}

    @property
    def parsed(self) -> Tree | None:
        """The tree, if it is there."""
        return self._tree

    @property
    def errors(self) -> tuple[tuple[Span, str], ...]:
        """What is not Python in it; one error for each statement, of a class one for its head and for each
        member."""
        if self._errors is None:
            self._errors = self._member_errors() if self.members else self._own_errors()
        return self._errors

    def _member_errors(self) -> tuple[tuple[Span, str], ...]:
        if parse(as_bytes(self.head)).root_node.has_error:
            return self._own_errors()
        rows, found = self.head_rows, []
        for member in self.members:
            found += [(span.down(rows), message) for span, message in member.errors]
            rows += member.rows
        return tuple(found)

    def _own_errors(self) -> tuple[tuple[Span, str], ...]:
        if self._broken is None and self.tree:
            self._tree = None
        if not self._broken and not lacks_a_body(self.code):
            return ()
        error = python_error(self.code, self.indent) if len(self.code) <= LONG else self._error_of_long_code()
        return (error,) if error else ()

    def _error_of_long_code(self) -> tuple[Span, str] | None:
        """Python's own parser would take too long over it."""
        for position in half_typed(self.code):
            row, col = (
                self.code.count("\n", 0, position) + 1,
                position - self.code.rfind("\n", 0, position) - 1,
            )
            return Span(row, col, row, col + 1), "invalid syntax"
        return None

    @property
    def comments(self) -> tuple[tuple[Span, str], ...]:
        if self._comments is None:
            self._comments = tuple(_comments(self.text)) if "#" in self.text else ()
        return self._comments

    def let_go(self) -> None:
        """Forgets what parsing made; it would be made again."""
        self._tree = self._bytes = None

    def span(self, start: int, end: int) -> Span:
        """Of a range of bytes, counted from the start of the block."""
        if self._starts is None and end < NEAR and (code := self.code).isascii():
            row, end_row = code.count("\n", 0, start), code.count("\n", 0, end)
            line, end_line = code.rfind("\n", 0, start) + 1, code.rfind("\n", 0, end) + 1
            return Span(row + 1, start - line, end_row + 1, end - end_line)
        starts = self._line_starts()
        row, end_row = bisect_right(starts, start), bisect_right(starts, end)
        return Span(
            row, self._column(starts[row - 1], start), end_row, self._column(starts[end_row - 1], end)
        )

    def _line_starts(self) -> array[int]:
        if self._starts is None:
            starts, position = array("I", [0]), 0
            for line in self.encoded.split(b"\n"):
                position += len(line) + 1
                starts.append(position)
            starts.pop()
            self._starts = starts
        return self._starts

    def _column(self, line: int, position: int) -> int:
        if self.code.isascii():
            return position - line
        return len(self.encoded[line:position].decode("utf-8", "replace"))


def _comments(text: str) -> Iterator[tuple[Span, str]]:
    text = with_plain_newlines(text)
    row, seen = 1, 0
    for start, end in comments(text):
        row += text.count("\n", seen, start)
        seen = start
        col = start - (text.rfind("\n", 0, start) + 1)
        comment = text[start:end].rstrip("\r")
        yield Span(row, col, row, col + len(comment)), comment


def as_bytes(code: str) -> bytes:
    """NUL would end the text for the parser; a byte order mark is no part of the first word, and a form feed
    is as wide and means nothing."""
    if "\0" in code:
        code = code.replace("\0", "\x01")
    if "\ufeff" in code:
        code = code.replace("\ufeff", "\f")
    return code.encode("utf-8", "replace")


def blocks_of(text: str, cut: Cut, indent: str, known: Mapping[str, Block]) -> tuple[Block, ...]:
    """A block for each piece of a text."""
    blocks = []
    operators = cut.unfinished
    for start, end in zip(cut.starts, (*cut.starts[1:], len(text))):
        piece = text[start:end]
        if not piece:
            continue
        found = known.get(piece)
        if found is None or found.indent != indent:
            own = tuple([at - start for at in operators if start <= at < end]) if operators else ()
            found = Block(piece, indent, own, known)
        blocks.append(found)
    return tuple(blocks)


def _end_of_code(text: str) -> int:
    """Where the blank lines and comments at the end start: behind the newline that ends the last
    statement."""
    end = len(text)
    while end:
        start = text.rfind("\n", 0, end - 1) + 1
        line = text[start:end].lstrip(" \t\f\r\n\ufeff")
        if line and line[0] != "#":
            break
        end = start
    in_a_string = '"""' in (tail := text[end:]) or "'''" in tail or text.endswith("\\\n", 0, end)
    return len(text) if in_a_string else end
