"""What a rule is: its page, its examples and its check, all in one file of `rules/<family>/`."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from torchwise.facts import release
from torchwise.findings import Severity

if TYPE_CHECKING:
    from torchwise.rules.vocabulary import Flag, Reading

ERROR: Severity = "error"
WARNING: Severity = "warning"
HINT: Severity = "hint"


@dataclass(frozen=True)
class Example:
    """`bad` is flagged exactly where its caret lines stand, with the words after them; `good` is silent
    under all rules.

    `setup` is code that runs before either under torch. `harm` says how torch confirms the fault: an
    exception class
    that `bad` raises, or a function of the two namespaces (bad's, good's) after running that returns True
    where the
    harm shows; None where the rule is about style or speed and the page says so.
    """

    bad: str
    good: str
    setup: str = ""
    harm: type[BaseException] | Callable[[dict[str, Any], dict[str, Any]], object] | None = None
    files: dict[str, str] = field(default_factory=dict)  # other files of the project, by name


@dataclass(frozen=True)
class Rule:
    code: str
    name: str
    family: str
    level: Severity
    summary: str
    doc: str
    check: Callable[[Reading], Iterable[Flag]] = field(compare=False, repr=False)
    examples: tuple[Example, ...] = ()
    silent: tuple[str, ...] = ()
    lesson: str | None = None
    url: str = ""
    since: str | None = None  # the first version of torch that it holds for; None: whichever

    def holds_for(self, torch: str | None) -> bool:
        """Whether it says anything of code for this version; None is the newest."""
        return self.since is None or torch is None or release(torch) >= release(self.since)
