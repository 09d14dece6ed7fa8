"""The server behind a port, for looking at it with a debugger."""

from __future__ import annotations

import json
import socket
import subprocess
import time

from tests.lsp.session import FAKE


def test_it_answers_on_a_port() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen([*FAKE, "--tcp", str(port)])
    try:
        connection = _connected(port)
        params = {"processId": None, "rootUri": None, "capabilities": {}}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params}).encode()
        connection.sendall(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert b'"name": "torchwise"' in _all_of_it(connection)
    finally:
        process.terminate()
        process.wait(20)


def _connected(port: int) -> socket.socket:
    end = time.monotonic() + 20
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 20)
        except ConnectionRefusedError:
            assert time.monotonic() < end
            time.sleep(0.1)


def _all_of_it(connection: socket.socket) -> bytes:
    received = b""
    while b'"id": 1' not in received:
        received += connection.recv(65536)
    return received
