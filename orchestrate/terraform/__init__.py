"""Terraform: its roots as text, and the program that makes them real.

Pure: `roots` (fleet and ledger to files), `events` and `plan` (what Terraform says), `failure`,
`environment`, `state`, `outputs`, `lock`. At the edge: `write` (files), `binary` and `providers`
(what is on this machine), `run` (the program itself, the only importer of python_terraform).
"""
