"""Addresses: no two ranges anywhere overlap, and a range once given never moves.

`records` is what the ledger holds, `space` free space as integers, `allocate` decides who gets
what, `explain` says why somebody gets nothing; all pure. `grammar` is the ledger's text (pure),
`ledger` the file, with its lock. `check` compares fleet and ledger for `orchestrate check`;
`view`, `map` and `svg` are what an operator looks at (pure).
"""
