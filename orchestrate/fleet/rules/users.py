"""Logins: nobody shares a number, somebody can get in, and no name is something else's."""

from collections.abc import Iterator

from orchestrate.findings import Finding
from orchestrate.fleet.models import Fleet, User
from orchestrate.fleet.places import Places
from orchestrate.fleet.rules import reserved


def check(fleet: Fleet, places: Places) -> Iterator[Finding]:
    """What is wrong with the `users` of `fleet.yaml`, and with the logins of images and sites."""
    seen: dict[int, str] = {}
    for name, user in fleet.file.users.items():
        other = seen.setdefault(user.uid, name)
        if other != name:
            what = f"uid {user.uid} of '{name}' is {other}'s ({places.in_fleet('users', other)})"
            fix = "choose another; files belong to numbers, so never use one again"
            yield Finding(places.in_fleet("users", name, "uid"), what, fix)
        if not user.keys and not user.gone:
            fix = "write keys: [ssh-ed25519 ...], or gone: true"
            what = f"'{name}' has no key, so nobody can log in with it"
            yield Finding(places.in_fleet("users", name), what, fix)
        if user.verifier and user.admin:
            what = f"'{name}' is a verifier and an administrator"
            fix = "take one of them out: a verifier can change nothing, an administrator everything"
            yield Finding(places.in_fleet("users", name, "verifier"), what, fix)
        yield from _taken(name, fleet, places)
        yield from _twice(name, user, fleet, places)
    yield from _logins(fleet, places)


def _taken(name: str, fleet: Fleet, places: Places) -> Iterator[Finding]:
    """Also of whoever left: a converge would remove the account of that name."""
    here = {image.user for image in fleet.file.images.values()}
    here |= {site.login for site in fleet.sites.values()}
    owner = "an image" if name in here else reserved.owner(name)
    if owner:
        what = f"'{name}' is already a login or group of {owner}"
        yield Finding(places.in_fleet("users", name), what, "choose another login")


def _logins(fleet: Fleet, places: Places) -> Iterator[Finding]:
    """By an image's or a site's login operators get in: root may not, and a program's account has
    no shell.
    """
    for name, image in fleet.file.images.items():
        if reserved.owner(image.user) in ("the system", "the fleet"):
            what = f"image '{name}' can't have the login '{image.user}': that is the system's own"
            fix = "write the one that its cloud-init creates, such as admin or ubuntu"
            yield Finding(places.in_fleet("images", name, "user"), what, fix)
    for name, site in fleet.sites.items():
        if reserved.owner(site.login) in ("the system", "the fleet"):
            what = f"a site can't have the login '{site.login}': that is the system's own"
            fix = "write the one that the installer created, with a key and sudo"
            yield Finding(places.in_site(name, "login"), what, fix)


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
