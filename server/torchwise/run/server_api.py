"""The REST side of a Jupyter server: kernels are made, interrupted and ended by it.

What goes wrong becomes a problem with a remedy; none of the texts holds the token, which travels in a header.
"""

from __future__ import annotations

import contextlib
from typing import Any

import httpx

from torchwise.run.interpreters import Unavailable
from torchwise.run.messages import Problem
from torchwise.run.tokens import Token

_TIMEOUT_S = 15.0
_START_S = 90.0  # a cluster may have to make room first


class ServerApi:
    """Stateful: it keeps a connection."""

    def __init__(self, url: str, token: Token):
        self.url, self._token = url, token
        self._client = httpx.AsyncClient(base_url=f"{url}/api/", headers=token.headers, timeout=_TIMEOUT_S)

    @property
    def headers(self) -> dict[str, str]:
        return self._token.headers

    def channels(self, kernel: str, session: str) -> str:
        scheme, _, rest = self.url.partition("://")
        scheme = {"http": "ws", "https": "wss"}[scheme]
        return f"{scheme}://{rest}/api/kernels/{kernel}/channels?session_id={session}"

    async def start(self, name: str | None = None) -> str:
        """The id of a new kernel. Raises Unavailable."""
        name = name or await self._python_kernel()
        answer = await self._ask("POST", "kernels", json={"name": name}, timeout=_START_S)
        return str(answer["id"])

    async def _python_kernel(self) -> str:
        answer = await self._ask("GET", "kernelspecs")
        specs = answer.get("kernelspecs") or {}
        python = [name for name, row in specs.items() if _language(row) == "python"]
        if not python:
            raise Unavailable(Problem(about="server", what=f"{self.url} has no kernel for Python"))
        default = str(answer.get("default") or "")
        return default if default in python else python[0]

    async def state(self, kernel: str) -> str | None:
        """`idle`, `busy` ...; None where there is no such kernel. Raises Unavailable."""
        try:
            answer = await self._ask("GET", f"kernels/{kernel}")
        except _NotFound:
            return None
        return str(answer.get("execution_state") or "unknown")

    async def interrupt(self, kernel: str) -> None:
        with contextlib.suppress(Unavailable):
            await self._ask("POST", f"kernels/{kernel}/interrupt")

    async def delete(self, kernel: str) -> None:
        with contextlib.suppress(Unavailable):
            await self._ask("DELETE", f"kernels/{kernel}")

    async def close(self) -> None:
        await self._client.aclose()

    async def _ask(self, method: str, path: str, **more: Any) -> dict[str, Any]:
        try:
            response = await self._client.request(method, path, **more)
        except httpx.HTTPError as error:
            raise Unavailable(self._unreachable(error)) from None
        if response.is_success and not response.content:
            return {}
        if not response.is_success:
            raise self._refusal(response)
        try:
            answer = response.json()
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            raise Unavailable(Problem(about="server", what=f"{self.url} is no Jupyter server"))
        return answer

    def _unreachable(self, error: httpx.HTTPError) -> Problem:
        if isinstance(error, httpx.TimeoutException):
            what = f"the server {self.url} does not answer"
        else:
            what = f"the server {self.url} cannot be reached: {self._token.hidden_in(str(error))[:300]}"
        return Problem(
            about="server", what=what, remedy="see whether it runs, and whether the address is right"
        )

    def _refusal(self, response: httpx.Response) -> Unavailable:
        status = response.status_code
        if status in (401, 403) or (response.is_redirect and "login" in response.headers.get("location", "")):
            had = "refuses the token" if self._token else "wants a token"
            what = f"the server {self.url} {had} ({status})"
            remedy = "`jupyter server list` shows it there; give it in the editor or as $TORCHWISE_TOKEN"
            return Unavailable(Problem(about="server", what=what, remedy=remedy))
        if status == 404:
            what = f"{self.url} has no such address: is it a Jupyter server?"
            return _NotFound(Problem(about="server", what=what))
        said = self._token.hidden_in(response.text)[:300].strip()
        return Unavailable(Problem(about="server", what=f"the server {self.url} answers {status}: {said}"))


class _NotFound(Unavailable):
    """404."""


def _language(row: Any) -> str:
    spec = row.get("spec") if isinstance(row, dict) else None
    return str((spec or {}).get("language") or "").lower()
