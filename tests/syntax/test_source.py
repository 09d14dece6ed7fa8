"""Cutting a text into blocks, and what stays of them after an edit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from torchwise.syntax.source import Source
from torchwise.syntax.span import Span


def pieces(text: str) -> list[str]:
    return [block.text for block in Source.of(text).blocks]


def members(text: str) -> list[str]:
    return [member.text for member in Source.of(text).blocks[0].members]


def test_each_statement_of_the_top_level_is_a_block() -> None:
    assert pieces("import a\nx = (1,\n2)\ndef f():\n    1\n\n\ny\n") == [
        "import a\n",
        "x = (1,\n2)\n",
        "def f():\n    1\n\n\n",
        "y\n",
    ]


def test_what_goes_on_stays_together() -> None:
    for text in (
        "if a:\n    b\nelse:\n    c\n",
        "try:\n    a\nexcept b:\n    c\nfinally:\n    d\n",
        "@a\n@b(\n1)\ndef f(): 1\n",
        "x = '''\ndef f(): 1\n'''\n",
        "x = (\n# c\n1\n)\n",
        "x = 1 + \\\n2\n",
        'x = "a\\\nb"\n',
        "if a:\n    b\n# c\nelse:\n    d\n",
    ):
        assert pieces(text) == [text]


def test_comments_at_the_start_are_a_block_without_code() -> None:
    source = Source.of("#!/usr/bin/env python\n\n# c\nimport a\n")
    assert [block.code for block in source.blocks] == ["", "import a\n"]


def test_comments_and_blank_lines_behind_are_no_code() -> None:
    assert Source.of("x = 1\n\n# c\n   # d\n").blocks[0].code == "x = 1\n"


def test_an_open_bracket_ends_before_the_next_definition() -> None:
    for line in (
        "def g(): 1\n",
        "class A:\n    x\n",
        "@dec\ndef g(): 1\n",
        "import b\n",
        "async def g(): 1\n",
    ):
        assert pieces("x = f(1,\n" + line) == ["x = f(1,\n", line]


def test_a_matrix_product_in_brackets_is_no_decorator() -> None:
    text = "x = (a\n@ b)\n"
    assert pieces(text) == [text]


def test_an_open_string_ends_before_the_next_definition() -> None:
    text = 'def f():\n    """doc\n    1\n\ndef g():\n    """doc"""\n    x = """y"""\n'
    assert pieces(text)[1].startswith("def g")


def test_a_string_that_holds_code_is_whole_as_long_as_all_strings_end() -> None:
    text = 'def f():\n    x = """\ndef g(): 1\n"""\n'
    assert pieces(text) == [text]


def test_a_template_keeps_its_code_while_another_string_is_open() -> None:
    template = 'TEMPLATE = """\ndef g(): 1\n"""\n'
    assert pieces(template + 'def f():\n    """doc\n')[0] == template


def test_the_body_of_a_class_is_cut_too() -> None:
    text = "@dec\nclass A(B):  # c\n    x = 1\n\n    def f(self):\n        1\n\n    @p\n    def g(self): 1\n"
    assert members(text) == [
        "    x = 1\n\n",
        "    def f(self):\n        1\n\n",
        "    @p\n    def g(self): 1\n",
    ]


def test_a_class_in_one_line_is_not_cut() -> None:
    assert members("class A: x = 1\n") == []
    assert members("class A:\n") == []


def test_a_method_with_an_open_bracket_does_not_take_in_the_next() -> None:
    assert len(members("class A:\n    def f(self, (\n        1\n    def g(self):\n        2\n")) == 2


def test_classes_in_classes_are_cut() -> None:
    inner = Source.of("class A:\n    class B:\n        def f(self): 1\n        x = 2\n").blocks[0].members[0]
    assert len(inner.members) == 2


@given(st.text(alphabet="ab \n\r\t#'\"()[]\\@:.=", max_size=60))
def test_blocks_are_the_whole_text(text: str) -> None:
    assert "".join(pieces(text)) == text


@given(
    st.lists(
        st.sampled_from(
            ["def f():\n", "    x\n", "(", ")", '"""', "# c\n", "\n", "\r\n", "class A:\n", "@d\n"]
        )
    ),
    st.integers(0, 40),
    st.integers(0, 40),
    st.sampled_from(["", "x", "\n", "(", '"""', "def g(): 1\n"]),
)
def test_an_edit_leads_to_the_blocks_of_the_new_text(
    lines: list[str], start: int, end: int, new: str
) -> None:
    text = "".join(lines)
    changed = text[:start] + new + text[max(start, end) :]
    assert [block.text for block in Source.of(text).edited(changed).blocks] == pieces(changed)


def test_an_edit_keeps_the_other_blocks() -> None:
    text = "".join(f"def f{n}():\n    return {n}\n\n" for n in range(20))
    before = Source.of(text)
    after = before.edited(text.replace("return 10", "return (10"))
    same = [one is other for one, other in zip(before.blocks, after.blocks)]
    assert same.count(False) == 1


def test_an_edit_keeps_the_other_members_of_a_class() -> None:
    text = "import a\nclass A:\n" + "".join(f"    def f{n}(self):\n        return {n}\n" for n in range(9))
    before = Source.of(text)
    after = before.edited(text.replace("return 5", "return 55"))
    one, other = before.blocks[1].members, after.blocks[1].members
    assert [a is b for a, b in zip(one, other)].count(False) == 1


def test_rows_and_slices_count_characters() -> None:
    source = Source.of("é = 1\r\nx = '𝒳'; y\rz\n")
    assert source.line(1) == "é = 1"
    assert source.line(2) == "x = '𝒳'; y"
    assert source.line(3) == "z"
    assert source.line(9) == ""
    assert source.slice(Span(2, 9, 2, 10)) == "y"
    assert source.slice(Span(1, 4, 2, 1)) == "1\r\nx"


def test_comments_by_row() -> None:
    source = Source.of("# a\nx = '# no'  # b\n'''\n# no\n'''\nclass A:\n    # c\n    y = 1  # d\n\n# e\n")
    assert {row: text for row, (text, _) in source.comments.items()} == {
        1: "# a",
        2: "# b",
        7: "# c",
        8: "# d",
        10: "# e",
    }
    assert source.comments[2][1] == Span(2, 12, 2, 15)


@pytest.mark.parametrize(
    "text", ["", "\n", " ", "\ufeffx = 1\n", "\x00", "\ud800", "\f\n\f", "\\", "'", '"""', "(", "\t"]
)
def test_no_text_is_too_strange(text: str) -> None:
    source = Source.of(text)
    assert "".join(block.text for block in source.blocks) == text
    assert isinstance(source.errors, tuple)
    assert source.edited(text + "x").text == text + "x"


def test_a_string_may_end_in_what_looks_like_a_comment() -> None:
    text = 'x = """\n# a"""\n# c\n\n'
    assert Source.of(text + "y = 1\n").blocks[0].text == text
    assert Source.of(text).errors == ()


def test_lines_that_go_on_are_finished() -> None:
    for text in (
        "def f():\n    if a and \\\n        b:\n        c\n",
        "def f():\n    if (a and\n        b == '('):\n        c\n",
        "def f():\n    x = {\n        'a': 1,\n    } if b else 2.\n",
        "def f():\n    x = 1.  # as in\n    y = ...\n    from a import *\n",
    ):
        assert not Source.of(text).blocks[0].filled
