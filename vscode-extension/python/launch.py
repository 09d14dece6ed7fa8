"""Starts the server: the environment's own Torchwise, or the bundled one.

The bundled packages stand on `sys.path` of this process only. Kernels that it starts inherit variables, so
none is set.
Usage: launch.py useBundled|fromEnvironment ARGUMENTS-OF-TORCHWISE
"""

import sys
from pathlib import Path

BUNDLED = Path(__file__).resolve().parent.parent / "bundled"


def bundled_folders():
    tag = f"cp{sys.version_info[0]}{sys.version_info[1]}"
    return [str(folder) for folder in (BUNDLED / tag, BUNDLED / "libs") if folder.is_dir()]


def main():
    strategy, arguments = sys.argv[1], sys.argv[2:]
    here = str(Path(__file__).resolve().parent)
    own = [entry for entry in sys.path if entry != here]
    folders = bundled_folders()
    sys.path[:] = own + folders if strategy == "fromEnvironment" else folders + own
    sys.argv = ["torchwise", *arguments]
    from torchwise.cli import main as torchwise

    torchwise()


if __name__ == "__main__":
    main()
