"""Which programs anybody may start that run as somebody else."""

import pytest

from tests.infra.facts import Host

# What Debian 12 and Ubuntu 22.04 and 24.04 install that way, with what our roles add. Whatever else
# is found was put there by somebody, and deserves a look.
_KNOWN = """
bin/at bin/bsd-write bin/chage bin/chfn bin/chsh bin/crontab bin/dotlockfile bin/expiry
bin/fusermount bin/fusermount3 bin/gpasswd bin/mount bin/newgidmap bin/newgrp bin/newuidmap
bin/passwd bin/pkexec bin/screen bin/ssh-agent bin/su bin/sudo bin/umount bin/wall bin/write
bin/write.ul
lib/dbus-1.0/dbus-daemon-launch-helper lib/openssh/ssh-keysign
lib/polkit-1/polkit-agent-helper-1 lib/snapd/snap-confine
lib/x86_64-linux-gnu/utempter/utempter lib/aarch64-linux-gnu/utempter/utempter
libexec/polkit-agent-helper-1
sbin/mount.cifs sbin/mount.nfs sbin/pam_extrausers_chkpwd sbin/unix_chkpwd
"""
KNOWN = frozenset(f"/usr/{path}" for path in _KNOWN.split())


@pytest.fixture(scope="module")
def programs(host: Host) -> dict[str, str]:
    """Mode and owner, `-rwsr-xr-x root`, of all with setuid or setgid on the root disk, by path.

    Not of what lies where only its owner comes, such as the layers of containers.
    """
    found = host.check_output(
        "find / -xdev -type d ! -perm -001 -prune -o -type f -perm /6000 -printf '%p\\t%M %u\\n'"
    )
    return dict(line.split("\t") for line in found.splitlines())


def test_programs_that_run_as_somebody_else_are_the_systems_own(programs: dict[str, str]) -> None:
    assert programs.keys() - KNOWN == set()


def test_nobody_but_root_can_change_them(programs: dict[str, str]) -> None:
    """A setuid program that its group may write is whatever the group makes of it."""
    loose = {
        path: shown
        for path, shown in programs.items()
        if not shown.endswith(" root") or "w" in (shown[5], shown[8])
    }
    assert loose == {}
