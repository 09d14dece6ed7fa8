"""The course: lessons that run, read from `content/`, searched, shown and proven.

Reading needs the extra `lessons`; nothing here imports torch. Lessons run on kernels by `run/`, and are proven
in processes of their own.
"""
