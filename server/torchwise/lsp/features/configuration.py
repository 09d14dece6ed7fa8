"""The client's configuration, asked for at the start and whenever it changes."""

from __future__ import annotations

from lsprotocol import types

from torchwise.lsp.configuring import configure, section
from torchwise.lsp.server import Server


def configuration(server: Server) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        server.sent = section(params.initialization_options)

    @server.feature(types.INITIALIZED)
    def initialized(params: types.InitializedParams) -> None:
        server.begin()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def did_change_configuration(params: types.DidChangeConfigurationParams) -> None:
        server.sent = section(params.settings) or server.sent
        await configure(server)

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def did_change_folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        await configure(server)
        await server.index()

    async def at_the_start() -> None:
        await configure(server)
        server.configured.set()

    server.background.append(at_the_start)
