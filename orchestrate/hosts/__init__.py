"""Hosts: which exist, what they are called, and how SSH reaches them.

`inventory` and `ssh_config` are pure; `ssh` opens connections and is the only importer of fabric;
`wait` asks many hosts at once. Nothing here starts or stops a host.
"""
