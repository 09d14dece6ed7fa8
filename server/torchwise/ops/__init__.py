"""What each torch API requires, returns and does: tables, one file per chapter of the torch docs.

The folder is the list: every module in it is imported, and importing it writes its rows.
"""

from __future__ import annotations

import importlib
import pkgutil

from torchwise.ops.spec import OPS, Broken, Given, Made, Op, Outcome

__all__ = ["OPS", "Broken", "Given", "Made", "Op", "Outcome"]

for _module in pkgutil.iter_modules(__path__):
    if _module.name not in ("spec", "axes"):
        importlib.import_module(f"{__name__}.{_module.name}")
