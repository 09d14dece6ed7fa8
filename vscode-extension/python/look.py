"""Says what a Python is and has, as one line of JSON. It runs in Pythons of any age.

What they have is read from its metadata: nothing of it is imported.
"""

import json
import platform
import sys
import sysconfig

try:
    from importlib import metadata
except ImportError:
    metadata = None


def version_of(name):
    try:
        return metadata.version(name) if metadata else None
    except Exception:
        return None


print(
    "torchwise-look:"
    + json.dumps(
        {
            "executable": sys.executable,
            "version": platform.python_version(),
            "implementation": platform.python_implementation(),
            "platform": sysconfig.get_platform(),
            "torch": version_of("torch"),
            "torchwise": version_of("torchwise"),
        }
    )
)
