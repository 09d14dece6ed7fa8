"""Writes down what the installed torch says of itself: `python -m torchwise.facts.generate [--check]`.

This package alone may look at torch, and the product never imports it. One module for each source: the
schemas and derivatives that torch ships for its own code generator, its Python sources, its stubs, the
and, for operators that are put together from others, what torch is seen to do."""
