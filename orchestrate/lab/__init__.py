"""The lab: a rehearsal cloud on this machine, with an AWS API and real Linux hosts behind it.

`daemon` is the one process of a lab; `aws_server` serves moto's API in it, `gaps` closes what
moto does not do as AWS does; `lifecycle` reads from the API which hosts should exist and `hosts`
makes them so. `client` is what the command line uses. `spec` is where API and hosts meet,
`paths` says where a lab keeps its things. Only the command line and tests import this package.
"""
