"""Every option of every command stands in a test; shells can complete them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from torchwise.cli import main

TESTS = Path(__file__).parents[1]


def options(command: click.Command, name: str) -> Iterator[tuple[str, list[str]]]:
    """(command, the spellings of an option)."""
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for inner in command.list_commands(ctx):
            found = command.get_command(ctx, inner)
            assert found is not None
            yield from options(found, f"{name} {inner}".strip())
    for param in command.params:
        if isinstance(param, click.Option):
            yield name, param.opts


def test_every_option_is_tested() -> None:
    tests = "".join(
        path.read_text(encoding="utf-8") for path in sorted(TESTS.rglob("*.py")) if path != Path(__file__)
    )
    missing = [
        f"{name} {opts}" for name, opts in options(main, "") if not any(f'"{opt}' in tests for opt in opts)
    ]
    assert missing == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_shell_can_be_taught_to_complete(shell: str) -> None:
    script = completing({"_TORCHWISE_COMPLETE": f"{shell}_source"})
    assert "_TORCHWISE_COMPLETE" in script and "torchwise" in script


def test_options_and_commands_are_completed() -> None:
    said = completing(
        {"_TORCHWISE_COMPLETE": "bash_complete", "COMP_WORDS": "torchwise che", "COMP_CWORD": "1"}
    )
    assert said.split(",")[-1].strip() == "check"
    said = completing(
        {"_TORCHWISE_COMPLETE": "bash_complete", "COMP_WORDS": "torchwise check --out", "COMP_CWORD": "2"}
    )
    assert "--output-format" in said


def completing(environment: dict[str, str]) -> str:
    code = "from torchwise.cli import main; main(prog_name='torchwise')"
    command = [sys.executable, "-c", code]
    path = {"PYTHONPATH": str(TESTS.parent / "server"), "PATH": "/usr/bin:/bin"}
    return subprocess.run(command, env={**path, **environment}, capture_output=True, text=True).stdout
