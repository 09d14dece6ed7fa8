"""`python -m tests.truth`: what is predicted of each program beside what Dynamo did with it."""

from __future__ import annotations

import sys

from tests.truth.agreement import agreement, compared

if __name__ == "__main__":
    rows = compared()
    for row in rows:
        print(f"{'ok   ' if row.real == row.said else 'DIFFER'} {row.name}: {row.told}")
    lines, verdicts = agreement(rows)
    print(f"{len(rows)} programs: lines agree {lines:.3f} (f1), verdicts {verdicts:.3f}")
    sys.exit(min(lines, verdicts) < 0.92)
