"""Debian's package archive on the lab's internet, for `apt-get` in a host to work as on AWS.

`archives` is pure: which requests are Debian's and how long an answer lasts. `store` fetches each
file once, the way this machine's own apt would, and keeps it for all labs. `door` is the HTTP
server hosts meet. Signatures and hashes stay Debian's: hosts check what they get as ever.
"""
