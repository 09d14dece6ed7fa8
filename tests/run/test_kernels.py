"""Real kernels on this machine: what they print, show and raise, and how they are steered."""

from __future__ import annotations

import asyncio
import base64
import time
from pathlib import Path

import pytest

from tests.run.desk import desk
from torchwise.run.limits import Limits

MB = 2**20


async def test_text_streams_while_the_snippet_runs() -> None:
    async with desk() as at:
        run = at.begin(
            "import sys, time\nprint('a')\nprint('e', file=sys.stderr)\ntime.sleep(1)\nprint('b')\n6 * 7"
        )
        await at.until(lambda: at.text() == "a\n")
        assert not run.done() and at.states[-1] == "busy"
        assert (await run).ended == "done"
        assert (at.text(), at.text("stderr")) == ("a\nb\n", "e\n")
        (value,) = at.displays
        assert (value.format, value.content, value.result) == ("text", "42", True)
        assert at.states == ["starting", "idle", "busy", "idle"]


async def test_a_matplotlib_picture_and_rich_values() -> None:
    async with desk() as at:
        await at.run("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()")
        (picture,) = at.displays
        assert picture.format == "png" and base64.b64decode(picture.content).startswith(b"\x89PNG")
        await at.run("%config InlineBackend.figure_formats = ['svg']\nplt.plot([1, 2]);")
        assert at.displays[-1].format == "svg" and "<path" in at.displays[-1].content
        await at.run("from IPython.display import HTML\nHTML('<b>x</b><script>evil()</script>')")
        assert (at.displays[0].format, at.displays[0].content) == ("html", "<b>x</b>")


async def test_a_display_is_updated_and_cleared() -> None:
    async with desk() as at:
        await at.run(
            "h = display('a', display_id='d')\nh.update('b')\nfrom IPython.display import clear_output"
        )
        first, second = at.displays
        assert (first.display_id, first.update, second.display_id, second.update) == ("d", False, "d", True)
        await at.run("clear_output(wait=True)")
        assert [told.kind for told in at.outputs] == ["clear"]


async def test_errors_link_to_the_rows_of_their_documents() -> None:
    async with desk() as at:
        await at.run("def half(n):\n    return 1 / n", name="lesson#half", first_row=20)
        assert (await at.run("\nhalf(0)", name="lesson#use", first_row=30)).ended == "failed"
        places = [(frame.snippet, frame.row, frame.line) for frame in at.failure.frames]
        assert places == [("lesson#use", 31, "half(0)"), ("lesson#half", 21, "return 1 / n")]
        await at.run("import torch\ntorch.nn.Linear(3, 4)(torch.zeros(2, 2))")
        assert at.failure.name == "RuntimeError" and "more in libraries" in at.failure.text
        assert [frame.row for frame in at.failure.frames] == [2]


async def test_input_is_refused_politely() -> None:
    async with desk() as at:
        assert (await at.run("name = input('who? ')")).ended == "failed"
        assert "nothing can be typed in here" in at.failure.message
        await at.run("import sys; print(repr(sys.stdin.read()))")
        assert at.text() == "''\n"


async def test_a_busy_loop_is_interrupted_within_two_seconds() -> None:
    async with desk() as at:
        run = at.begin("kept = 1\nprint('on')\nwhile True: pass")
        await at.until(at.text)
        began = time.monotonic()
        assert await at.sessions.interrupt(run.get_name())
        assert (await run).ended == "interrupted" and time.monotonic() - began < 2.0
        assert (await at.run("kept")).ended == "done" and at.displays[0].content == "1"
        assert not await at.sessions.interrupt("no such run")


async def test_what_waits_for_its_turn_can_be_interrupted_too() -> None:
    async with desk() as at:
        first = at.begin("import time; time.sleep(1)")
        second = at.begin("print('never')")
        await asyncio.sleep(0.3)
        await at.sessions.interrupt(second.get_name())
        assert ((await first).ended, (await second).ended, at.text()) == ("done", "interrupted", "")


async def test_an_interrupt_is_not_lost_while_a_kernel_starts_or_a_snippet_is_sent() -> None:
    async with desk() as at:
        for pause_s in (0.0, 0.3, 0.0, 0.005, 0.02):
            run = at.begin("while True: pass")
            await asyncio.sleep(pause_s)
            await at.sessions.interrupt(run.get_name())
            assert (await asyncio.wait_for(run, 20)).ended == "interrupted"
        assert (await at.run("1")).ended == "done"


async def test_a_restart_forgets_and_keeps_the_place() -> None:
    async with desk() as at:
        kernel = (await at.run("a = 1")).kernel
        assert kernel and await at.sessions.restart(kernel)
        assert (await at.run("a")).ended == "failed" and at.failure.name == "NameError"
        assert at.kernels[4].lost and at.kernels[4].lost.names == ["a"]


async def test_a_restart_ends_what_runs_and_is_ready_again() -> None:
    async with desk() as at:
        run = at.begin("print('on')\nwhile True: pass")
        await at.until(at.text)
        (kernel,) = at.sessions.kernels
        await at.sessions.restart(kernel.kernel)
        assert (await run).ended == "stopped"
        assert (await at.run("1")).ended == "done" and "died" not in at.states


