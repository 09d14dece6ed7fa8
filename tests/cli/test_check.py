"""`check`: what is found, what is said, and the status."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Torchwise

Write = Callable[..., Path]


def found(torchwise: Torchwise, *arguments: str, **more: Any) -> list[tuple[str, str, int]]:
    """(file name, code, row) of each finding."""
    result = torchwise("check", "--output-format", "json", *arguments, **more)
    entries = json.loads(result.stdout)
    return [(Path(entry["filename"]).name, entry["code"], entry["location"]["row"]) for entry in entries]


# -- status ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "options", "status"),
    [
        ("new(1)\n", [], 0),
        ("old(1)\n", [], 1),
        ("risky(1)\n", [], 1),
        ("slow(1)\n", [], 0),  # a hint fails nothing
        ("x = (\n", [], 1),
        ("old(1)\n", ["--exit-zero"], 0),
        ("old(1)\n", ["--ignore", "TW901"], 0),
        ("CRASH\n", [], 2),
        ("CRASH\n", ["--exit-zero"], 0),
    ],
)
def test_the_status_says_what_happened(
    torchwise: Torchwise, write: Write, text: str, options: list[str], status: int
) -> None:
    write("a.py", text)
    assert torchwise("check", *options).exit_code == status


def test_text_is_the_default(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "old(1)\n")
    assert "    1 │ old(1)\n      │ ^^^\n     = fix: Use `new`\n" in torchwise("check").stdout
    assert torchwise("check", "--ignore", "words").stdout == "No problems in 1 file\n"


@pytest.mark.parametrize("form", ["concise", "github", "gitlab", "json", "sarif", "text"])
def test_every_format_can_be_chosen(torchwise: Torchwise, write: Write, form: str) -> None:
    write("a.py", "old(1)\n")
    result = torchwise("check", "--output-format", form)
    assert result.exit_code == 1 and "`old` is out of date" in result.stdout


def test_statistics_count_by_rule(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "old(1)\nold(2)\nslow(3)\n")
    assert torchwise("check", "--statistics").stdout.startswith("2  TW901  [*]  warning  old-call\n1  TW903")
    counts = json.loads(torchwise("check", "--statistics", "--output-format", "json").stdout)
    assert [(entry["code"], entry["count"]) for entry in counts] == [("TW901", 2), ("TW903", 1)]


# -- files -----------------------------------------------------------------------------------------------


def test_folders_are_walked_in_order(torchwise: Torchwise, write: Write) -> None:
    for name in (
        "b.py",
        "a/z.py",
        "a.py",
        "a/b.txt",
        ".venv/x.py",
        "node_modules/x.py",
        "env/pyvenv.cfg",
        "env/x.py",
    ):
        write(name, "old(1)\n")
    assert [name for name, _, _ in found(torchwise)] == ["a.py", "z.py", "b.py"]
    assert [name for name, _, _ in found(torchwise, "a", "a/z.py", "b.py")] == ["z.py", "b.py"]


def test_a_named_file_is_checked_wherever_it_is(torchwise: Torchwise, write: Write) -> None:
    write("build/script", "old(1)\n")
    write("torchwise.toml", 'exclude = ["build"]\n')
    assert found(torchwise) == []
    assert found(torchwise, "build/script") == [("script", "TW901", 1)]


def test_an_empty_folder_is_said_to_be_empty(torchwise: Torchwise) -> None:
    result = torchwise("check")
    assert result.exit_code == 0 and "no Python files and no notebooks there" in result.stderr


def test_gitignore_decides_in_a_repository(torchwise: Torchwise, write: Write) -> None:
    (Path.cwd() / ".git").mkdir()
    write(".gitignore", "generated/\n*_pb2.py\n")
    write("sub/.gitignore", "!keep_pb2.py\n")
    for name in ("generated/a.py", "b_pb2.py", "sub/keep_pb2.py", "sub/c.py"):
        write(name, "old(1)\n")
    assert [name for name, _, _ in found(torchwise)] == ["c.py", "keep_pb2.py"]
    assert [name for name, _, _ in found(torchwise, "sub")] == ["c.py", "keep_pb2.py"]
    write("torchwise.toml", "respect-gitignore = false\n")
    assert len(found(torchwise)) == 4


def test_links_make_no_circles(torchwise: Torchwise, write: Write) -> None:
    write("a/x.py", "old(1)\n")
    os.symlink("..", "a/up")
    os.symlink("loop.py", "loop.py")
    os.symlink("nowhere.py", "lock.py")
    assert found(torchwise) == [("x.py", "TW901", 1)]
    result = torchwise("check", "loop.py")
    assert result.exit_code == 2 and "loop.py: Too many levels of symbolic links" in result.stderr


def test_what_cannot_be_read_is_said_and_the_rest_is_checked(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "old(1)\n")
    os.mkfifo("pipe.py")
    result = torchwise("check", ".", "missing.py", "pipe.py", "nul\0.py", "--output-format", "concise")
    assert result.exit_code == 2
    assert "missing.py: No such file or directory" in result.stderr
    assert "pipe.py: neither a file nor a folder" in result.stderr
    assert "a.py:1:1: warning TW901" in result.stdout
    assert torchwise("check", "missing.py", "--exit-zero").exit_code == 2


@pytest.mark.parametrize(
    ("raw", "codes"),
    [
        (b"", []),
        (b"\xef\xbb\xbfold(1)\n", ["TW901"]),
        (b"# coding: latin-1\nold('\xe9')\n", ["TW901"]),
        (b"old('\xff')\n", ["TW901"]),
        (b"# coding: nonsense\nold(1)\n", ["TW901"]),
        ("old(1)\n".encode("utf-16"), ["TW901"]),
        (b"\r\n\r\nold(1)\rold(2)\x0c\n", ["TW901", "TW901"]),
        (b"\0\0\0", ["TW000"]),
    ],
)
def test_odd_bytes_are_read_as_well_as_can_be(
    torchwise: Torchwise, write: Write, raw: bytes, codes: list[str]
) -> None:
    write("a.py", raw)
    assert [code for _, code, _ in found(torchwise)] == codes


def test_a_broken_file_stops_nothing(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "x = (\n")
    write("b.py", "old(1)\n")
    write("c.ipynb", '{"cells": [}')
    assert found(torchwise) == [("a.py", "TW000", 1), ("b.py", "TW901", 1), ("c.ipynb", "TW000", 1)]


def test_a_crash_is_confessed_and_the_rest_is_checked(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "CRASH\n")
    write("b.py", "old(1)\nCRASHING_RULE\n")
    result = torchwise("check", "--output-format", "concise")
    assert "b.py:1:1: warning TW901" in result.stdout
    assert "crashed on purpose" in result.stderr and "raised ValueError" in result.stderr


def test_files_see_each_other(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "from b import shared\n")
    write("b.py", "shared = bad\n")
    assert found(torchwise) == [("a.py", "TW905", 1)]


def test_a_file_sees_what_it_imports_though_it_was_not_asked_about(
    torchwise: Torchwise, write: Write
) -> None:
    write("pkg/__init__.py", "")
    write("pkg/a.py", "from .b import shared\n")
    write("pkg/b.py", "from pkg.c import nothing\nshared = bad; old(1)\n")
    write("pkg/c.py", "old(2)\n")
    assert found(torchwise, "pkg/a.py") == [("a.py", "TW905", 1)]
    assert found(torchwise, "-", "--stdin-filename", "pkg/a.py", stdin="from .b import shared") == [
        ("a.py", "TW905", 1)
    ]


def test_notebooks_are_checked_cell_by_cell(torchwise: Torchwise, write: Write) -> None:
    cells = [("markdown", "old(1)"), ("code", "%time old(1)\n"), ("code", ["x = 1\n", "old(1)"])]
    body = {"cells": [{"cell_type": kind, "source": source} for kind, source in cells]}
    write("a.ipynb", json.dumps(body))
    entries = json.loads(torchwise("check", "--output-format", "json").stdout)
    assert [(entry["cell"], entry["location"]["row"]) for entry in entries] == [(3, 2)]


# -- standard input --------------------------------------------------------------------------------------


def test_standard_input_is_checked_under_its_name(torchwise: Torchwise, write: Write) -> None:
    write("pkg/torchwise.toml", 'ignore = ["TW902"]\n')
    named = ["--stdin-filename", "pkg/a.py"]
    assert found(torchwise, "-", *named, stdin="old(1)\nrisky(2)\n") == [("a.py", "TW901", 1)]
    assert found(torchwise, *named, stdin="old(1)\n") == [("a.py", "TW901", 1)]
    assert found(torchwise, "-", stdin="old(1)\n") == [("stdin.py", "TW901", 1)]
    notebook = json.dumps({"cells": [{"cell_type": "code", "source": "old(1)"}]})
    assert found(torchwise, "-", "--stdin-filename", "a.ipynb", stdin=notebook) == [("a.ipynb", "TW901", 1)]


def test_mended_standard_input_goes_to_standard_output(torchwise: Torchwise) -> None:
    result = torchwise("check", "-", "--fix", stdin=b"old(1)\r\nrisky(1)\r\n")
    assert result.stdout_bytes == b"new(1)\r\nrisky(1)\r\n"
    assert result.exit_code == 1 and "TW902" in result.stderr


# -- which rules -----------------------------------------------------------------------------------------

ALL = "old(1); risky(2); slow(3)\n"


@pytest.mark.parametrize(
    ("config", "options", "codes"),
    [
        ("", [], "TW901 TW902 TW903"),
        ("", ["--select", "TW901,slow-call"], "TW901 TW903"),
        ("", ["--select", "words", "--ignore", "TW902"], "TW901 TW903"),
        ("", ["--select", "TW90", "--ignore", "TW9"], "TW901 TW902 TW903"),  # the narrower one decides
        ("", ["--select", "TW9", "--ignore", "TW9"], ""),
        ('select = ["TW901"]', [], "TW901"),
        ('select = ["TW901"]', ["--extend-select", "TW903"], "TW901 TW903"),
        ('ignore = ["TW901"]', ["--select", "TW901"], "TW901"),  # what is said now stands above
        ('ignore = ["TW901"]', ["--ignore", "TW902"], "TW903"),
        ('ignore = ["TW901"]', ["--isolated"], "TW901 TW902 TW903"),
        ('severity = { TW902 = "off", words = "hint" }', [], "TW901 TW903"),
        ('per-file-ignores = { "a.py" = ["TW901"], "b*" = ["ALL"] }', [], "TW902 TW903"),
    ],
)
def test_rules_are_chosen(
    torchwise: Torchwise, write: Write, config: str, options: list[str], codes: str
) -> None:
    write("a.py", ALL)
    write("torchwise.toml", config)
    assert [code for _, code, _ in found(torchwise, *options)] == codes.split()


def test_severity_can_be_set(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "risky(1)\n")
    write("pyproject.toml", '[tool.torchwise]\nseverity = { risky-call = "hint" }\n')
    result = torchwise("check", "--output-format", "concise")
    assert "hint TW902" in result.stdout and result.exit_code == 0


def test_the_nearest_configuration_holds(torchwise: Torchwise, write: Write) -> None:
    write("torchwise.toml", 'ignore = ["TW901"]\n')
    write("inner/pyproject.toml", '[tool.torchwise]\nignore = ["TW902"]\n')
    write("inner/deep/pyproject.toml", "[tool.other]\n")  # says nothing of Torchwise
    write("a.py", "old(1); risky(2)\n")
    write("inner/deep/b.py", "old(1); risky(2)\n")
    assert found(torchwise) == [("a.py", "TW902", 1), ("b.py", "TW901", 1)]


@pytest.mark.parametrize(
    ("config", "message"),
    [
        ('selct = ["TW901"]', "`selct` is not a setting; did you mean `select`?"),
        ("select = 3", '`select` must be a list of strings, like `["TW301", "gradients"]`'),
        (
            'select = ["TW999"]',
            "`TW999` in `select` is no rule, family or prefix of codes; did you mean `TW90",
        ),
        ('ignore = ["old-cal"]', "did you mean `old-call`?"),
        (
            'severity = { TW901 = "loud" }',
            '`severity` says `TW901 = "loud"`; a level is one of error, warning, hint, off',
        ),
        ("target-torch = 2.9", '`target-torch` must be a version of torch, like "2.9"'),
        ('respect-gitignore = "yes"', "`respect-gitignore` must be true or false"),
        ("select = [", "not TOML"),
    ],
)
def test_a_wrong_configuration_names_the_key(
    torchwise: Torchwise, write: Write, config: str, message: str
) -> None:
    write("torchwise.toml", config)
    write("a.py", "old(1)\n")
    result = torchwise("check")
    assert result.exit_code == 2 and message in result.stderr
    assert torchwise("check", "--isolated").exit_code == 1


def test_options_that_mean_nothing_are_refused(torchwise: Torchwise, write: Write) -> None:
    write("a.py", "old(1)\n")
    assert "did you mean `old-call`?" in torchwise("check", "--select", "old-cal").stderr
    assert "must be a version of torch" in torchwise("check", "--target-torch", "new").stderr
    assert torchwise("check", "--target-torch", "2.9").exit_code == 1
    assert torchwise("check", "--nonsense").exit_code == 2
    assert "did you mean `check`?" in torchwise("chek").stderr


# -- comments and files of their own ---------------------------------------------------------------------


def test_noqa_comments_are_added_once(torchwise: Torchwise, write: Write) -> None:
    path = write("a.py", 'old(risky(1))\r\nslow(1)  # why\r\nx = """\r\nold(2)"""; y = old("""\r\n""")\r\n')
    result = torchwise("check", "--add-noqa")
    text = path.read_bytes().decode()
    assert text.startswith("old(risky(1))  # noqa: TW901, TW902\r\nslow(1)  # why  # noqa: TW903\r\n")
    assert text.endswith('x = """\r\nold(2)"""; y = old("""\r\n""")\r\n')  # a comment would be in the string
    assert "Added comments for 3 findings" in result.stderr and result.exit_code == 1
    torchwise("check", "--add-noqa")
    assert path.read_bytes().decode() == text


def test_the_module_is_the_command() -> None:
    run = subprocess.run([sys.executable, "-m", "torchwise", "--version"], capture_output=True, text=True)
    assert run.stdout.startswith("torchwise ")


def test_help_lists_the_commands(torchwise: Torchwise) -> None:
    text = torchwise("--help").stdout
    assert all(f"\n  {name} " in text for name in ("check", "explain", "fix", "rules", "server", "shapes"))
    assert "Ends with 0" in torchwise("check", "-h").stdout
