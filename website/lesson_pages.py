"""Pages of lessons and modules, in the MyST that Sphinx reads."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from docutils.nodes import make_id

from torchwise.lessons.model import Cell, Lesson, Module
from website.outputs import Output
from website.places import Site

_LABEL = re.compile(r"^\([\w:.-]+\)=\s*\n", re.M)
_HEADING = re.compile(r"^(#{1,6}) (?P<title>.+?)\s*$", re.M)
_SAID = re.compile(r"^> \*\*Often said, not so:?\*\*:?\s*(?P<text>(?:.*\n?)(?:^>.*\n?)*)", re.M)


def lesson_page(site: Site, lesson: Lesson, outputs: Mapping[str, Output]) -> tuple[str, dict[str, bytes]]:
    """The page, and its pictures by file name."""
    pictures: dict[str, bytes] = {}
    parts = []
    for cell in lesson.cells:
        if cell.kind == "markdown":
            parts.append(_prose(site, lesson, cell))
        else:
            parts += _code(site, lesson, cell, outputs.get(cell.meta.name or "", Output()), pictures)
    head, _, rest = parts[0].partition("\n")
    intro = "\n\n".join(_intro(site, lesson))
    return "\n\n".join([head, intro, rest.strip(), *parts[1:]]) + "\n", pictures


def _intro(site: Site, lesson: Lesson) -> Iterator[str]:
    known = site.course.lessons
    needs = ", ".join(
        f"[{known[id_].head.title}](/lessons/{id_}.md)" for id_ in lesson.head.needs if id_ in known
    )
    counts = f"{lesson.head.minutes} minutes · {len(lesson.snippets)} snippets"
    counts += f" · {len(lesson.exercises)} exercises"
    counts += f" · read before: {needs}" if needs else ""
    yield f":::{{container}} lesson-head\n**{lesson.head.goal}**\n\n{counts}\n:::"


def _prose(site: Site, lesson: Lesson, cell: Cell) -> str:
    text = site.linked(_LABEL.sub("", cell.source), lesson.path)
    text = _SAID.sub(_not_so, text)
    sections = iter([each for each in lesson.sections if cell.row <= each.row < cell.row + _rows(cell)])

    def heading(match: re.Match[str]) -> str:
        """Addresses from outside name the anchor of the lesson, and Sphinx names sections in its own way."""
        section = next(sections, None)
        if section is None or section.level == 1 or make_id(section.title) == section.anchor:
            return match[0]
        return f'<span id="{section.anchor}"></span>\n\n{match[0]}'

    return "".join(
        part if fenced else _HEADING.sub(heading, part) for fenced, part in _outside_of_fences(text)
    )


def _rows(cell: Cell) -> int:
    return cell.source.count("\n") + 1


def _outside_of_fences(text: str) -> Iterator[tuple[bool, str]]:
    for index, part in enumerate(re.split(r"(^```.*?^```$)", text, flags=re.M | re.S)):
        yield index % 2 == 1, part


def _not_so(match: re.Match[str]) -> str:
    text = re.sub(r"^> ?", "", match["text"], flags=re.M).strip()
    text = text[:1].upper() + text[1:]  # it went on after a colon
    return f":::{{admonition}} Often said, not so\n:class: warning\n\n{text}\n:::\n"


def _code(
    site: Site, lesson: Lesson, cell: Cell, output: Output, pictures: dict[str, bytes]
) -> Iterator[str]:
    match cell.role:
        case "start":
            yield _fence(cell, "Find the fault")
        case "solution":
            yield "<details><summary>Solution</summary>"
            if found := _found(site, lesson, cell):
                yield found
            yield _fence(cell, "One solution")
        case "check":
            yield _fence(cell, "What holds then")
            yield "</details>"
        case "cuda":
            yield _fence(cell, f"{cell.meta.name} · needs CUDA")
        case _:
            yield _fence(cell, str(cell.meta.name), place=f"{lesson.id.replace('/', '-')}-{cell.meta.name}")
            yield from _output(lesson, cell, output, pictures)
            if cell.meta.finds:
                yield f"Torchwise finds {_rules(site, cell)} here."


def _fence(cell: Cell, caption: str, place: str = "") -> str:
    name = f"\n:name: {place}" if place else ""
    return f"````{{code-block}} python\n:caption: {caption}{name}\n\n{cell.source}\n````"


def _found(site: Site, lesson: Lesson, solution: Cell) -> str:
    exercise = next(each for each in lesson.exercises if each.solution == solution)
    rules = _rules(site, exercise.start)
    return f"Torchwise finds {rules} in the start." if rules else ""


def _rules(site: Site, cell: Cell) -> str:
    return ", ".join(f"[{name}]({site.address('rule', name)})" for name in cell.meta.finds)


def _output(lesson: Lesson, cell: Cell, output: Output, pictures: dict[str, bytes]) -> Iterator[str]:
    text = "\n".join(part for part in (output.text, output.error) if part)
    if text:
        kind = "output error" if output.error else "output"
        yield f"````{{code-block}} text\n:class: {kind}\n\n{text}\n````"
    for index, picture in enumerate(output.pictures):
        name = f"{lesson.id.replace('/', '-')}-{cell.meta.name}-{index}.png"
        pictures[name] = picture
        yield f"![what `{cell.meta.name}` draws](/pictures/{name})"


# -- lists ---------------------------------------------------------------------------------------------------


def course_page(modules: tuple[Module, ...]) -> str:
    parts = [
        "# Lessons",
        "Every snippet is run under torch before it is published, and each exercise is proven.",
    ]
    for module in modules:
        parts += [f"## {module.title}", module.goal, *_rows_of(module)]
    return "\n\n".join([*parts, _tree([f"{module.id}/index" for module in modules])]) + "\n"


def module_page(module: Module) -> str:
    tree = _tree([lesson.id.partition("/")[2] for lesson in module.lessons])
    return "\n\n".join([f"# {module.title}", module.goal, *_rows_of(module), tree]) + "\n"


def _rows_of(module: Module) -> Iterator[str]:
    for lesson in module.lessons:
        link = f"[{lesson.head.title}](/lessons/{lesson.id}.md)"
        yield f"- {link} ({lesson.head.minutes} minutes): {lesson.head.goal}"


def _tree(pages: list[str]) -> str:
    return "```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```"
