"""`torchwise lessons`: the course in a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    from torchwise.lessons.shelf import Shelf
    from torchwise.wire.message import Message

Answer = TypeVar("Answer", bound="Message")


class Trouble(click.ClickException):
    exit_code = 2


FORMAT = click.option(
    "--output-format", type=click.Choice(["text", "json"]), default="text", show_default=True
)


@click.group(short_help="The course: list, read and search lessons.")
def lessons() -> None:
    """The course. A lesson is named as `02-tensors/strides`, one section of it as `02-tensors/strides#views`.

    `torchwise run LESSON#SNIPPET` runs a snippet of it.
    """


@lessons.command("list", short_help="List modules and lessons, and how far you are.")
@FORMAT
def list_(output_format: str) -> None:
    """Lists all modules with their lessons; those that are done are marked."""
    found = _asked(lambda shelf: shelf.list())
    if output_format == "json":
        _json(found)
    else:
        from torchwise.cli.reading import print_list

        print_list(found)


@lessons.command(short_help="Show a lesson, or a section of it.")
@click.argument("lesson", metavar="LESSON[#SECTION]")
@click.option("--solutions", is_flag=True, help="Show the solutions of the exercises, too.")
@FORMAT
def show(lesson: str, solutions: bool, output_format: str) -> None:
    """Shows a lesson: text, snippets with their names, exercises."""
    id_, _, anchor = lesson.partition("#")
    found = _asked(lambda shelf: shelf.show(id_, anchor))
    if output_format == "json":
        _json(found)
    else:
        from torchwise.cli.reading import print_lesson

        print_lesson(found, solutions)


@lessons.command(short_help="Find sections of lessons.")
@click.argument("words", nargs=-1, required=True)
@click.option("--most", type=click.IntRange(1, 200), default=10, show_default=True)
@FORMAT
def search(words: tuple[str, ...], most: int, output_format: str) -> None:
    """Finds the sections that have all WORDS, the best first. Exit 1 where there are none."""
    found = _asked(lambda shelf: shelf.search(" ".join(words), most))
    if output_format == "json":
        _json(found)
    else:
        from torchwise.cli.reading import print_hits

        print_hits(found)
    click.get_current_context().exit(0 if found.hits else 1)


@lessons.command(short_help="Mark a lesson as done.")
@click.argument("lesson")
@click.option("--undo", is_flag=True, help="Mark it as not done.")
def done(lesson: str, undo: bool) -> None:
    """Marks LESSON as done."""
    _asked(lambda shelf: shelf.note_progress(lesson, done=not undo))


def _asked(work: Callable[[Shelf], Answer]) -> Answer:
    from torchwise.lessons.course import NoCourse
    from torchwise.lessons.progress import CannotNote
    from torchwise.lessons.shelf import NotThere, Shelf

    try:
        return work(Shelf())
    except NotThere as error:
        raise click.UsageError(f"{error}; `torchwise lessons list` lists all") from None
    except (CannotNote, NoCourse) as error:
        raise Trouble(str(error)) from None


def _json(found: Message) -> None:
    click.echo(found.model_dump_json(by_alias=True, indent=2))
