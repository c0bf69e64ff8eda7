"""The command line: one thin file per command.

`main` finds commands lazily and is the only place that turns an error into an exit code;
`context` knows the repository and the target; `progress` and `summary` are what an operator sees
of a run.
"""
