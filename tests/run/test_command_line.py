"""`torchwise run` and `torchwise devices`, as they are typed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

LESSON = "```{code-cell}\nx = 20\n```\n\n```{code-cell}\n:label: show\nprint(x + 1)\n1 / 0\n```\n"


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "torchwise", *arguments]
    return subprocess.run(line, cwd=folder, capture_output=True, text=True, timeout=60)


def test_a_file_is_run(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import sys\nprint('out')\nprint('err', file=sys.stderr)\n")
    done = command(tmp_path, "run", "a.py")
    assert (done.returncode, done.stdout, done.stderr) == (0, "out\n", "err\n")


def test_a_snippet_is_run_after_those_before_it(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(LESSON)
    done = command(tmp_path, "run", "a.md#show", "--device", "cpu")
    assert (done.returncode, done.stdout) == (1, "21\n")
    assert "a.md, line 8\n    1 / 0\nZeroDivisionError: division by zero" in done.stderr


def test_pictures_are_kept_where_they_are_wanted(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\n")
    done = command(tmp_path, "run", "a.py", "--pictures", "shown")
    assert done.returncode == 0 and "shown/picture-1.png" in done.stdout
    assert (tmp_path / "shown" / "picture-1.png").read_bytes().startswith(b"\x89PNG")


def test_all_that_is_told_can_be_had_as_json(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(1)\n")
    done = command(tmp_path, "run", "a.py", "--output-format", "jsonl")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert lines[-1]["kernel"]["state"] == "stopped"
    assert {"run": "0", "output": {"kind": "stream", "name": "stdout", "text": "1\n"}} in [
        line.get("output") for line in lines
    ]
    assert [line["result"]["ended"] for line in lines if "result" in line] == ["done"]


def test_ctrl_c_interrupts_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\nprint(os.getpid(), flush=True)\nwhile True: pass\n")
    line = [sys.executable, "-m", "torchwise", "run", "a.py"]
    with subprocess.Popen(
        line, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout and process.stderr
        kernel = int(process.stdout.readline())
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 130 and "KeyboardInterrupt" in process.stderr.read()
    with pytest.raises(ProcessLookupError):
        os.kill(kernel, 0)


def test_a_killed_command_takes_its_kernel_along(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import os\nprint(os.getpid(), flush=True)\nwhile True: pass\n")
    line = [sys.executable, "-m", "torchwise", "run", "a.py"]
    with subprocess.Popen(line, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        kernel = int(process.stdout.readline())
        process.kill()
    end = time.monotonic() + 10
    while Path(f"/proc/{kernel}").exists() and time.monotonic() < end:
        time.sleep(0.1)
    with pytest.raises(ProcessLookupError):
        os.kill(kernel, 0)


def test_trouble_is_told_and_ends_with_two(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("print(1)\n")
    missing = command(tmp_path, "run", "b.py")
    assert missing.returncode == 2 and "No such file" in missing.stderr
    wrong = command(tmp_path, "run", "a.py", "--device", "gpu")
    assert wrong.returncode == 2 and "`gpu` is no device" in wrong.stderr
    secret = command(tmp_path, "run", "a.py", "--device", "http://localhost:1?token=t0p")
    assert secret.returncode == 2 and "t0p" not in secret.stderr


def test_a_trace_is_printed_as_rows(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import torch\nprint('words')\nx = torch.zeros(2, 3)\n")
    done = command(tmp_path, "run", "--trace", "a.py")
    row = {
        "row": 3,
        "name": "x",
        "shape": [2, 3],
        "dtype": "float32",
        "device": "cpu",
        "requires_grad": False,
    }
    assert (done.returncode, json.loads(done.stdout)) == (0, [row])


def test_devices_are_listed(tmp_path: Path) -> None:
    done = command(tmp_path, "devices")
    assert done.returncode == 0 and "torch 2." in done.stdout and "\ncpu " in done.stdout
    assert command(tmp_path, "devices", "--python", "/nowhere/python").returncode == 2


def test_a_run_ends_when_its_time_is_over(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import time\nprint('begun', flush=True)\ntime.sleep(600)\n")
    done = command(tmp_path, "run", "a.py", "--time", "1")
    assert done.returncode != 0 and done.stdout == "begun\n" and "1 s" in done.stderr


def test_a_lesson_runs_in_a_scratch_folder(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("open('left.txt', 'w').close()\nprint(device)\n")
    done = command(tmp_path, "run", "a.py", "--lesson")
    assert (done.returncode, done.stdout) == (0, "cpu\n"), done.stderr
    assert not (tmp_path / "left.txt").exists()


def test_a_server_that_is_not_there_is_told(tmp_path: Path) -> None:
    done = command(tmp_path, "devices", "--url", "http://127.0.0.1:9/")
    assert done.returncode == 2 and "127.0.0.1:9" in done.stderr + done.stdout


def test_a_report_ends_when_its_time_is_over(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("import time\ntime.sleep(600)\ndef f(x):\n    return x\n")
    done = command(tmp_path, "compile-report", "a.py::f", "--time", "1")
    assert done.returncode == 2 and "Traceback" not in done.stderr
