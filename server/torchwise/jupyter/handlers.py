"""What the pages of a Jupyter server reach: a websocket to the language server, and what there is here.

Every handler authenticates and authorises like Jupyter's own. Talking to the language server may run code (a
check for real does), so it takes the right to execute.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jupyter_core.utils import ensure_async
from jupyter_server.auth.decorator import authorized
from jupyter_server.base.handlers import APIHandler, JupyterHandler
from jupyter_server.base.websocket import WebSocketMixin
from jupyter_server.gateway.managers import GatewayMappingKernelManager
from tornado import web, websocket

from torchwise import __version__
from torchwise.jupyter.hub import Hub, Page
from torchwise.jupyter.inside import script
from torchwise.jupyter.kernelspecs import cuda_devices

RESOURCE = "torchwise"


class LanguageServerSocket(WebSocketMixin, websocket.WebSocketHandler, JupyterHandler):
    """A text frame is one JSON-RPC message."""

    auth_resource = RESOURCE
    page: Page | None = None

    def initialize(self, hub: Hub) -> None:
        self.hub = hub

    async def get(self, *args: Any, **kwargs: Any) -> None:
        user = self.current_user
        if user is None:
            raise web.HTTPError(403)
        if not await ensure_async(self.authorizer.is_authorized(self, user, "execute", RESOURCE)):
            raise web.HTTPError(403)
        upgraded = super().get(*args, **kwargs)
        if upgraded is not None:
            await upgraded

    def open(self, *args: Any, **kwargs: Any) -> None:
        super().open(*args, **kwargs)  # keeps the connection alive
        self.page = Page(self._tell)
        self.hub.join(self.page)

    def _tell(self, message: dict[str, Any]) -> None:
        """What a page that is just leaving is not told any more is no fault."""
        if self.ws_connection is not None and not self.ws_connection.is_closing():
            self.write_message(json.dumps(message)).add_done_callback(lambda sent: sent.exception())

    async def on_message(self, message: str | bytes) -> None:
        try:
            read = json.loads(message)
        except ValueError:
            read = None
        if isinstance(read, dict) and self.page is not None:
            await self.hub.hear(self.page, read)
        else:
            self.log.warning("torchwise: a message that is no JSON object was dropped")

    def on_close(self) -> None:
        if self.page is not None:
            self.hub.leave(self.page)
            self.page = None
        super().on_close()


class Info(APIHandler):
    """What a page has to know before it connects."""

    auth_resource = RESOURCE

    def initialize(self, hub: Hub) -> None:
        self.hub = hub

    @web.authenticated
    @authorized
    async def get(self) -> None:
        root = self.hub.root
        elsewhere = isinstance(self.kernel_manager, GatewayMappingKernelManager)
        told = {
            "version": __version__,
            "rootUri": Path(root).as_uri() if root else None,
            "languageServer": self.hub.pid,
            "cudaDevices": None if elsewhere else cuda_devices(),  # where kernels run on this machine
        }
        self.finish(json.dumps(told))


class Inside(APIHandler):
    """A script that a page sends into a kernel when its user asks for it."""

    auth_resource = RESOURCE

    @web.authenticated
    @authorized
    async def get(self, name: str) -> None:
        text = script(name)
        if text is None:
            raise web.HTTPError(404, f"there is no script `{name}`")
        self.finish(json.dumps({"name": name, "text": text}))
