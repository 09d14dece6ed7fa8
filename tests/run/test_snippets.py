"""What `FILE#SNIPPET` means."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from torchwise.run.snippets import NoSuchSnippet, Snippet, chosen, snippets_of

LESSON = """---
kernelspec: python3
---
# Views

```python
not_run = True
```

```{code-cell} python
:label: first
x = 1
```

````{code-cell}
---
tags: [raises-exception]
---
"```"
````
"""


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_file_is_one_snippet(tmp_path: Path) -> None:
    (found,) = snippets_of(write(tmp_path, "a.py", "x = 1\ny = 2\n"))
    assert found == Snippet("x = 1\ny = 2\n", 1, is_cell=False)


def test_cells_of_a_python_file(tmp_path: Path) -> None:
    path = write(tmp_path, "a.py", "import torch\n# %% first\nx = 1\n# %% [markdown]\n# words\n#%%\ny = 2\n")
    found = snippets_of(path)
    assert [(snippet.first_row, snippet.label) for snippet in found] == [(1, ""), (2, "first"), (6, "")]
    _, before, (wanted,) = chosen(f"{path}#first")
    assert [snippet.code for snippet in before] == ["import torch"] and wanted.code == "# %% first\nx = 1"
    assert chosen(f"{path}#3")[2][0].code == "#%%\ny = 2"


def test_cells_of_a_lesson(tmp_path: Path) -> None:
    first, second = snippets_of(write(tmp_path, "a.md", LESSON))
    assert first == Snippet("x = 1", 12, "first")
    assert second == Snippet('"```"', 19, "", may_raise=True)


def test_cells_of_a_notebook(tmp_path: Path) -> None:
    cells = [{"cell_type": "markdown", "source": "a"}, {"cell_type": "code", "source": ["x = 1\n", "x"]}]
    assert snippets_of(write(tmp_path, "a.ipynb", json.dumps({"cells": cells}))) == [Snippet("x = 1\nx", 1)]


def test_what_is_not_there_is_said(tmp_path: Path) -> None:
    path = write(tmp_path, "a.md", LESSON)
    with pytest.raises(NoSuchSnippet, match="no snippet `3`; it has: first, 2"):
        chosen(f"{path}#3")
    with pytest.raises(NoSuchSnippet, match="no notebook"):
        snippets_of(write(tmp_path, "b.ipynb", "{"))
    with pytest.raises(OSError):
        chosen(str(tmp_path / "missing.py"))
