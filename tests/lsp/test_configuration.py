"""Settings from files and from the client."""

from __future__ import annotations

from pathlib import Path

from lsprotocol import types

from tests.lsp.session import Session, connected, until


def touched(session: Session, path: Path) -> None:
    event = types.FileEvent(path.as_uri(), types.FileChangeType.Changed)
    session.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


def configured(session: Session, **section: object) -> None:
    session.client.set_configuration({"torchwise": section})
    session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(None))


async def test_the_project_file_holds_and_is_followed(tmp_path: Path) -> None:
    config = tmp_path / "pyproject.toml"
    config.write_text('[tool.torchwise]\nignore = ["TW901"]\n')
    async with connected(tmp_path) as session:
        uri = session.open("a.py", "old(risky(1))\n")
        assert await session.codes(uri) == ["TW902"]
        config.write_text('[tool.torchwise]\nseverity = { TW902 = "hint" }\n')
        touched(session, config)
        await until(lambda: len(session.client.diagnostics[uri]) == 2)
        levels = {item.code: item.severity for item in session.client.diagnostics[uri]}
        assert levels["TW902"] == types.DiagnosticSeverity.Information


async def test_the_client_stands_above_the_project_file(tmp_path: Path) -> None:
    (tmp_path / "torchwise.toml").write_text('ignore = ["TW901"]\n')
    async with connected(tmp_path, options={"ignore": ["TW902"]}) as session:
        uri = session.open("a.py", "old(risky(1))\n")
        assert await session.codes(uri) == ["TW901"]
        configured(session, select=["words"], ignore=[])
        await until(lambda: len(session.client.diagnostics[uri]) == 2)


async def test_a_fault_in_the_settings_is_said_and_the_rest_holds(tmp_path: Path) -> None:
    (tmp_path / "torchwise.toml").write_text('ingore = ["TW901"]\n')
    async with connected(tmp_path, options={"targetTorch": 2.9}) as session:
        uri = session.open("a.py", "old(1)\n")
        assert await session.codes(uri) == ["TW901"]
        said = [message.message for message in session.client.messages]
        assert any("`ingore` is not a setting; did you mean `ignore`?" in text for text in said)
        assert any("`target-torch` must be a version of torch" in text for text in said)


async def test_each_root_has_its_own_settings(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    for folder in (one, two):
        folder.mkdir()
    (one / "torchwise.toml").write_text('ignore = ["TW901"]\n')
    async with connected(tmp_path, folders=[one, two]) as session:
        assert await session.codes(session.open("one/a.py", "old(1)\n")) == []
        assert await session.codes(session.open("two/a.py", "old(1)\n")) == ["TW901"]
        event = types.WorkspaceFoldersChangeEvent([], [types.WorkspaceFolder(one.as_uri(), "one")])
        session.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))
        session.change(session.uri("two/a.py"), 2, "old(2)\n")
        assert await session.codes(session.uri("two/a.py"), 2) == ["TW901"]


async def test_a_client_that_only_tells_is_heard(tmp_path: Path) -> None:
    bare = types.ClientCapabilities()
    async with connected(tmp_path, bare, options={"torchwise": {"ignore": ["TW901"]}}) as session:
        uri = session.open("a.py", "old(risky(1))\n")
        assert await session.codes(uri, 1) == ["TW902"]
        settings = {"torchwise": {"ignore": ["TW902"]}}
        session.client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings))
        await until(lambda: [item.code for item in session.client.diagnostics[uri]] == ["TW901"])
