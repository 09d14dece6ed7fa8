"""Pages of rules, API notes and docs, and the first page."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from torchwise.lessons.notes import Note, markdown
from torchwise.lessons.reading import lesson_id
from torchwise.report.pages import page as rule_text
from torchwise.report.pages import table
from torchwise.rules import Rule
from website.places import ROOT, Site

TEXTS = {"README.md": "readme.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
_CARETS = re.compile(r"^(?P<before> *)\^(?P<rest>\^*( .*)?)$", re.M)
_ADDRESS = re.compile(r"(?<![(<\"'`])https?://[^\s)>\"'`]+[^\s)>\"'`.,;]")
_LESSON = re.compile(r"\n\nLesson: [^\n]*\n?$")
_PICTURE = re.compile(r"!\[[^\[\]]*\]\(([^()\s]+[.]png)\)")
_LINK = re.compile(r"\]\((?P<target>[^)\s:#]+)(?P<anchor>#[^)\s]*)?\)")


def rule_pages(site: Site) -> Iterator[tuple[str, str]]:
    rules = sorted({rule.code: rule for rule in site.rules.values()}.values(), key=lambda rule: rule.code)
    pages = [f"{rule.family}/{rule.name}" for rule in rules]
    yield "rules/README.md", table() + _trees("\n".join(pages))
    for rule in rules:
        yield f"rules/{rule.family}/{rule.name}.md", rule_page(site, rule)


def rule_page(site: Site, rule: Rule) -> str:
    text = _LESSON.sub("", rule_text(rule))
    text = _ADDRESS.sub(r"<\g<0>>", _CARETS.sub(_commented, text))
    lessons = [f"- [{each.head.title}](/lessons/{each.id}.md)" for each in site.lessons_about[rule.name]]
    target = rule.lesson if rule.lesson and site.address("lesson", rule.lesson) else None
    own = f"[{target}]({site.address('lesson', target)})" if target else ""
    if own:
        text += f"\n\n**Lesson:** {own}"
    if lessons:
        text += "\n\n**Where lessons speak of it**\n\n" + "\n".join(lessons)
    return text + "\n"


def _commented(match: re.Match[str]) -> str:
    """What is flagged, so that the example is still Python."""
    return f"#{match['before'][1:]}{'^' if match['before'] else ''}{match['rest']}"


def note_pages(site: Site) -> Iterator[tuple[str, str]]:
    chapters: dict[str, dict[str, Note]] = {}
    for note in site.notes.values():
        chapters.setdefault(note.chapter, {})[note.symbol] = note
    title = "# API notes\n\nWhat a function or layer does, its shapes, and what goes wrong with it.\n\n"
    rows = [f"- [{_title(chapter)}]({chapter}.md): {_first(found)}" for chapter, found in chapters.items()]
    yield "notes/index.md", title + "\n".join(rows) + "\n\n" + _trees("\n".join(chapters))
    for chapter, found in chapters.items():
        yield f"notes/{chapter}.md", note_page(site, chapter, found)


def note_page(site: Site, chapter: str, found: Mapping[str, Note]) -> str:
    parts = [f"# {_title(chapter)}"]
    for note in found.values():
        also = f"*Also {', '.join(f'`{name}`' for name in note.also)}.*" if note.also else ""
        address = site.address("lesson", note.lesson) if note.lesson else None
        lesson = f"Lesson: [{note.lesson}]({address})" if address else ""
        text = site.linked(markdown(note), f"notes/{chapter}.yml: {note.symbol}")
        parts += [part for part in (f"## `{note.symbol}`", also, text, lesson) if part]
    return "\n\n".join(parts) + "\n"


def _title(chapter: str) -> str:
    words = chapter.replace("-", " ")
    return words if words.startswith("nn") else words[:1].upper() + words[1:]


def _first(found: Mapping[str, Note]) -> str:
    names = [symbol.removeprefix("torch.") for symbol in found]
    return ", ".join(f"`{name}`" for name in names[:4]) + (" ..." if len(names) > 4 else "")


def doc_pages() -> Iterator[tuple[str, str | bytes]]:
    """Those of `docs/`, and the texts at the top of the repository, with their pictures."""
    for path in sorted((ROOT / "docs").glob("*.md")):
        yield path.name, _moved(path.read_text("utf-8"), path.parent)
    for name, target in TEXTS.items():
        yield target, _moved((ROOT / name).read_text("utf-8"), ROOT)
    for path in {ROOT / found[1] for found in _PICTURE.finditer((ROOT / "README.md").read_text("utf-8"))}:
        yield f"pictures/{path.name}", path.read_bytes()
    names = [path.stem for path in sorted((ROOT / "docs").glob("*.md"))]
    names += [target.removesuffix(".md") for target in TEXTS.values()]
    yield "docs.md", "# About Torchwise\n\n" + "```{toctree}\n" + "\n".join(names) + "\n```\n"


def _moved(text: str, folder: Path) -> str:
    """Links to files that have no page here become plain text."""

    def link(match: re.Match[str]) -> str:
        path = (folder / match["target"]).resolve()
        if path.suffix == ".png":
            return f"](/pictures/{path.name})"
        inside = path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else ""
        page = TEXTS.get(inside) or _page_of(inside)
        there = page.endswith(".md") and path.exists()
        return f"](/{page}{match['anchor'] or ''})" if there else "](#)"

    return re.sub(r"\[([^\]]+)\]\(#\)", r"\1", _LINK.sub(link, text))


def _page_of(file: str) -> str:
    """Of a file of the repository; "" where it has none."""
    if file.startswith("content/lessons/"):
        return f"lessons/{lesson_id(file)}.md"
    return file.removeprefix("docs/") if file.startswith("docs/") else ""


def first_page(site: Site) -> str:
    lessons = site.course.lessons.values()
    notes = len({id(note) for note in site.notes.values()})
    snippets = sum(len(lesson.snippets) for lesson in lessons)
    rules = len({rule.code for rule in site.rules.values()})
    rows = [
        f"- [Lessons](lessons/index.md): {len(lessons)} of them, with {snippets} snippets that were run",
        f"- [Rules](rules/README.md): {rules} faults that Torchwise finds, each proven under torch",
        f"- [API notes](notes/index.md): {notes} functions and layers",
        "- [About Torchwise](docs.md): how to use it, and how it is built",
    ]
    intro = (
        "Torchwise reads PyTorch code the way torch will run it, and says what will go wrong before it does."
    )
    tree = _trees("lessons/index\nrules/README\nnotes/index\ndocs")
    return f"# Torchwise\n\n{intro}\n\n" + "\n".join(rows) + "\n\n" + tree


def _trees(pages: str) -> str:
    return f"\n```{{toctree}}\n:hidden:\n:maxdepth: 2\n\n{pages}\n```\n"
