"""Opens JupyterLab on a copy of the demo notebook, where its faults are underlined; `make demo` ends with it.

DEMO_OPEN=0 leaves it out, and so does an output that is no terminal (DEMO_OPEN=1 opens it there, too).
Without a display no browser is started; the address is printed.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
COPY = HERE.parent / "build" / "demo"
NOTEBOOK = "look.ipynb"


def wanted(choice: str, is_terminal: bool) -> bool:
    return choice == "1" or (choice != "0" and is_terminal)


def has_display() -> bool:
    own = sys.platform in ("win32", "darwin")
    return own or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


def command(folder: Path) -> list[str]:
    jupyter = [sys.executable, "-m", "jupyterlab", f"--ServerApp.root_dir={folder}"]
    jupyter.append(f"--LabApp.default_url=/lab/tree/{NOTEBOOK}")
    if not has_display():
        jupyter.append("--no-browser")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        jupyter.append("--allow-root")
    return jupyter


def main() -> None:
    if not COPY.exists():  # what was tried out in an earlier one stays
        shutil.copytree(HERE / "faulty", COPY)
    if not wanted(os.environ.get("DEMO_OPEN", ""), sys.stdout.isatty()):
        print(f"To see it in JupyterLab: {sys.executable} -m jupyterlab {COPY / NOTEBOOK}")
        return
    print("JupyterLab opens with the demo notebook; Ctrl-C ends it.", flush=True)
    os.execv(sys.executable, command(COPY))


if __name__ == "__main__":
    main()
