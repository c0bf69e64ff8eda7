"""The root file system that all hosts share: Debian 12, built once with mmdebstrap and cached.

Its folder is named by a digest of its recipe, so a changed recipe is another folder, and hosts
that stand on the old one keep it. Packages come from wherever this machine takes its own.
"""

import hashlib
import json
import re
import secrets
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from filelock import FileLock

from orchestrate import shell
from orchestrate.caches import private_folder
from orchestrate.errors import CommandFailed
from orchestrate.lab import apt, user_data
from orchestrate.lab.beneath import Tree
from orchestrate.lab.packages import archives
from orchestrate.lab.topology import WIRED_ALIAS

SUITE = "bookworm"
# What Debian has of Chef and Ruby, for the stand-in that converges hosts where neither Chef nor
# Cinc can be had: a host of ours has them from the start, for none to spend its first minute so.
CHEF_PARTS = (
    "ohai",
    "ruby",
    "ruby-chef-config",
    "ruby-chef-utils",
    "ruby-erubis",
    "ruby-iniparse",
    "ruby-mixlib-authentication",
    "ruby-mixlib-cli",
    "ruby-mixlib-config",
    "ruby-mixlib-log",
    "ruby-mixlib-shellout",
)
# What Debian's own image for a cloud has beyond a minimal system, and a role asks for: see
# config_space/*/package_config/{CLOUD,EXTRAS} of salsa.debian.org/cloud-team/debian-cloud-images.
VENDOR_PARTS = (
    "ca-certificates",
    "chrony",
    "curl",
    "less",
    "lsof",
    "unattended-upgrades",
    "vim",
    "xz-utils",
)
PACKAGES = (
    "dbus",
    "iproute2",
    "iputils-ping",
    "kmod",
    "mount",
    "netbase",
    "nftables",
    "openssh-server",
    "procps",
    "python3",
    "sudo",
    "systemd",
    "systemd-sysv",
    *VENDOR_PARTS,
    *user_data.PACKAGES,
    *CHEF_PARTS,
)

# Nothing to do in a host that has no hardware, no disks to check and no network of its own to set
# up. A boot is little but starting programs: each one less counts.
MASKED = (
    "console-getty.service",
    "dev-hugepages.mount",
    "e2scrub_reap.service",
    "getty@tty1.service",
    "systemd-networkd.service",
    "systemd-pstore.service",
    "systemd-remount-fs.service",
    "systemd-sysusers.service",
    "systemd-tmpfiles-setup-dev.service",
    "systemd-update-utmp-runlevel.service",
    "systemd-update-utmp.service",
    *user_data.MASKED,
)
# Programs that systemd asks at every boot for units made from disks, consoles and kernel options.
GENERATORS = (
    "cryptsetup",
    "debug",
    "getty",
    "gpt-auto",
    "hibernate-resume",
    "integritysetup",
    "rc-local",
    "run",
    "system-update",
    "veritysetup",
)
UNITS = "etc/systemd/system"

FILES = {
    "etc/apt/sources.list": archives.sources_list(SUITE),
    # Who reads English needs no other descriptions of 60,000 packages.
    "etc/apt/apt.conf.d/90lab": 'Acquire::Languages "none";\n',
    # Nobody lets a container set the clock: chronyd watches it, and says how far it is off.
    f"{UNITS}/chrony.service.d/lab.conf": """\
[Unit]
ConditionCapability=
[Service]
ExecStart=
ExecStart=!/usr/sbin/chronyd -x $DAEMON_OPTS
""",
    # EC2's images let nobody in by password either.
    "etc/ssh/sshd_config.d/lab.conf": (
        "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
    ),
    # Debian waits 90 s for services that ignore SIGTERM, which pods like to do.
    "etc/systemd/system.conf.d/00-lab.conf": "[Manager]\nDefaultTimeoutStopSec=5s\n",
    "etc/systemd/journald.conf.d/00-lab.conf": (
        "[Journal]\nStorage=persistent\nSplitMode=none\nSystemMaxUse=64M\nReadKMsg=no\n"
    ),
    # The lab wires a host that has begun to boot.
    # runc and kubelet write to cgroup v1 hierarchies and propagate mounts; nspawn leaves the
    # first read-only and the second off.
    f"{UNITS}/lab-containers.service": f"""\
[Unit]
Description=The network, and writable control groups and shared mounts for containers
DefaultDependencies=no
Before=sysinit.target
[Service]
Type=oneshot
RemainAfterExit=yes
TimeoutStartSec=30
ExecStart=/bin/sh -c 'until grep -qs ^{WIRED_ALIAS} /sys/class/net/eth0/ifalias; \
do sleep 0.01; done'
ExecStart=/bin/sh -c 'for group in /sys/fs/cgroup /sys/fs/cgroup/*/; \
do mount -o remount,bind,rw "$group" 2>/dev/null; done; mount --make-rshared /'
""",
    **user_data.FILES,
}
LINKS = {
    f"{UNITS}/default.target": "/lib/systemd/system/multi-user.target",
    f"{UNITS}/sysinit.target.wants/lab-containers.service": "../lab-containers.service",
    **{f"{UNITS}/{unit}": "/dev/null" for unit in MASKED},
    **{
        f"etc/systemd/system-generators/systemd-{name}-generator": "/dev/null"
        for name in GENERATORS
    },
    **{f"etc/systemd/system-generators/{name}": "/dev/null" for name in user_data.GENERATORS},
}
# This machine's way to its mirrors; what is each host's own; what needs not be started at every
# boot, but can be: timers, what a role enables, and the login manager, which D-Bus starts when
# somebody asks for it.
REMOVED = (
    "etc/apt/apt.conf.d/99mmdebstrap",
    "etc/hostname",
    "etc/resolv.conf",
    "etc/ssh/ssh_host_*_key*",
    "etc/systemd/system/chronyd.service",
    "etc/systemd/system/multi-user.target.wants/chrony.service",
    "etc/systemd/system/multi-user.target.wants/unattended-upgrades.service",
    "etc/systemd/system/timers.target.wants/*.timer",
    "usr/lib/systemd/system/multi-user.target.wants/systemd-logind.service",
)
# More room, less to look through: nobody reads manuals in a host.
# And no waiting for the disk: a tree that is not finished counts for nothing.
MINIMAL = (
    "--dpkgopt=force-unsafe-io",
    "--dpkgopt=path-exclude=/usr/share/man/*",
    "--dpkgopt=path-exclude=/usr/share/locale/*",
    "--dpkgopt=path-exclude=/usr/share/doc/*",
    # An installer leaves package lists. To fetch and unpack them anew takes each host four seconds
    # of processor time, to see that they are those of today one and a half.
    "--skip=cleanup/apt/lists",
)

