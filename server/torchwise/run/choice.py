"""Where to run: `cpu`, `cuda:0`, `mps`, `xpu:0`, or the address of a Jupyter server, as in
`https://host:8888/base#cuda:0`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qs, urlsplit, urlunsplit

_DEVICE = re.compile(r"(cpu|mps|cuda|xpu)(?::(\d+))?")
_SECRETS = ("token", "password")

# What hides or picks a kind's devices; each is read once, when the driver starts.
VISIBLE = {"cuda": "CUDA_VISIBLE_DEVICES", "xpu": "ZE_AFFINITY_MASK"}


class BadChoice(ValueError):
    """The text is no place to run at; the message never holds a token."""


@dataclass(frozen=True)
class Choice:
    kind: str  # "cpu", "cuda", "mps" or "xpu"
    index: int = 0  # among the devices of that kind
    url: str | None = None  # of a Jupyter server, without a slash at its end; None for this machine

    @property
    def device(self) -> str:
        """As torch names it, on the machine."""
        return f"{self.kind}:{self.index}" if self.kind in VISIBLE else self.kind

    @property
    def inside(self) -> str:
        """As torch names it in the kernel, which sees no other of its kind."""
        return f"{self.kind}:0" if self.kind in VISIBLE else self.kind

    def __str__(self) -> str:
        return f"{self.url}#{self.device}" if self.url else self.device


def choice(text: str) -> Choice:
    """Raises BadChoice."""
    if "://" in text:
        return _remote(text.strip())
    found = _DEVICE.fullmatch(text.strip().lower())
    if not found:
        raise BadChoice(
            f"`{text}` is no device: write cpu, cuda:0, mps, xpu:0 or the URL of a Jupyter server"
        )
    if found[2] and found[1] not in VISIBLE:
        raise BadChoice(f"`{text}` is no device: there is only one `{found[1]}`")
    return Choice(found[1], int(found[2] or 0))


def _remote(text: str) -> Choice:
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise BadChoice("this address of a Jupyter server is not well formed") from None
    if parts.scheme not in ("http", "https") or not host:
        raise BadChoice("the address of a Jupyter server begins with http:// or https:// and a host")
    if parts.username or parts.password or any(name in parse_qs(parts.query) for name in _SECRETS):
        raise BadChoice(
            "leave the token out of the address, where others can read it: "
            "it is taken from TORCHWISE_TOKEN, JUPYTER_TOKEN or the editor's secret storage"
        )
    on = choice(parts.fragment or "cpu")
    return Choice(
        on.kind, on.index, urlunsplit(SplitResult(parts.scheme, parts.netloc, _base(parts.path), "", ""))
    )


def _base(path: str) -> str:
    """Of the page that a user has copied, the part before `/lab` or `/tree`."""
    return re.split(r"/(?:lab|tree|notebooks|api)(?:/|$)", path)[0].rstrip("/")


def visible(chosen: Choice, environment: Mapping[str, str]) -> dict[str, str]:
    """Variables that show a kernel its device and no other. The index counts what is visible now, so a list
    that is set already is picked from.
    """
    wanted = {name: "" for kind, name in VISIBLE.items() if kind == "cuda"}
    if chosen.kind in VISIBLE:
        name = VISIBLE[chosen.kind]
        listed = [part.strip() for part in environment.get(name, "").split(",") if part.strip()]
        wanted[name] = listed[chosen.index] if chosen.index < len(listed) else str(chosen.index)
    return wanted
