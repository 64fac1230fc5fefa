"""Measurements, none of which is a test: `python -m tests.benchmarks` runs the service's. `docs/performance.md`."""
