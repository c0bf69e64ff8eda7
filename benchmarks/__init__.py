"""How quick it is, measured: `make bench`, results in results.md.

Every module but `measure` and `report` is one benchmark: `measure() -> Iterable[Measurement]` and a
docstring that says what is measured, against what, and why the target is what it is. Ratios are
taken within one run, the two sides in turns, so that a busy machine slows both.
"""
