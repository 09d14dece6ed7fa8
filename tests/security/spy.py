"""Goes along into a process as `sitecustomize`, and writes down what it does to the world.

Each line of the file that SPY names is an event of `sys.audit` and what it is about.
"""

import os
import sys

WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {
    "os.mkdir",
    "os.rename",
    "os.remove",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
    "os.chmod",
}
NEVER = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "socket.connect", "pickle.find_class"}
log = os.open(os.environ["SPY"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)


def note(event: str, about: object) -> None:
    os.write(log, f"{event}\t{about}\n".encode(errors="replace"))


def hook(event: str, args: tuple[object, ...]) -> None:
    if event == "open":
        path, _, flags = args
        if isinstance(flags, int) and flags & WRITES and isinstance(path, str | bytes):
            note("write", os.path.abspath(os.fsdecode(path)))
    elif event in CHANGES:
        note("write", os.path.abspath(os.fsdecode(args[0] if event != "os.rename" else args[1])))  # type: ignore[arg-type]
    elif event in NEVER:
        note(event, args)
    elif event == "exec":
        name = getattr(args[0], "co_filename", "")
        if not name.startswith("<"):
            note("exec", os.path.abspath(name))


sys.addaudithook(hook)
