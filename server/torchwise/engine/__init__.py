"""The one door: texts, notebooks and settings go in; findings, hovers, hints and shapes come out.

The engine opens no file and asks no kernel. `lsp/`, `cli/`, `run/` and `lessons/` talk to this and to
nothing below it.
"""

from torchwise.engine.door import Engine

__all__ = ["Engine"]
