"""Which file of the project an import means."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath


class Files:
    """The project's files by the module names that reach them. A module may be imported by any tail of its
    path.
    """

    def __init__(self, paths: Iterable[str]):
        self.paths = frozenset(paths)
        self.by_name: dict[str, list[str]] = {}
        for path in sorted(self.paths):
            for name in _names(path):
                self.by_name.setdefault(name, []).append(path)

    def absolute(self, module: str, importer: str) -> str | None:
        """The file of `import module`, nearest to the importer where several would do."""
        found = self.by_name.get(module)
        if not found:
            return None
        near = PurePath(importer).parts
        best = max(found, key=lambda p: (_shared(PurePath(p).parts, near), -len(p)))
        return best if _reachable(best, module, importer) else None

    def relative(self, module: str, importer: str) -> str | None:
        """The file of `from .module import ...`: dots count folders up from the importer's."""
        dots = len(module) - len(module.lstrip("."))
        folder = PurePath(importer).parent
        for _ in range(dots - 1):
            folder = folder.parent
        rest = module.lstrip(".")
        target = folder.joinpath(*rest.split(".")) if rest else folder
        for path in (f"{target}.py", str(target / "__init__.py"), f"{target}.ipynb"):
            if path in self.paths:
                return path
        return None

    def find(self, module: str, importer: str) -> str | None:
        return self.relative(module, importer) if module.startswith(".") else self.absolute(module, importer)


def _names(path: str) -> list[str]:
    parts = PurePath(path).with_suffix("").parts
    if parts and parts[-1] == "__init__":
        parts = parts[:-1]
    return [
        ".".join(parts[i:])
        for i in range(len(parts) - 1, max(-1, len(parts) - 7), -1)
        if all(p.isidentifier() for p in parts[i:])
    ]


def _shared(a: tuple[str, ...], b: tuple[str, ...]) -> int:
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    return count


def _reachable(path: str, module: str, importer: str) -> bool:
    """A plain `import data` means a file on the path: beside the importer, or in a folder above it."""
    root = PurePath(path).with_suffix("").parts
    if root and root[-1] == "__init__":
        root = root[:-1]
    base = root[: len(root) - module.count(".") - 1]
    return PurePath(importer).parts[: len(base)] == base
