"""Prints what this interpreter has: Python, torch, ipykernel, and the devices that torch can use."""

import json
import sys
import warnings

MARK = "torchwise-probe:"


def problem(about, what, remedy=None):
    return {"about": about, "what": " ".join(str(what).split())[:500], "remedy": remedy}


def import_torch(found):
    try:
        import torch

        found["torch"] = str(torch.__version__)
        return torch
    except ModuleNotFoundError as error:
        if (error.name or "").split(".")[0] != "torch":
            remedy = f"{sys.executable} -m pip install --force-reinstall torch"
            found["problems"].append(problem("torch", f"torch is broken: {error}", remedy))
        else:
            remedy = f"{sys.executable} -m pip install torch"
            found["problems"].append(problem("torch", "there is no torch in this interpreter", remedy))
    except BaseException as error:
        remedy = f"{sys.executable} -m pip install --force-reinstall torch"
        what = f"torch is broken: importing it raises {type(error).__name__}: {error}"
        found["problems"].append(problem("torch", what, remedy))
    return None


def built_for(torch):
    version = torch.version
    for name in ("cuda", "hip", "xpu"):
        if getattr(version, name, None):
            return "{} {}".format({"hip": "rocm"}.get(name, name), getattr(version, name))
    return "cpu"


def memory_of(backend, index):
    try:
        free, total = backend.mem_get_info(index)
        return int(free), int(total)
    except Exception:
        return None, None


def cards(torch, kind, found):
    """Devices of a kind that has several."""
    backend = getattr(torch, kind)
    for index in range(backend.device_count()):
        device = f"{kind}:{index}"
        try:
            name = backend.get_device_name(index)
            free, total = memory_of(backend, index)
        except Exception as error:
            found["problems"].append(problem(kind, f"{device} cannot be used: {error}"))
            continue
        row = {"id": device, "kind": kind, "name": name, "memory_free": free, "memory_total": total}
        found["devices"].append(row)


def why_no_cuda(torch):
    """What torch says when it is made to start CUDA, and what would help."""
    import os

    if not (torch.version.cuda or getattr(torch.version, "hip", None)):
        remedy = "install a build for CUDA: https://pytorch.org/get-started/locally"
        return problem("cuda", f"this torch {torch.__version__} is built for the CPU alone", remedy)
    hidden = os.environ.get("CUDA_VISIBLE_DEVICES")
    if hidden is not None and hidden.strip() in ("", "-1"):
        return problem("cuda", "CUDA_VISIBLE_DEVICES hides all devices", "unset CUDA_VISIBLE_DEVICES")
    try:
        torch.cuda.init()
        reason = "it finds no device"
    except Exception as error:
        reason = str(error)
    low = reason.lower()
    if "too old" in low or "driver version is insufficient" in low:
        remedy = "update the NVIDIA driver, or install a torch that is built for an older CUDA"
    elif "no nvidia driver" in low:
        remedy = "install the NVIDIA driver, if the machine has such a card"
    elif "unknown error" in low or "initialization" in low or "mismatch" in low:
        remedy = (
            "restart the machine: driver and kernel module may be of different versions; compare `nvidia-smi`"
        )
    else:
        remedy = "see whether `nvidia-smi` lists the device"
    return problem("cuda", f"torch is built for {built_for(torch)}, but cannot use it: {reason}", remedy)


def system_memory():
    import os

    try:
        page, total = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_PHYS_PAGES")
        return page * os.sysconf("SC_AVPHYS_PAGES"), page * total
    except (AttributeError, ValueError, OSError):
        return None, None


def look_at_torch(torch, found):
    found["built_for"] = built_for(torch)
    if torch.cuda.is_available():
        cards(torch, "cuda", found)
    else:
        found["problems"].append(why_no_cuda(torch))
    xpu = getattr(torch, "xpu", None)
    if xpu is not None and xpu.is_available():
        cards(torch, "xpu", found)
    mps = getattr(torch.backends, "mps", None)
    if mps is not None and mps.is_available():
        found["devices"].append({"id": "mps", "kind": "mps", "name": "Apple GPU"})
    elif sys.platform == "darwin":
        what = "torch cannot use the GPU of this Mac"
        found["problems"].append(
            problem("mps", what, "it needs macOS 14 and a torch that is built for arm64")
        )


def main():
    import platform

    found = {"python": platform.python_version(), "torch": None, "built_for": None, "kernel": None}
    free, total = system_memory()
    name = platform.processor() or platform.machine()
    cpu = {"id": "cpu", "kind": "cpu", "name": name, "memory_free": free, "memory_total": total}
    found.update({"devices": [cpu], "problems": []})
    try:
        from importlib.metadata import version

        found["kernel"] = version("ipykernel")
    except Exception:
        remedy = f"{sys.executable} -m pip install ipykernel"
        found["problems"].append(problem("kernel", "there is no ipykernel in this interpreter", remedy))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch = import_torch(found)
        if torch is not None:
            try:
                look_at_torch(torch, found)
            except Exception as error:
                what = f"torch is broken: {type(error).__name__}: {error}"
                remedy = f"{sys.executable} -m pip install --force-reinstall torch"
                found["problems"].append(problem("torch", what, remedy))
    print("\n" + MARK + json.dumps(found), flush=True)


main()
