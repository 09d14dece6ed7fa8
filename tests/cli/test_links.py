"""Which files may know of each other, before anything is parsed."""

from __future__ import annotations

import pytest

from torchwise.project.links import components, mentioned


@pytest.mark.parametrize(
    ("text", "modules"),
    [
        ("import a", "a"),
        ("import a.b as c, d  # , e", "a a.b d"),
        ("if x: import a; import b", "a b"),
        ("from a.b import c as d", "a.b a.b.c"),
        ("from . import a", ". .a"),
        ("from ..a import *", "..a"),
        ("from a import (  # why, x\n    b,\n    c,\n)\nimport d", "a a.b a.c d"),
        ("from a \\\n    import b", "a a.b"),
        ("important = from_x", ""),
        ("", ""),
    ],
)
def test_modules_are_read_off_the_text(text: str, modules: str) -> None:
    assert set(modules.split()) <= set(mentioned(text)) <= {*modules.split(), "a.as", "a.b.as", "a.b.d"}


def test_files_hang_together_by_imports() -> None:
    texts = {
        "/p/train.py": "from net.model import Net",
        "/p/net/__init__.py": "",
        "/p/net/model.py": "from . import blocks",
        "/p/net/blocks.py": "import torch",
        "/p/tool.py": "import numpy",
        "/p/torch_like/data.py": "",
        "/q/use.py": "import train",  # not on its path
        "/p/sub/deep/run.py": "import tool",  # a folder above is
    }
    assert components({path: set(mentioned(text)) for path, text in texts.items()}) == [
        ("/p/net/__init__.py", "/p/net/blocks.py", "/p/net/model.py", "/p/train.py"),
        ("/p/sub/deep/run.py", "/p/tool.py"),
        ("/p/torch_like/data.py",),
        ("/q/use.py",),
    ]


def test_packages_run_their_init() -> None:
    texts = {
        "/p/a/__init__.py": "import z",
        "/p/a/b/__init__.py": "",
        "/p/a/b/c.py": "",
        "/p/m.py": "import a.b.c",
        "/p/z.py": "",
    }
    assert len(components({path: set(mentioned(text)) for path, text in texts.items()})) == 1
