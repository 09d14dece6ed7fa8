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
    import logging

    from torchwise.lsp.server import make_server

    logging.basicConfig(level=log_level.upper(), format="%(levelname)s %(name)s: %(message)s")
    if tcp is None:
        make_server().start_io()
    else:
        make_server().start_tcp("127.0.0.1", tcp)
