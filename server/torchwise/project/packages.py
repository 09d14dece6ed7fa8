"""What a package's `__init__` binds under the name of one of its modules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torchwise.domain.value import Class, Func
from torchwise.flow.lookup import Snapshot

if TYPE_CHECKING:
    from torchwise.project.memo import Memo


def hiding(memo: Memo, package: str | None, name: str) -> Snapshot | None:
    """A function or class that hides the module of that name: `from .attention import attention`."""
    if package is None or name not in memo.program.files[package].bindings.fixed:
        return None
    found = memo.global_name(package, name)
    return found if found is not None and isinstance(found.value, Func | Class) else None
