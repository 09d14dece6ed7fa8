"""`python -m torchwise` is `torchwise`.

`-m` looks for imports in the current folder first, and a `click.py` of the user's is not to be executed.
"""

import os
import sys

if not sys.flags.safe_path and sys.path[:1] == [os.getcwd()]:
    del sys.path[0]

from torchwise.cli import main

if __name__ == "__main__":
    main(prog_name="torchwise")
