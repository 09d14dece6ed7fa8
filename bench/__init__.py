"""The budgets of the design, measured: `make bench` prints them and writes `docs/benchmarks.md`."""
