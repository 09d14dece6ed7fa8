"""The course: lessons that run, read from `content/`, searched, shown and proven.

Reading needs the extra `lessons`; nothing here imports torch. Lessons run on kernels of `run/`; `prove` runs
them in processes of its own.
"""
