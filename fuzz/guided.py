"""`python -m fuzz.guided LAW [--seconds N]`: a law against what Atheris makes of bytes that led on.

What broke the law stays in `.fuzz/LAW/`; give such a file instead of `--seconds` to see it break again. What
led to new places in the code is kept in `fuzz/corpus/LAW/` with `--keep`: as few as reach all of them.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import NoReturn

import atheris  # type: ignore[import-not-found]

with atheris.instrument_imports(include=["torchwise"]):
    from fuzz.choices import Bytes
    from fuzz.laws import LAWS

HERE = Path(__file__).parent
LARGEST, SLOWEST_S = 600, 60


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz.guided", description=__doc__)
    parser.add_argument("law", choices=LAWS)
    parser.add_argument("--seconds", type=int, default=1800)
    parser.add_argument("--keep", action="store_true", help="thin out what was gathered, into fuzz/corpus")
    parser.add_argument("again", nargs="*", type=Path)
    asked, inner = parser.parse_known_args()
    law = LAWS[asked.law]
    if inner:  # the fuzzer starts itself, to merge
        _fuzz(asked.law, [*inner, *map(str, asked.again)])
    if asked.again:
        for path in asked.again:
            law(Bytes(path.read_bytes()))
        return
    kept, gathered = HERE / "corpus" / asked.law, HERE.parent / ".fuzz" / asked.law
    for folder in (kept, gathered / "gathered"):
        folder.mkdir(parents=True, exist_ok=True)
    flags = [
        f"-max_total_time={asked.seconds}",
        f"-max_len={LARGEST}",
        f"-timeout={SLOWEST_S}",
        "-rss_limit_mb=4000",
    ]
    flags += [f"-artifact_prefix={gathered}/", "-print_final_stats=1", "-len_control=0"]
    folders = [str(gathered / "gathered"), str(kept)]
    if asked.keep:
        flags, folders = ["-set_cover_merge=1", f"-max_len={LARGEST}"], folders[::-1]
    _fuzz(asked.law, flags + folders)


def _fuzz(name: str, arguments: list[str]) -> NoReturn:
    """The first argument is what a shell starts it with."""
    law = LAWS[name]
    atheris.Setup([f"{sys.executable} -m fuzz.guided {name}", *arguments], lambda given: law(Bytes(given)))
    atheris.Fuzz()
    raise AssertionError("it ends the process")


if __name__ == "__main__":
    main()
