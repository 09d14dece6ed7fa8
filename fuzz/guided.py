"""`python -m fuzz.guided LAW [--seconds N]`: a law against what Atheris makes of bytes that led on.

What broke the law stays in `.fuzz/LAW/`; give such a file instead of `--seconds` to see it break again. What
led to new places in the code is kept in `fuzz/corpus/LAW/` with `--keep`.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

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
    asked = parser.parse_args()
    law = LAWS[asked.law]
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
        flags, folders = ["-merge=1"], folders[::-1]
    atheris.Setup([sys.argv[0], *flags, *folders], lambda given: law(Bytes(given)))
    atheris.Fuzz()


if __name__ == "__main__":
    main()
