"""Settings of the kernel, now and after the next boot."""

from tests.infra.facts import Host, set_at_boot, wrong_settings

WANTED = {
    "fs.protected_hardlinks": "1",
    "fs.protected_symlinks": "1",
    "fs.suid_dumpable": "0",
    "kernel.dmesg_restrict": "1",
    "kernel.kptr_restrict": "1",
    "kernel.yama.ptrace_scope": "1",
    "net.core.somaxconn": "4096",
    "net.ipv4.conf.all.accept_redirects": "0",
    "net.ipv4.conf.all.accept_source_route": "0",
    "net.ipv4.conf.all.send_redirects": "0",
    "net.ipv4.tcp_syncookies": "1",
    "net.ipv6.conf.all.accept_redirects": "0",
}


def test_settings_that_this_host_can_change_are_in_force(host: Host) -> None:
    assert wrong_settings(host, WANTED) == {}


def test_the_next_boot_makes_them(host: Host) -> None:
    made = set_at_boot(host)
    assert {name: made.get(name) for name in WANTED} == WANTED
