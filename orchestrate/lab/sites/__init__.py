"""The fleet's sites in the lab: each rack a host on its site's LAN, behind the site's gateway.

`models` says what a site is, `order` reads it from the fleet, `wires` is its network as text, all
three pure. `network` keeps the networks, `register` the sites a lab was asked to have, over
restarts, and `desk` is where the command line asks.
"""
