"""Baked images: what was baked, from what, where it is, and which of it is in use.

`catalogue` and everything it decides with are pure; `catalogue_file` is the committed record on
disk. AMIs themselves are made by `packer`, copied by `copies`, and looked at through
`orchestrate.aws`. The story of a bake is told in `orchestrate.bake`.
"""
