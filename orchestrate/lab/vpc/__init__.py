"""A VPC's networks: what the EC2 API says of them, and what that is in a router's namespace.

`read` alone looks at moto and returns the plain data of `models`. The other modules, one per noun
of AWS, turn that data into what `ip` and `nft` are told, and touch nothing. The lab's `router` and
`network` do it.
"""
