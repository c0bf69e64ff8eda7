"""Logins: nobody shares a number, somebody can get in, and no image's own login is taken."""

from collections.abc import Iterator

from orchestrate.findings import Finding
from orchestrate.fleet.models import Fleet, User
from orchestrate.fleet.places import Places

# Accounts that Debian and Ubuntu have already; base-passwd(8), and what the packages we use add.
_SYSTEM = """
root daemon bin sys sync games man lp mail news uucp proxy www-data backup list irc gnats nobody
messagebus sshd syslog statd landscape pollinate tcpdump uuidd
"""
SYSTEM = frozenset(_SYSTEM.split())


def check(fleet: Fleet, places: Places) -> Iterator[Finding]:
    """What is wrong with the `users` of `fleet.yaml`."""
    seen: dict[int, str] = {}
    taken = {image.user for image in fleet.file.images.values()}
    taken |= {site.login for site in fleet.sites.values()}
    for name, user in fleet.file.users.items():
        at = places.in_fleet("users", name)
        other = seen.setdefault(user.uid, name)
        if other != name:
            what = f"uid {user.uid} of '{name}' is {other}'s ({places.in_fleet('users', other)})"
            fix = "choose another; files belong to numbers, so never use one again"
            yield Finding(places.in_fleet("users", name, "uid"), what, fix)
        if name in taken | SYSTEM:
            kind = "an image" if name in taken else "the system"
            yield Finding(at, f"'{name}' is already a login of {kind}", "choose another login")
        if not user.keys and not user.gone:
            fix = "write keys: [ssh-ed25519 ...], or gone: true"
            yield Finding(at, f"'{name}' has no key, so nobody can log in with it", fix)
        yield from _twice(name, user, fleet, places)


def _twice(name: str, user: User, fleet: Fleet, places: Places) -> Iterator[Finding]:
    for other, theirs in fleet.file.users.items():
        if other == name:
            return
        if {_bare(key) for key in user.keys} & {_bare(key) for key in theirs.keys}:
            where = places.in_fleet("users", other)
            what = f"a key of '{name}' is also {other}'s ({where})"
            fix = "one key, one person: else nobody can tell who was there"
            yield Finding(places.in_fleet("users", name, "keys"), what, fix)


def _bare(key: str) -> tuple[str, ...]:
    """The key without its comment."""
    return tuple(key.split()[:2])
