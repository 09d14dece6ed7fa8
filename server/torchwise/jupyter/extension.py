"""The Jupyter server extension: its routes, and the hub behind them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jupyter_server.extension.application import ExtensionApp
from jupyter_server.utils import url_path_join

from torchwise.jupyter.handlers import Info, Inside, LanguageServerSocket
from torchwise.jupyter.hub import Hub
from torchwise.jupyter.kernelspecs import cuda_devices, write_further


class TorchwiseExtension(ExtensionApp):
    name = "torchwise"
    load_other_extensions = True

    def initialize_settings(self) -> None:
        assert self.serverapp is not None, "a server loads its extensions"
        root = getattr(self.serverapp.contents_manager, "root_dir", None)
        self.hub = Hub(root)
        self.settings["torchwise_hub"] = self.hub
        self._show_devices(self.serverapp)

    def initialize_handlers(self) -> None:
        own = {"hub": self.hub}
        self.handlers += [
            (url_path_join("torchwise", "lsp"), LanguageServerSocket, own),
            (url_path_join("torchwise", "info"), Info, own),
            (url_path_join("torchwise", "inside", r"(\w+)"), Inside),
        ]

    def _show_devices(self, serverapp: Any) -> None:
        """On a gateway the kernelspecs are the gateway's, and there is nothing to look into."""
        manager = serverapp.kernel_spec_manager
        count = cuda_devices()
        if count > 1 and hasattr(manager, "kernel_dirs"):
            manager.kernel_dirs.append(str(write_further(Path(serverapp.runtime_dir), count)))

    async def stop_extension(self) -> None:
        await self.hub.close()
