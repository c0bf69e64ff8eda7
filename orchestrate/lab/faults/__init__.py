"""Faults on demand: what AWS does to a run on a bad day, done to it in the lab.

`models` says what a fault is, `decide` whether one strikes (pure), `book` which there are,
`answers` what a struck caller gets to read, `desk` takes orders from the command line, `watch`
does what faults do to hosts and to groups that wait for capacity.
"""
