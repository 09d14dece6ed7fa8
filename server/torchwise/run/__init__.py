"""Runs code on kernels: the CPU's, one for each accelerator, and those of remote Jupyter servers.

Analysis never runs anything; all that does is in here, and it needs the extra `run`. A kernel is a process of
its own in the interpreter that the user chose, so neither torch nor the user's code ever enters ours.
`messages` says what the outside asks and is told; `sessions` is the door; what is in `inside/` is text to us:
it is sent into the kernels and runs there.
"""
