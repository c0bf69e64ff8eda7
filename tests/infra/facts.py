"""What suites ask a host about itself, beside what testinfra knows."""

from collections.abc import Iterable, Mapping
from typing import Any

Node = Mapping[str, Any]
"""What the host was told to be: the part "orchestrate" of its node JSON."""
Host = Any
"""testinfra's host; it carries no types."""


def in_container(host: Host) -> bool:
    """Whether the kernel below is another's: there are no drivers, clocks, kernel servers then."""
    return bool(host.run("systemd-detect-virt --container --quiet").rc == 0)


def may_open(host: Host, files: int) -> bool:
    """Whether a process of the host's could have so many files open: nobody in a container raises
    what its first process was given.
    """
    given = host.check_output("grep '^Max open files' /proc/1/limits").split()[4]
    return not in_container(host) or int(given) >= files


def kernel_has(host: Host, filesystem: str, module: str) -> bool:
    """Whether the kernel can do with a file system, or has a module for it."""
    listed = f"grep -qw {filesystem} /proc/filesystems"
    return bool(host.run(f"{listed} || modprobe --dry-run --quiet {module}").rc == 0)


def wrong_settings(host: Host, wanted: Mapping[str, str]) -> dict[str, str]:
    """Values by name of kernel settings that are not as wanted, though this host could set them."""
    asked = " ".join(sorted(wanted))
    script = (
        f"for name in {asked}; do file=/proc/sys/$(echo $name | tr . /);"
        ' [ -w "$file" ] && echo $name $(cat "$file"); done; true'
    )
    lines = (line.split(maxsplit=1) for line in host.check_output(script).splitlines())
    return {name: value for name, value in lines if value != wanted[name]}


def set_at_boot(host: Host) -> dict[str, str]:
    """The kernel settings that the next boot will make, of those that orchestrate writes."""
    text = host.check_output("cat /etc/sysctl.d/60-orchestrate*.conf")
    pairs = (line.split("=") for line in text.splitlines() if "=" in line)
    return {name.strip().removeprefix("-"): value.strip() for name, value in pairs}


def sshd(host: Host, user: str) -> dict[str, str]:
    """What sshd does with a connection of a user: directives in small letters."""
    test = f"sshd -T -C user={user},host=elsewhere,addr=203.0.113.7"
    pairs = (line.split(maxsplit=1) for line in host.check_output(test).splitlines())
    return {pair[0]: pair[-1] for pair in pairs}


def states(host: Host, question: str, units: Iterable[str]) -> dict[str, str]:
    """What `systemctl QUESTION` (is-active, is-enabled) says of units, by unit."""
    asked = f"for unit in {' '.join(units)}; do echo $unit $(systemctl {question} $unit 2>&-); done"
    lines = (line.partition(" ") for line in host.check_output(asked).splitlines())
    return {unit: said for unit, _, said in lines}
