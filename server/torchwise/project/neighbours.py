"""The files that a run was not asked about, but that its files import."""

from __future__ import annotations

import functools
import os
from collections import deque
from collections.abc import Iterator, Mapping

from torchwise.project.documents import Document, Unreadable, read_document

MOST = 32  # files; those first that fewer imports lead to


def neighbours(documents: Mapping[str, Document], root: str) -> dict[str, Document]:
    """Looked for beside a file and in the folders above it, up to the project's root."""
    on_disk = _Disk(root)
    found: dict[str, Document] = {}
    queue = deque(documents.values())
    while queue and len(found) < MOST:
        document = queue.popleft()
        for path in sorted(
            {path for name in document.mentions for path in on_disk.files_of(name, document.path)}
        ):
            if path not in documents and path not in found and len(found) < MOST:
                try:
                    found[path] = read_document(path)
                    queue.append(found[path])
                except Unreadable:
                    pass
    return found


class _Disk:
    """Stateful: remembers what it has listed."""

    def __init__(self, root: str):
        self._root = root
        self._listed = functools.cache(_names)
        self._bases = functools.cache(self._upward)
        self._in_repository = functools.cache(self._has_git_above)

    def files_of(self, module: str, importer: str) -> Iterator[str]:
        inner = module.lstrip(".")
        parts = inner.split(".") if inner else []
        bases = self._bases(os.path.dirname(importer))
        if dots := len(module) - len(inner):
            bases = bases[dots - 1 : dots]
        for base in bases:
            if not parts or parts[0] in self._listed(base) or f"{parts[0]}.py" in self._listed(base):
                yield from self._files(os.path.join(base, *parts))

    def _files(self, stem: str) -> Iterator[str]:
        folder, name = os.path.split(stem)
        if f"{name}.py" in self._listed(folder):
            yield f"{stem}.py"
        if name in self._listed(folder) and "__init__.py" in self._listed(stem):
            yield os.path.join(stem, "__init__.py")

    def _upward(self, folder: str) -> list[str]:
        """Up to the root that is configured, or that of the repository, or the folder that holds the
        package.
        """
        bases = [folder]
        while not self._is_top(folder):
            folder = os.path.dirname(folder)
            bases.append(folder)
        return bases

    def _is_top(self, folder: str) -> bool:
        if folder in (self._root, os.path.dirname(folder)) or ".git" in self._listed(folder):
            return True
        return (
            not self._root and not self._in_repository(folder) and "__init__.py" not in self._listed(folder)
        )

    def _has_git_above(self, folder: str) -> bool:
        above = os.path.dirname(folder)
        return ".git" in self._listed(folder) or (above != folder and self._in_repository(above))


def _names(folder: str) -> frozenset[str]:
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()
