"""How long a test waits for what must come to be before it says that it didn't.

Only a failure takes so long. A busy machine may take ten times as long as an idle one for anything;
how long it may take is for the benchmarks.
"""

PATIENCE_S = 900.0
