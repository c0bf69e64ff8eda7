"""Verify: is a host what its role says it must be?

The answer comes from testinfra suites, a folder per cookbook in `tests/infra`. `run.run` checks
many hosts at once, in one pytest process of its own, and returns `verdicts.Verdicts`; it prints
nothing. `checks`, `events`, `junit`, `report`, `tally`, `verdicts` and `way` are pure. `plugin`,
`per_host`, `backend`, `root_shell` and `doors` live in the pytest process: nothing else imports
them, and they alone import pytest and testinfra.
"""
