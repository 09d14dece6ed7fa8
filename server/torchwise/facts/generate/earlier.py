"""The facts of an earlier torch, as what is different from the installed one: `--earlier FOLDER`.

The folder is an unpacked wheel. Nothing of it is imported: that would need the libraries that it was built
with, and one process has one torch. So only what its files say is compared, by the same readers on both:
operators (`native_functions.yaml`, `derivatives.yaml`), deprecations in Python sources, public names with
their parameters. What is seen by running (`composite_saves`, classes) is taken to be equal.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

from torchwise.facts.generate import deprecations
from torchwise.facts.generate.listed import listed


def difference(folder: Path) -> dict[str, Any]:
    """What an earlier version lacks, and what it says otherwise or alone."""
    here = Path(torch.__file__).parents[1]
    now, then = read_from(here), read_from(folder)
    lacking: dict[str, Any] = {}
    more: dict[str, Any] = {}
    for section, entries in now.items():
        lacking[section], more[section] = compared(entries, then[section], nested=section == "names")
    return {
        "version": version_of(folder),
        "from": ".".join(torch.__version__.split(".")[:2]),
        "without": {section: found for section, found in lacking.items() if found},
        "with": {section: found for section, found in more.items() if found},
    }


def compared(now: Any, then: Any, nested: bool = False) -> tuple[Any, Any]:
    """What the earlier of two lists or tables lacks, and what it has alone; `nested`: tables of tables."""
    if isinstance(now, list):
        return [entry for entry in now if entry not in then], [entry for entry in then if entry not in now]
    if not nested:
        other = {key: entry for key, entry in then.items() if now.get(key) != entry}
        return [key for key in now if key not in then], other
    pairs = {key: compared(entries, then.get(key, {})) for key, entries in now.items()}
    return (
        {key: lacking for key, (lacking, _) in pairs.items() if lacking},
        {key: more for key, (_, more) in pairs.items() if more},
    )


def read_from(root: Path) -> dict[str, Any]:
    """The sections that can be read from files alone."""
    deprecations.ROOT = root / "torch"
    found = (entry for path in deprecations.sources() for entry in deprecations.of_module(path))
    return {
        **operators(root),
        "deprecations": deprecations.distinct(found),
        "names": listed(root),
    }


OPERATORS = """
import json
from torchwise.facts.generate import derivatives, schemas
made = {n: getattr(schemas, n)() for n in ("composites", "views", "aliases", "mutations", "tags")}
print(json.dumps({"saves": derivatives.saves(), **made}))
"""


def operators(root: Path) -> dict[str, Any]:
    """What torch's code generator reads, in a process of its own: each torch brings one."""
    with tempfile.TemporaryDirectory() as alone:
        Path(alone, "torchgen").symlink_to(root / "torchgen")
        found = os.pathsep.join([alone, str(Path(__file__).parents[3])])
        ran = subprocess.run(
            [sys.executable, "-c", OPERATORS],
            env={**os.environ, "PYTHONPATH": found},
            capture_output=True,
            text=True,
            check=True,
        )
    made: dict[str, Any] = json.loads(ran.stdout)
    return made


def version_of(folder: Path) -> str:
    found = re.search(
        r'__version__ = ["\']([\d.]+)', (folder / "torch" / "version.py").read_text(encoding="utf-8")
    )
    assert found is not None, "a wheel of torch says its version"
    return found[1]


def as_lines(found: dict[str, Any]) -> str:
    """One line for each entry, in a fixed order."""
    return json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
