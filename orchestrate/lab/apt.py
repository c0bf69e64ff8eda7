"""Where this machine takes its Debian packages from, for a root file system to do the same."""

import re
import tempfile
from collections.abc import Iterable

from orchestrate import shell

FORMAT = "deb $(REPO_URI) $(RELEASE) $(COMPONENT)"
COMPONENT = "main"


def sources(suite: str) -> list[str]:
    """This machine's lines for a Debian suite, its updates and its security updates.

    Empty where it has none (another distribution): mmdebstrap then takes Debian's own mirror.
    """
    return _sources(suite, []) or _freshly_listed(suite)


def _sources(suite: str, options: list[str]) -> list[str]:
    argv = ["apt-get", *options, "indextargets", "--format", FORMAT, "Created-By: Packages"]
    return source_lines(shell.run(argv, check=False).stdout.splitlines(), suite)


def _freshly_listed(suite: str) -> list[str]:
    # apt knows only archives whose lists it has, and images of machines come without lists. Ours
    # go elsewhere, for the machine's to stay as they are.
    with tempfile.TemporaryDirectory() as lists:
        options = ["-o", f"Dir::State::lists={lists}", "-o", "APT::Sandbox::User=root"]
        shell.run(["apt-get", *options, "--quiet", "update"], check=False)
        return _sources(suite, options)


def source_lines(targets: Iterable[str], suite: str) -> list[str]:
    """Those of apt's index targets that belong to the suite; other archives are left out."""
    releases = {suite, f"{suite}-updates", f"{suite}-security"}
    return sorted({line for line in targets if _belongs(line.split(), releases)})


def acquire_options() -> list[str]:
    """mmdebstrap's arguments for this machine's way to its mirrors: proxies, timeouts, TLS."""
    return transport_options(_settings())


def date_checks() -> list[str]:
    """This machine's lines of configuration where it reads archives that are out of date.

    A mirror that stands still, such as a snapshot, is refused a week later by who checks dates.
    """
    return [f"{line}\n" for line in _settings() if re.match(r"Acquire::Check-\S+ \"..*\"", line)]


def _settings() -> list[str]:
    return shell.run(["apt-config", "dump"], check=False).stdout.splitlines()


def transport_options(settings: Iterable[str]) -> list[str]:
    """Those of apt's settings that say how to fetch; apt prints them as it reads them."""
    return [
        f"--aptopt={line}" for line in settings if re.match(r"Acquire::https?::\S+ \"..*\"", line)
    ]


def _belongs(fields: list[str], releases: set[str]) -> bool:
    return len(fields) == 4 and fields[2] in releases and fields[3] == COMPONENT
