"""`torchwise server`: the language server."""

from __future__ import annotations

import click


@click.command(short_help="Start the language server.")
@click.option(
    "--tcp", metavar="PORT", type=click.IntRange(1, 65535), help="Listen on this local port, for debugging."
)
@click.option("--stdio", is_flag=True, help="Talk over standard input and output, as it does anyway.")
@click.option("--log-level", type=click.Choice(["debug", "info", "warning", "error"]), default="warning")
def server(tcp: int | None, stdio: bool, log_level: str) -> None:
    """Starts the language server on standard input and output."""
    import gc
    import importlib
    import logging

    gc.disable()  # nothing that is made while starting is garbage
    # By name: neither outer layer knows the other, this one only starts it.
    made = importlib.import_module("torchwise.lsp.server").make_server()
    gc.freeze()
    gc.enable()
    logging.basicConfig(level=log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    if tcp is None:
        made.start_io()
    else:
        made.start_tcp("127.0.0.1", tcp)
