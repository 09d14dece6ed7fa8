"""`python -m fuzz.drawn LAW [--seconds N]`: a law against what Hypothesis draws.

A counterexample is made small and shown.
"""

from __future__ import annotations

import argparse
import time

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fuzz.choices import Drawn
from fuzz.laws import LAWS

BATCH = 200  # examples, between looks at the clock


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m fuzz.drawn", description=__doc__)
    parser.add_argument("law", choices=LAWS)
    parser.add_argument("--seconds", type=int, default=1800)
    asked = parser.parse_args()
    law, end, examples = LAWS[asked.law], time.monotonic() + asked.seconds, 0

    @settings(max_examples=BATCH, deadline=None, database=None, suppress_health_check=list(HealthCheck),
              phases=[Phase.generate, Phase.shrink])  # fmt: skip
    @given(st.data())
    def holds(data: st.DataObject) -> None:
        nonlocal examples
        examples += 1
        law(Drawn(data))

    while time.monotonic() < end:
        holds()
    print(f"{asked.law}: {examples} examples, and the law held")


if __name__ == "__main__":
    main()
