"""Fuzzers: programs and messages that nobody would write, and the laws that hold for them all the same.

`choices` decides, `programs` and `talks` make something of the decisions, `laws` judge. A decision comes from
the bytes of Atheris (`guided`, led by what the code does) or from Hypothesis (`drawn`, which makes what it
found small).
"""
