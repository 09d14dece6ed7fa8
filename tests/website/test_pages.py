"""Pages of the site: what a lesson, a rule and a note become, and that no link leads nowhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from docutils.core import publish_parts
from latex2mathml.converter import convert

from tests.lessons.here import course
from tests.lessons.test_proving import cell, lesson
from torchwise.lessons.prove import Processes
from torchwise.rules import all_rules
from website.lesson_pages import lesson_page
from website.links import broken_links
from website.other_pages import doc_pages, note_pages, rule_page, rule_pages
from website.outputs import DidNotRun, Output, outputs_of
from website.places import Site, slug_of

SITE = Site.here()


def page(*cells: str, outputs: dict[str, Output] | None = None) -> str:
    return lesson_page(SITE, lesson(*cells), outputs or {})[0]


def test_a_snippet_stands_with_what_it_prints_raises_and_draws() -> None:
    outputs = {"one": Output("printed", "", (b"png",)), "two": Output("", "ValueError: no")}
    raises = cell("int('x')", "name: two", "tags: [raises-exception]", "raises: ValueError")
    text, pictures = lesson_page(SITE, lesson(cell("a = 1", "name: one"), raises), outputs)
    assert ":caption: one\n:name: 02-tensors-proof-one\n\na = 1\n````" in text
    assert ":class: output\n\nprinted\n" in text and ":class: output error\n\nValueError: no\n" in text
    assert "(/pictures/02-tensors-proof-one-0.png)" in text
    assert pictures == {"02-tensors-proof-one-0.png": b"png"}


def test_a_solution_is_hidden_and_says_what_is_found() -> None:
    text = page(
        cell("a = 1", "exercise: find-it", "tags: [start]", "finds: [mean-of-integers]"),
        cell("a = 2", "exercise: find-it", "tags: [solution]"),
        cell("assert a == 2", "exercise: find-it", "tags: [check]"),
    )
    start, _, hidden = text.partition("<details><summary>Solution</summary>")
    assert "a = 1" in start and "mean-of-integers" not in start
    assert "[mean-of-integers](/rules/tensors/mean-of-integers.md)" in hidden and "</details>" in hidden


def test_the_readme_is_shown_with_its_pictures() -> None:
    pages = dict(doc_pages())
    shown = re.findall(r"!\[[^\]]+\]\(/(pictures/[\w-]+\.png)\)", str(pages["readme.md"]))
    assert len(shown) == 2
    assert {pages[name][:4] for name in shown} == {b"\x89PNG"}


def test_a_link_that_leads_nowhere_is_told() -> None:
    site = Site(SITE.course, SITE.rules, SITE.notes)
    linked = site.linked("[a](rule:TW301), [b](lesson:02-tensors/views#nowhere)", "here.md")
    assert linked == "[a](/rules/tensors/view-on-non-contiguous.md), b"
    assert site.broken == ["here.md: `lesson:02-tensors/views#nowhere` is not there"]


def test_anchors_that_sphinx_would_name_otherwise_are_kept() -> None:
    found = course().lessons["02-tensors/views"]
    text = lesson_page(SITE, found, {})[0]
    for section in found.sections:
        made = publish_parts(f"{section.title}\n{'=' * 99}\n\nText", writer="html5")["html_body"]
        assert section.level == 1 or f'id="{section.anchor}"' in made or f'id="{section.anchor}"' in text


def test_folklore_becomes_a_warning() -> None:
    said = "> **Often said, not so:** views are slow.\n> They are not.\n"
    found = lesson(cell("a = 1", "name: one"))
    prose = found.cells[0].model_copy(update={"source": f"{found.cells[0].source}\n\n{said}"})
    text = lesson_page(SITE, found.model_copy(update={"cells": (prose, *found.cells[1:])}), {})[0]
    assert "Often said, not so\n:class: warning\n\nViews are slow.\nThey are not.\n:::" in text


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.name)
def test_what_a_rule_flags_is_a_comment_of_its_example(rule: object) -> None:
    text = rule_page(SITE, rule)  # type: ignore[arg-type]
    blocks = text.split("```")[1::2]
    for block in blocks:
        compile(block.removeprefix("python\n"), "example", "exec", flags=0x2000)  # top-level await is fine


def test_every_rule_note_and_doc_has_its_page_once() -> None:
    names = [name for pages in (rule_pages(SITE), note_pages(SITE), doc_pages()) for name, _ in pages]
    assert len(names) == len(set(names))
    assert {f"rules/{rule.family}/{rule.name}.md" for rule in all_rules()} <= set(names)
    assert slug_of("`torch.Tensor.view`") == "torchtensorview"


def test_outputs_are_run_once_and_a_failing_snippet_is_told(tmp_path: Path) -> None:
    draws = "import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.show()\nprint('drawn')\n1 + 1"
    found = lesson(cell(draws, "name: one"))
    with Processes() as processes:
        first = outputs_of(found, tmp_path, processes)["one"]
        assert first.text == "drawn\n2" and first.pictures[0].startswith(b"\x89PNG")
        with pytest.raises(DidNotRun, match="`one` fails"):
            outputs_of(lesson(cell("1 / 0", "name: one")), tmp_path, processes)
    assert outputs_of(found, tmp_path, processes)["one"] == first  # the process is gone: it was kept


def test_formulas_are_shown_by_the_browser_itself() -> None:
    assert convert(r"\frac{a}{\sqrt{d}}").startswith("<math")


@pytest.mark.parametrize(
    ("link", "said"),
    [
        ('<a href="b.html">', None),
        ('<a href="b.html#place">', None),
        ('<a href="#here">', None),
        ('<a href="https://example.org">', None),
        ('<a href="c.html">', "c.html leads nowhere"),
        ('<a href="b.html#else">', "b.html#else leads nowhere"),
        ('<img src="no.png">', "no.png leads nowhere"),
        ('<script src="https://cdn.example.org/x.js">', "loads https://cdn.example.org/x.js"),
        ('<a href="../outside.html">', "leads nowhere"),
    ],
)
def test_links_of_built_pages_are_looked_at(tmp_path: Path, link: str, said: str | None) -> None:
    folder = tmp_path / "html"
    folder.mkdir()
    (tmp_path / "outside.html").write_text("")
    (folder / "a.html").write_text(f'<p id="here">{link}')
    (folder / "b.html").write_text('<p id="place">')
    found = list(broken_links(folder))
    assert (said is None and not found) or (said is not None and len(found) == 1 and said in found[0])
