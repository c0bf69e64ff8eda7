"""Host keys: read off a console, kept by machine, and forgotten with it."""

from dataclasses import replace
from pathlib import Path

import pytest
from paramiko import ECDSAKey

from orchestrate.hosts.failures import key_changed
from orchestrate.hosts.host_keys import (
    HostKey,
    forget,
    learn,
    on_console,
    pin,
    read,
    record,
    recorded,
)
from orchestrate.hosts.inventory import Host


def key() -> HostKey:
    made = ECDSAKey.generate()
    return HostKey(made.get_name(), made.get_base64())


FIRST, SECOND = key(), key()


def block(*keys: HostKey) -> str:
    lines = "".join(f"{one.type} {one.text} root@ip-10-1-0-43\r\n" for one in keys)
    return (
        f"-----BEGIN SSH HOST KEY KEYS-----\r\n{lines}-----END SSH HOST KEY KEYS-----\r\n"
        "ci-info: no authorized SSH keys fingerprints found\r\n"
    )


def host(name: str, *, id_: str = "", state: str = "running") -> Host:
    return Host(name, "c", "cpu-worker", "cpu", "z", id_, state, "10.1.0.1", "", "u")


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("", []),
        ("Debian GNU/Linux 12 login:", []),
        (block(FIRST, SECOND), [FIRST, SECOND]),
        ("<14>Nov 30 01:02:03 cloud-init: " + block(FIRST), [FIRST]),
        (block(FIRST) + "rebooted with new keys\n" + block(SECOND), [SECOND]),
        (block(FIRST).split("-----END")[0], []),
        (block(FIRST).replace(FIRST.text, FIRST.text[:40]), [HostKey(FIRST.type, FIRST.text[:40])]),
        (block(FIRST).replace(FIRST.text, "not base64!"), []),
        (block(FIRST).replace(FIRST.type, "ssh-rsa"), []),
    ],
    ids=[
        "nothing yet",
        "no block",
        "a block",
        "after other words",
        "the last boot counts",
        "half a block",
        "a key cut at a whole byte is a key that never fits",
        "no key",
        "another type than the key's own",
    ],
)
def test_keys_are_read_off_a_whole_block_of_the_console(text: str, keys: list[HostKey]) -> None:
    assert on_console(text) == keys


def test_a_file_of_known_hosts_says_in_which_line_a_key_is() -> None:
    text = (
        f"# ours\ni-1 {FIRST.type} {FIRST.text}\n|1|x|y {FIRST.type} {FIRST.text}\n\ni-2 nonsense\n"
    )
    found = recorded(text)
    assert list(found) == ["i-1"]
    assert [(one.key, one.line) for one in found["i-1"]] == [(FIRST, 2)]


def test_what_is_on_record_is_never_replaced(tmp_path: Path) -> None:
    file = tmp_path / "ssh" / "known_hosts"
    record(file, {"i-1": [FIRST]})
    record(file, {"i-1": [SECOND], "i-2": [SECOND]})
    assert {alias: [one.key for one in keys] for alias, keys in read(file).items()} == {
        "i-1": [FIRST],
        "i-2": [SECOND],
    }


def test_keys_go_with_their_instance_and_those_of_racks_stay(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    record(file, {"i-1": [FIRST], "i-2": [FIRST, SECOND], "sf-cpu1.site-sf": [FIRST]})
    forget(file, {"i-1"})
    assert list(read(file)) == ["i-1", "sf-cpu1.site-sf"]


def rack(name: str, key: HostKey | None = None) -> Host:
    return replace(
        host(f"{name}.site-sf", state="physical"),
        host_key=f"{key.type} {key.text} root@{name}" if key else "",
    )


def test_the_fleets_word_on_a_racks_key_counts_over_the_record(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    record(file, {"a.site-sf": [FIRST], "b.site-sf": [FIRST], "i-1": [FIRST]})
    for _ in range(2):
        pin(file, [rack("a", SECOND), rack("b"), rack("c", SECOND), host("x", id_="i-1")])
    assert {alias: [one.key for one in keys] for alias, keys in read(file).items()} == {
        "a.site-sf": [SECOND],
        "b.site-sf": [FIRST],
        "i-1": [FIRST],
        "c.site-sf": [SECOND],
    }


def test_a_rack_whose_key_the_fleet_gives_is_not_unknown(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    assert learn(file, [rack("a", FIRST), rack("b")], lambda _: "") == {"b.site-sf"}


def test_another_key_than_the_fleets_is_corrected_in_the_fleet(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    pin(file, [rack("a", FIRST)])
    known = read(file)["a.site-sf"]
    assert "`host_key` in the file of c" in str(key_changed(rack("a", FIRST), file, known))
    assert "remove line 1" in str(key_changed(rack("a"), file, known))


def test_only_hosts_that_are_not_known_are_asked_for_their_console(tmp_path: Path) -> None:
    file = tmp_path / "known_hosts"
    record(file, {"i-1": [FIRST]})
    hosts = [
        host("known", id_="i-1"),
        host("new", id_="i-2"),
        host("silent", id_="i-3"),
        host("stopped", id_="i-4", state="stopped"),
        host("sf-cpu1.site-sf", state="physical"),
    ]
    asked = []

    def console(one: Host) -> str:
        asked.append(one.name)
        return block(SECOND) if one.name == "new" else "booting"

    unknown = learn(file, hosts, console)
    assert sorted(asked) == ["new", "silent"]
    assert unknown == {"silent", "stopped", "sf-cpu1.site-sf"}
    assert [one.key for one in read(file)["i-2"]] == [SECOND]
