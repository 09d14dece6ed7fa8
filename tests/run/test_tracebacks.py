"""Tracebacks of any IPython become places in snippets and files."""

from __future__ import annotations

from torchwise.run.messages import Failure
from torchwise.run.tracebacks import Origin, failure

SNIPPETS = {1: Origin("lesson#views", 10), 2: Origin("train.py", 40)}
RULE = "-" * 75

NEW = f"""\x1b[31m{RULE}\x1b[39m
\x1b[31mRuntimeError\x1b[39m                              Traceback (most recent call last)
\x1b[36mCell\x1b[39m\x1b[36m \x1b[39m\x1b[32mIn[2]\x1b[39m\x1b[32m, line 3\x1b[39m
      1 import torch
\x1b[32m----> 3\x1b[39m step(model)

\x1b[36mCell\x1b[39m \x1b[32mIn[1]\x1b[39m\x1b[32m, line 2\x1b[39m, in \x1b[36mstep\x1b[39m\x1b[34m(m)\x1b[39m
      1 def step(m):
\x1b[32m----> 2\x1b[39m     return m(x)

File /env/lib/python3.11/site-packages/torch/nn/modules/module.py:1778, in Module._call(self)
   1776 a
-> 1778 b

File /env/lib/python3.11/site-packages/torch/nn/modules/linear.py:130, in Linear.forward(self, x)
--> 130 c

RuntimeError: mat1 and mat2 shapes cannot be multiplied"""

OLD = f"""{RULE}
ZeroDivisionError                         Traceback (most recent call last)
/tmp/ipykernel_3/77.py in <module>
      1 a
----> 2 f(0)

<ipython-input-1-6ad1> in f(n)
      1 def f(n):
----> 2     return 1 / n

ZeroDivisionError: division by zero"""


def read(name: str, message: str, text: str) -> Failure:
    return failure({"ename": name, "evalue": message, "traceback": text.split("\n")}, SNIPPETS)


def test_rows_are_those_of_the_document() -> None:
    found = read("RuntimeError", "mat1 and mat2 shapes cannot be multiplied", NEW)
    assert [(frame.snippet, frame.row, frame.function, frame.line) for frame in found.frames] == [
        ("train.py", 42, None, "step(model)"),
        ("lesson#views", 11, "step", "return m(x)"),
    ]


def test_the_text_has_no_colours_and_no_frames_of_libraries() -> None:
    assert read("RuntimeError", "mat1 and mat2 shapes cannot be multiplied", NEW).text.splitlines() == [
        "Traceback (most recent call last):",
        "  train.py, line 42",
        "    step(model)",
        "  lesson#views, line 11, in step",
        "    return m(x)",
        "  ... 2 more in libraries",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied",
    ]


def test_an_older_ipython_is_understood() -> None:
    found = read("ZeroDivisionError", "division by zero", OLD)
    assert [(frame.snippet, frame.path, frame.row) for frame in found.frames] == [
        (None, "/tmp/ipykernel_3/77.py", 2),
        ("lesson#views", None, 11),
    ]


def test_a_syntax_error_has_its_line() -> None:
    text = "  Cell In[2], line 2\n    x = (\n        ^\nSyntaxError: incomplete input\n"
    found = read("SyntaxError", "incomplete input (1137177490.py, line 2)", text)
    assert (found.message, found.frames[0].row, found.frames[0].line) == ("incomplete input", 41, "x = (")


def test_what_came_before_is_named() -> None:
    head = f"{RULE}\nKeyError    Traceback (most recent call last)\n"
    before = f"{head}Cell In[1], line 1\n----> 1 a\n\nKeyError: 'w'\n"
    because = "\nThe above exception was the direct cause of the following exception:\n\n"
    after = before.replace("KeyError: 'w'", "ValueError: no w")
    found = read("ValueError", "no w", before + because + after)
    assert "KeyError: 'w'" in found.text and len(found.frames) == 1


def test_a_recursion_is_told_once() -> None:
    frame = "Cell In[1], line 1, in g(n)\n----> 1 def g(n): return g(n - 1)\n\n"
    found = read("RecursionError", "too deep", f"{RULE}\n{frame * 900}RecursionError: too deep")
    assert "the same, 899 times more" in found.text and len(found.text.splitlines()) == 5


def test_text_of_any_kind_is_read() -> None:
    assert (
        read("SystemExit", "3", "An exception has occurred, use %tb to see the full traceback.").frames == []
    )
    assert failure({}, {}).text == "Error"
