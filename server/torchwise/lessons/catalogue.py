"""Which commands about lessons, rules and notes there are; it imports no messages."""

from __future__ import annotations

from functools import partial

from torchwise.wire.command import Command

GROUP = "torchwise.lessons"
_command = partial(Command, GROUP)

COMMANDS = (
    _command("list", None, "LessonList", "All modules and their lessons, and how far the user is."),
    _command("show", "LessonRequest", "LessonShown", "One lesson, cell by cell."),
    _command("search", "SearchRequest", "Hits", "Sections of lessons, the best first."),
    _command(
        "progress", "ProgressRequest", "Progress", "Notes what was done or read, and answers what is noted."
    ),
    _command("rulePage", "RuleRequest", "RulePage", "The page of a rule, and programs that show its fault."),
    _command("note", "NoteRequest", "NoteShown", "What is known of a function, class or method of torch."),
)
