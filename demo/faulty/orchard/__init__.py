"""Sorting fruit by looking at it: small pictures, a few networks, all of it on the CPU."""
