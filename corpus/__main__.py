"""`python -m corpus [--update] [PACKAGE ...]`: fetch the packages, check them, compare with the reviewed
findings.

Fails on a crash, on running out of time, on an error or warning that no one has judged, and where fewer than
95 of 100 judged ones are true. `--update` adds the new ones to `reviewed.json` as "unreviewed", for a person
to judge."""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field

from corpus.packages import PACKAGES, Examples, Package, fetch
from corpus.review import UNREVIEWED, Key, Review, keyed, load, save

TIME_LIMIT_S = 600  # for one package
TRUE_SHARE = 0.95
LOUD = {"error", "warning"}


@dataclass
class Checked:
    """What one package gave."""

    package: Package | Examples
    files: int
    lines: int
    seconds: float
    findings: list[dict] = field(default_factory=list)
    trouble: str = ""


def check(package: Package | Examples) -> Checked:
    try:
        folder = fetch(package)
    except (OSError, subprocess.CalledProcessError) as error:
        return Checked(package, 0, 0, 0.0, trouble=f"cannot be fetched: {error}")
    paths = sorted(folder.rglob("*.py"))
    lines = sum(path.read_bytes().count(b"\n") for path in paths)
    command = [sys.executable, "-m", "torchwise", "check", str(folder), "--output-format", "json"]
    options = ["--isolated", "--no-cache", "--exit-zero"]
    start = time.perf_counter()
    code, output, errors = outcome([*command, *options])
    checked = Checked(package, len(paths), lines, time.perf_counter() - start)
    if code is None:
        checked.trouble = f"not done after {TIME_LIMIT_S} s"
    elif code != 0:
        checked.trouble = f"ended with {code}\n{errors[-4000:]}"
    else:
        checked.findings = json.loads(output)
    return checked


def outcome(command: list[str]) -> tuple[int | None, str, str]:
    """Exit code, output and errors; no code where time ran out. The run's own processes never outlive it."""
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    try:
        output, errors = process.communicate(timeout=TIME_LIMIT_S)
        return process.returncode, output, errors
    except subprocess.TimeoutExpired:
        return None, "", ""
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m corpus", description=__doc__)
    parser.add_argument("packages", nargs="*", metavar="PACKAGE", help="only these")
    parser.add_argument("--update", action="store_true", help="add what no one has judged to reviewed.json")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that what is running is ended too
    chosen = [p for p in PACKAGES if not arguments.packages or p.name in arguments.packages]
    if unknown := set(arguments.packages) - {p.name for p in PACKAGES}:
        parser.error(f"no such package: {', '.join(sorted(unknown))}")

    checked = [check(package) for package in chosen]
    loud: dict[Key, dict] = {}
    for one in checked:
        audible = [finding for finding in one.findings if finding["severity"] in LOUD]
        loud |= keyed(f"{one.package.name} {one.package.version}", one.package.folder, audible)

    reviews = load()
    if arguments.update:
        new = {key: Review(UNREVIEWED, "", loud[key]["message"]) for key in loud.keys() - reviews.keys()}
        reviews |= new
        save(reviews)
        print(f"{len(new)} added as {UNREVIEWED}")
    verdicts = {key: reviews[key].verdict if key in reviews else UNREVIEWED for key in loud}
    report(checked, verdicts)
    return failures(checked, loud, verdicts)


def report(checked: list[Checked], verdicts: dict[Key, str]) -> None:
    print(f"{'package':<32}{'files':>7}{'lines':>9}{'seconds':>9}{'loud':>6}{'hints':>7}")
    for one in checked:
        hints = sum(finding["severity"] not in LOUD for finding in one.findings)
        name = f"{one.package.name} {one.package.version}"
        said = len(one.findings) - hints
        print(f"{name:<32}{one.files:>7}{one.lines:>9}{one.seconds:>9.1f}{said:>6}{hints:>7}")
    totals = [sum(values) for values in zip(*((c.files, c.lines, c.seconds) for c in checked))]
    print(f"{'all':<32}{totals[0]:>7}{totals[1]:>9}{totals[2]:>9.1f}")

    print(f"\n{'rule':<36}{'true':>6}{'debatable':>11}{'false':>7}{'unreviewed':>12}")
    by_rule: dict[str, Counter[str]] = {}
    for key, verdict in verdicts.items():
        by_rule.setdefault(key.rule, Counter())[verdict] += 1
    for rule in sorted(by_rule):
        count = by_rule[rule]
        print(
            f"{rule:<36}{count['true']:>6}{count['debatable']:>11}{count['false']:>7}{count[UNREVIEWED]:>12}"
        )
    if hints_by_rule := Counter(
        f["name"] for one in checked for f in one.findings if f["severity"] not in LOUD
    ):
        print("\nhints: " + ", ".join(f"{rule} {count}" for rule, count in hints_by_rule.most_common()))


def failures(checked: list[Checked], loud: dict[Key, dict], verdicts: dict[Key, str]) -> int:
    """Says what is wrong, and how many kinds of wrong there are."""
    troubles = [f"{one.package.name}: {one.trouble}" for one in checked if one.trouble]
    for key in sorted(key for key, verdict in verdicts.items() if verdict == UNREVIEWED):
        finding = loud[key]
        place = f"{finding['filename']}:{finding['location']['row']}"
        troubles.append(f"{place}: {key.rule}: {finding['message']} ({UNREVIEWED})")
    judged = [verdict for verdict in verdicts.values() if verdict != UNREVIEWED]
    if judged:
        share = judged.count("true") / len(judged)
        print(f"\n{judged.count('true')} of {len(judged)} judged errors and warnings are true: {share:.1%}")
        if share < TRUE_SHARE:
            troubles.append(f"at least {TRUE_SHARE:.0%} must be true")
    for trouble in troubles:
        print(trouble, file=sys.stderr)
    return 1 if troubles else 0


if __name__ == "__main__":
    sys.exit(main())
