"""`python -m release.check`: builds what is released, installs it where nothing else is, and uses it.

Wheel and source distribution are installed with their extras into new virtual environments, the .vsix into a
new VS Code (code-server), the extension of JupyterLab comes with the wheel. None of them may bring a torch,
and the .vsix nothing that is not pinned; bills of materials say what they bring.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from release import sbom
from release.versions import ROOT
from release.versions import main as versions
from torchwise import __version__

CODE_SERVER = (
    Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "torchwise" / "code-server" / "new"
)
FAULTY = ROOT / "demo" / "faulty"


@contextmanager
def step(name: str) -> Iterator[None]:
    start = time.monotonic()
    yield
    print(f"{name}: {time.monotonic() - start:.0f} s", flush=True)


def run(*command: str | Path, cwd: Path = ROOT, codes: tuple[int, ...] = (0,), **more: str) -> str:
    """What a command prints. Its environment has no way to this checkout."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))
    }
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env={**environment, **more}, capture_output=True, text=True
    )
    if done.returncode not in codes:
        sys.exit(f"{' '.join(map(str, command))} ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return done.stdout


def built(into: Path) -> tuple[Path, Path, Path]:
    """Wheel, source distribution and .vsix; the wheel is built from the source distribution."""
    with step("build the wheel and the source distribution"):
        run(sys.executable, "-m", "build", "--outdir", into, ROOT)
    vsix = into / f"torchwise-{__version__}.vsix"
    with step("build the .vsix"):
        minor = "{}.{}".format(*sys.version_info)
        run("node", "scripts/package.mjs", "--pythons", minor, "--out", vsix, cwd=ROOT / "vscode-extension",
            PYTHON=sys.executable)  # fmt: skip
    (wheel,), (source,) = into.glob("*.whl"), into.glob("*.tar.gz")
    assert f"-{__version__}-" in wheel.name and source.name.endswith(f"-{__version__}.tar.gz")
    return wheel, source, vsix


def installed(artefact: Path, extras: str, folder: Path) -> Path:
    """The programs of a new environment with the artefact in it."""
    venv.create(folder, with_pip=True)
    programs = folder / "bin"
    run(
        programs / "python",
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        f"{artefact}{extras}",
    )
    names = {
        each["name"].lower()
        for each in json.loads(run(programs / "python", "-m", "pip", "list", "--format=json"))
    }
    assert not {name for name in names if name == "torch" or name.startswith("nvidia")}, names
    return programs


def finds_faults(programs: Path, home: Path) -> None:
    project = home / "orchard"
    shutil.copytree(FAULTY, project)
    torchwise = programs / "torchwise"
    assert run(torchwise, "--version").strip() == f"torchwise {__version__}"
    found = json.loads(run(torchwise, "check", ".", "--output-format", "json", cwd=project, codes=(1,)))
    assert len({entry["code"] for entry in found}) >= 8, found
    run(torchwise, "fix", ".", cwd=project)
    left = json.loads(run(torchwise, "check", ".", "--output-format", "json", cwd=project, codes=(0, 1)))
    assert len(left) < len(found)
    assert "view-on-non-contiguous" in run(torchwise, "explain", "TW301")


def has_course_and_lab(programs: Path, home: Path) -> None:
    assert "02-tensors/views" in run(
        programs / "torchwise", "lessons", "list", XDG_DATA_HOME=str(home / "data")
    )
    (home / "a.py").write_text("print(6 * 7)\n")
    assert run(programs / "torchwise", "run", "a.py", cwd=home) == "42\n"
    places = {"HOME": str(home), "JUPYTER_CONFIG_DIR": str(home / "jupyter")}
    listed = subprocess.run(
        [programs / "jupyter", "labextension", "list"],
        env={**os.environ, **places},
        capture_output=True,
        text=True,
    )
    assert f"@torchwise/lab v{__version__}" in listed.stdout + listed.stderr, listed
    enabled = subprocess.run(
        [programs / "jupyter", "server", "extension", "list"],
        env={**os.environ, **places}, capture_output=True, text=True,
    )  # fmt: skip
    assert "torchwise" in enabled.stdout + enabled.stderr, enabled
    kernels = json.loads(run(programs / "jupyter", "kernelspec", "list", "--json", **places))["kernelspecs"]
    assert any(name.startswith("torchwise") for name in kernels), kernels


def bill_of_wheel(wheel: Path, home: Path) -> None:
    """With what pip installed for it, and what the extension of JupyterLab was built with."""
    (site,) = (home / "venv").glob("lib/python*/site-packages")
    built_in = sbom.npm_packages(home / "venv" / "share" / "jupyter" / "labextensions" / "@torchwise")
    _ends_at(sbom.npm_faults("lab-extension", built_in))
    components = sbom.of_python_packages(sbom.python_packages(site)) + sbom.of_npm_packages(built_in)
    sbom.bill(wheel.name, components, wheel.parent)


def bill_of_vsix(vsix: Path, home: Path) -> None:
    with zipfile.ZipFile(vsix) as archive:
        archive.extractall(home / "unpacked")
    extension = home / "unpacked" / "extension"
    folders = [path for path in (extension / "bundled").iterdir() if path.is_dir()]
    built_in = sbom.npm_packages(extension / "dist")
    _ends_at(sbom.bundled_faults(folders) + sbom.npm_faults("vscode-extension", built_in))
    components = sbom.of_python_packages(sbom.python_packages(*folders)) + sbom.of_npm_packages(built_in)
    sbom.bill(vsix.name, components, vsix.parent)


def _ends_at(faults: list[str]) -> None:
    if faults:
        sys.exit("\n".join(faults))


def works_in_code(vsix: Path, home: Path) -> None:
    """The extension is listed, and the server in it answers a client with nothing but a plain Python."""
    from tests.lsp.wire import Wire

    run("bash", "vscode-extension/scripts/install-code-server.sh", "new", CODE_SERVER)
    (home / "config.yaml").write_text("auth: none\ncert: false\n")
    entry = CODE_SERVER / "node_modules/code-server/out/node/entry.js"
    places = (
        "--config",
        home / "config.yaml",
        "--user-data-dir",
        home / "data",
        "--extensions-dir",
        home / "extensions",
    )
    offline = {"EXTENSIONS_GALLERY": "{}"}
    run(CODE_SERVER / "node", entry, *places, "--install-extension", vsix, **offline)
    listed = run(CODE_SERVER / "node", entry, *places, "--list-extensions", "--show-versions", **offline)
    assert f"torchwise.torchwise@{__version__}" in listed, listed
    (launcher,) = (home / "extensions").glob("torchwise.torchwise-*/python/launch.py")
    plain = home / "plain"
    venv.create(plain, with_pip=False)
    wire = Wire([str(plain / "bin" / "python"), str(launcher), "useBundled", "server"])
    wire.ask(
        "initialize",
        {"processId": None, "rootUri": None, "capabilities": {"textDocument": {"diagnostic": {}}}},
    )
    wire.notify("initialized", {})
    uri = wire.open("model.py", "import torch\nx = torch.ones(2, 3).t().view(6)\n")
    items = wire.ask("textDocument/diagnostic", {"textDocument": {"uri": uri}})["result"]["items"]
    assert [item["code"] for item in items] == ["TW301"], items
    wire.ask("shutdown", None)
    wire.notify("exit", None)


def main() -> int:
    if versions(["--check"]):
        return 1
    with tempfile.TemporaryDirectory(prefix="torchwise-release-") as scratch:
        folder = Path(scratch)
        wheel, source, vsix = built(folder / "dist")
        for name, artefact, extras in (("wheel", wheel, "[lab]"), ("source distribution", source, "")):
            home = folder / name.split()[0]
            home.mkdir()
            with step(f"install the {name} and use it"):
                programs = installed(artefact, extras, home / "venv")
                finds_faults(programs, home)
                if extras:
                    has_course_and_lab(programs, home)
                    bill_of_wheel(artefact, home)
        home = folder / "code"
        home.mkdir()
        with step("install the .vsix and use it"):
            bill_of_vsix(vsix, home)
            works_in_code(vsix, home)
        kept = ROOT / "dist"
        shutil.rmtree(kept, ignore_errors=True)
        shutil.copytree(folder / "dist", kept)
    print(f"{', '.join(path.name for path in sorted(kept.iterdir()))} are in {kept}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
