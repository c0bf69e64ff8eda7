"""Chef's files: which cookbooks a role needs, what is shipped to a host, and what it is told.

`node` is pure. Nothing here reaches a host or runs Chef; `syntax` runs Ruby to check files.
"""