async def test_stopping_a_kernel_ends_what_runs_on_it() -> None:
    async with desk() as at:
        run = at.begin("print('on')\nwhile True: pass")
        await at.until(at.text)
        (kernel,) = at.sessions.kernels
        await at.sessions.stop(kernel.kernel)
        assert (await run).ended == "stopped" and at.states[-1] == "stopped"


async def test_a_snippet_has_a_time_limit() -> None:
    async with desk(Limits(grace_s=1.0)) as at:
        result = await at.run("kept = 1\nwhile True: pass", time_s=0.5)
        assert result.ended == "timed-out" and "longer than 0.5 s" in (result.message or "")
        assert (await at.run("kept")).ended == "done"
        stubborn = (
            "import time\nwhile True:\n    try:\n        time.sleep(9)\n    except KeyboardInterrupt: pass"
        )
        result = await at.run(stubborn, time_s=0.5)
        assert result.ended == "timed-out" and result.lost and "kept" in result.lost.names
        assert (await at.run("1")).ended == "done"


@pytest.mark.parametrize(
    "flood",
    [
        "print('x' * 100_000_000)",
        "import sys\nfor _ in range(1000): sys.stdout.write('x' * 100_000)",
        "import os\nfor _ in range(100): os.write(1, b'x' * 1_000_000)",
        "'x' * 100_000_000",
        "for _ in range(100): display('x' * 1_000_000)",
    ],
    ids=["one print", "many prints", "past Python", "a value", "displays"],
)
async def test_a_flood_of_100_mb_is_bounded(flood: str) -> None:
    async with desk(output_bytes=1 * MB) as at:
        assert (await at.run(flood)).ended == "done"
        shown = len(at.text()) + sum(len(display.content) + len(display.text) for display in at.displays)
        assert shown <= 1 * MB and [told.reason for told in at.notices] == ["output-limit"]
        await at.run("print('after')")
        assert at.text() == "after\n" and not at.notices


async def test_a_later_snippet_may_have_another_limit() -> None:
    async with desk() as at:
        await at.run("print('x' * 100)", output_bytes=10)
        assert at.text() == "x" * 10 and at.notices
        await at.run("print('x' * 100)", output_bytes=1000)
        assert at.text() == "x" * 100 + "\n" and not at.notices


async def test_memory_has_a_limit() -> None:
    async with desk(Limits(memory_bytes=1500 * MB)) as at:
        assert (await at.run("import torch\nkept = torch.ones(3)")).ended == "done"
        assert (await at.run("torch.ones(2**30)")).ended == "failed"
        assert "memory" in at.failure.message
        assert (await at.run("bytearray(2**32)")).ended == "failed" and at.failure.name == "MemoryError"
        assert (await at.run("kept")).ended == "done"


async def test_a_lesson_has_its_device_and_a_scratch_folder(tmp_path: Path) -> None:
    async with desk(lesson=True, folder=str(tmp_path)) as at:
        await at.run("import os\nopen('made.txt', 'w').close()\nprint(device.type, os.getcwd())")
        kind, folder = at.text().split()
        assert kind == "cpu" and (Path(folder) / "made.txt").exists() and not list(tmp_path.iterdir())
    assert not Path(folder).exists()


async def test_a_cpu_kernel_sees_no_cuda_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TORCHWISE_TOKEN", "t0p")
    async with desk() as at:
        await at.run(
            "import os\nprint([os.environ.get(n) for n in ('CUDA_VISIBLE_DEVICES', 'TORCHWISE_TOKEN')])"
        )
        assert at.text() == "['', None]\n"


async def test_a_file_finds_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text("x = 5")
    async with desk() as at:
        path = str(tmp_path / "main.py")
        await at.run("import beside, sys\nprint(beside.x, __file__, __name__, sys.argv)", file=path)
        assert at.text() == f"5 {path} __main__ {[path]}\n"


async def test_the_cuda_choice_runs_there_or_says_why_not() -> None:
    async with desk() as at:
        result = await at.run("import torch\nprint(torch.cuda.device_count())", device="cuda:0")
        if result.ended == "done":
            assert at.text() == "1\n"
        else:
            assert result.ended == "unavailable" and result.message and result.remedy


async def test_no_interpreter_and_no_ipykernel_say_so(tmp_path: Path) -> None:
    bare = tmp_path / "python"
    bare.write_text("#!/bin/sh\necho 'No module named ipykernel' >&2\nexit 1\n")
    bare.chmod(0o755)
    async with desk() as at:
        result = await at.run("1", interpreter=str(bare))
        assert result.ended == "unavailable" and "no ipykernel" in (result.message or "")
        assert result.remedy == f"{bare} -m pip install ipykernel"
        result = await at.run("1", interpreter="/nowhere/python")
        assert (result.ended, result.message) == ("unavailable", "there is no interpreter `/nowhere/python`")
        assert (await at.run("1", device="gpu")).ended == "unavailable"


async def test_an_unused_kernel_is_stopped() -> None:
    async with desk(Limits(idle_s=0.3)) as at:
        await at.run("a = 1")
        await at.until(lambda: at.states[-1] == "stopped")
        assert "nothing ran on it" in (at.kernels[-1].message or "")
        assert (await at.run("1")).ended == "done"
