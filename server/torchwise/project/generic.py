"""How a function is run that nobody calls, and which calls it does not follow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.flow.variant import Variant
from torchwise.project.changes import importers, names_crowded
from torchwise.project.classes import decoration

if TYPE_CHECKING:
    from torchwise.project.memo import Memo


def generic(memo: Memo, key: str) -> Variant | None:
    """Parameters by their roles, under what its decorators say. Functions inside functions have no such
    run.
    """
    memo.uses(key)
    scope = memo.program.scope(key)
    if scope is None or scope.kind == "lambda":
        return None
    if scope.kind == "class":
        return Variant(key, ())
    where = memo.program.definition(key)
    if where is None:
        return None
    memo.uses(where[0])
    parent = memo.program.scope(where[0])
    if parent is None or parent.kind not in ("module", "class"):
        return None
    regions, static = decoration(memo, where[0], where[1])
    method = parent.kind == "class" and static != "staticmethod"
    return Variant(key, None, owner=where[0] if method else None, regions=regions)


def crowded(memo: Memo, path: str, callee: str) -> bool:
    """Whether a function is one that very many places call: in a file, or in the files that import its
    own.
    """
    home, _, name = callee.partition("::")
    memo.uses(names_crowded(path))
    memo.uses(importers(home))
    file = memo.program.files.get(path)
    return memo.changes.is_popular(home) or (file is not None and name in file.crowded)
