"""Tokens are found, and show in nothing that is written."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pytest

from torchwise.run.messages import RunRequest
from torchwise.run.tokens import Token, token_for

SECRET = "t0p-s3cret"


@pytest.fixture(autouse=True)
def runtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    return tmp_path


def leave(folder: Path, url: str, token: str) -> None:
    (folder / "jpserver-1.json").write_text(json.dumps({"url": url, "token": token}))


def header(token: Token) -> str | None:
    return token.headers.get("Authorization")


def test_what_is_given_comes_first(runtime: Path) -> None:
    leave(runtime, "http://localhost:8888/", "of the file")
    found = token_for("http://localhost:8888", "given", {"JUPYTER_TOKEN": "of the environment"})
    assert header(found) == "token given"


def test_a_running_server_of_this_user_is_known(runtime: Path) -> None:
    leave(runtime, "http://localhost:8888/base/", "of the file")
    assert (
        header(token_for("http://127.0.0.1:8888/base", None, {"JUPYTER_TOKEN": "other"}))
        == "token of the file"
    )


def test_of_another_place_the_environment_tells(runtime: Path) -> None:
    leave(runtime, "http://localhost:8888/", "of the file")
    own = {"TORCHWISE_TOKEN": "mine", "JUPYTER_TOKEN": "other"}
    assert header(token_for("https://cluster", None, own)) == "token mine"
    assert header(token_for("http://localhost:8889", None, {})) is None


def test_broken_files_are_passed_over(runtime: Path) -> None:
    (runtime / "jpserver-2.json").write_text("{")
    (runtime / "nbserver-3.json").write_text("[]")
    assert not token_for("http://localhost:8888", None, {})


def test_a_token_shows_itself_nowhere(caplog: pytest.LogCaptureFixture) -> None:
    token, request = Token(SECRET), RunRequest(run="1", code="1", token=SECRET)  # type: ignore[arg-type]
    with caplog.at_level(logging.DEBUG):
        logging.debug("%s %r %s %r", token, token, request, request)
    assert SECRET not in caplog.text + request.model_dump_json()
    assert token.hidden_in(f"a {SECRET} b") == "a … b"