LISTS = "var/lib/apt/lists"

# How mmdebstrap says what it begins with.
STAGE = re.compile(r"I: (.*)\.\.\.")


def digest() -> str:
    """Names the recipe: everything above that shapes the result."""
    recipe = json.dumps([SUITE, PACKAGES, FILES, LINKS, REMOVED, MINIMAL], sort_keys=True)
    return hashlib.sha256(recipe.encode()).hexdigest()[:12]


def ensure(cache: Path, progress: Callable[[str], None]) -> Path:
    """The folder of the root file system below `cache`, built if it isn't there (about 40 s).

    Whoever comes second waits for the first. An interrupted build leaves nothing that counts.
    Raises CommandFailed when the packages can't be had.
    """
    place = folder(cache)
    private_folder(place.parent)
    if place.is_dir():
        return place
    with FileLock(f"{place}.lock"):
        if not place.is_dir():
            _build(place, progress)
    return place


def folder(cache: Path) -> Path:
    """Where the root file system of this recipe is, or will be."""
    return cache / "rootfs" / f"{SUITE}-{digest()}"


def identity(folder: Path) -> str:
    """Tells one build of a root file system from another of the same recipe, whose packages may be
    of other versions: what stands on it fits no other.
    """
    with FileLock(f"{folder}.lock"):
        file = _identity_file(folder)
        if not file.exists():
            file.write_text(f"{folder.name}-{secrets.token_hex(4)}")
        return file.read_text()


def sources(folder: Path) -> list[str]:
    """Where the packages of a root file system came from, as lines of sources.list."""
    return _sources_file(folder).read_text().splitlines()


def _sources_file(folder: Path) -> Path:
    return Path(f"{folder}.sources")


def _identity_file(folder: Path) -> Path:
    return Path(f"{folder}.identity")


def _build(folder: Path, progress: Callable[[str], None]) -> None:
    for abandoned in folder.parent.glob(f"{folder.name}.unfinished-*"):
        shutil.rmtree(abandoned)
    # A new name each time: mmdebstrap may outlive the process that started it, if that is killed.
    unfinished = Path(tempfile.mkdtemp(prefix=f"{folder.name}.unfinished-", dir=folder.parent))
    command = ["mmdebstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}"]
    options = [*MINIMAL, *apt.acquire_options()]
    _follow([*command, *options, SUITE, str(unfinished), *apt.sources(SUITE)], folder, progress)
    sources = Tree(unfinished).read("etc/apt/sources.list")
    configure(Tree(unfinished))
    _name_lists(Tree(unfinished), archives.upstreams(sources.splitlines()))
    _sources_file(folder).write_text(sources)
    _identity_file(folder).unlink(missing_ok=True)
    unfinished.rename(folder)


def _follow(argv: list[str], folder: Path, progress: Callable[[str], None]) -> None:
    log = Path(f"{folder}.log")
    process = shell.start(argv, log, stop=shell.Stop(), get_it="apt-get install mmdebstrap")
    try:
        for line in process.lines():
            if stage := STAGE.fullmatch(line):
                progress(f"building the hosts' root file system: {stage[1]}")
    finally:
        if process.poll() is None:
            process.interrupt()
        code = process.wait()
    if code:
        said = f"{shell.tail(log.read_text(errors='replace'))}\nall of it: {log}"
        raise CommandFailed(argv, shell.ended(code), said)


def _name_lists(root: Tree, upstreams: Mapping[str, str]) -> None:
    """Have the package lists by the names they have where packages come from the lab's mirror."""
    for name in root.names(LISTS):
        if stat.S_ISREG(root.status(f"{LISTS}/{name}").st_mode):
            if own := archives.list_on_host(name, upstreams):
                root.rename(LISTS, name, own)
            else:
                root.remove(f"{LISTS}/{name}")


def configure(root: Tree) -> None:
    """Write the recipe's files and links into a fresh tree."""
    for pattern in REMOVED:
        folder, _, names = pattern.rpartition("/")
        for name in root.names(folder, names):
            root.remove(f"{folder}/{name}")
    for name, text in FILES.items():
        # A file that says what reads it is a program.
        root.write(name, text, 0o755 if text.startswith("#!") else 0o644)
    for name, target in LINKS.items():
        root.link(name, target)
    root.write("etc/apt/apt.conf.d/91machine", "".join(apt.date_checks()))
    root.write("etc/machine-id", "")
