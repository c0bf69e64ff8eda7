"""What AWS says of an instance is data: tags that are no plain words make no host of it."""

import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from orchestrate.aws.groups import Group, Member
from orchestrate.aws.instances import Instance
from orchestrate.errors import OrchestrateError
from orchestrate.findings import Finding
from orchestrate.fleet.models import Fleet
from orchestrate.hosts import inventory
from orchestrate.hosts.inventory import hosts, names_of
from orchestrate.hosts.ssh_config import Access, openssh, ssh_config
from orchestrate.hosts.strangers import TAGS, parted, parted_groups
from orchestrate.plain_text import is_word
from tests.hostile import HOSTILE

Make = Callable[..., Instance]
STRANGE = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
WORKER = "i-000000000009f1a2b"


# The only ones of the list that are words: a host may be called so.
WORDS = ("10", "yes", "null", "CPU")
TOLD_BY_AWS = {
    "id": "id",
    "state": "state",
    "zone": "zone",
    "private_ip": "address",
    "public_ip": "public address",
}


def is_told_safely(finding: Finding) -> bool:
    """Whether a finding says what to do, and nothing in it could be more than text on a line."""
    said = str(finding).replace("\n    fix: ", "")
    return bool(finding.fix) and said.isprintable() and len(said) < 500


def tagged(instance: Instance, **tags: str) -> Instance:
    return replace(instance, tags={**instance.tags, **tags})


@STRANGE
def test_a_tag_that_is_no_plain_word_makes_no_host_and_is_told_of(
    fleet: Fleet, instance: Make, bastion: Instance, text: str
) -> None:
    for key in TAGS:
        odd = tagged(instance(WORKER), **{key: text})
        plain, strangers = parted(fleet, [odd, bastion])
        # `null` and `yes` are words like others; one of no group is none of a group's hosts.
        if (is_word(text) and key != "role") or (key == "group" and not text):
            assert (plain, strangers) == ([odd, bastion], ())
            continue
        assert plain == [bastion]
        (finding,) = strangers[0].findings
        assert WORKER in finding.place.file
        assert f"'{key}'" in finding.what
        assert is_told_safely(finding)
        assert WORKER not in {host.instance_id for host in hosts(fleet, [odd, bastion])}
        assert is_word(text) or names_of(WORKER, odd.tags) == ()


@STRANGE
def test_so_does_all_else_that_aws_says(fleet: Fleet, instance: Make, text: str) -> None:
    for field, what in TOLD_BY_AWS.items():
        given: dict[str, Any] = {field: text}
        plain, strangers = parted(fleet, [replace(instance(WORKER), **given)])
        # Such as a zone called null, or no address: words that do nothing.
        harmless = not text or is_word(text) or text == "10"
        assert plain or strangers
        assert not plain or harmless
        for stranger in strangers:
            (finding,) = stranger.findings
            assert f"its {what} is " in finding.what
            assert stranger.id.isprintable()
            assert is_told_safely(finding)


@STRANGE
def test_a_group_whose_name_or_tags_are_no_words_is_none_of_ours(text: str) -> None:
    member = Member(WORKER)
    plain = Group("deeplab-cpu", "us-west-2", 0, 1, 1, (member,), {"cluster": "c", "group": "g"})
    assert parted_groups([plain]) == ([plain], ())
    odd = [
        replace(plain, name=text),
        replace(plain, tags={**plain.tags, "cluster": text}),
        replace(plain, tags={**plain.tags, "group": text}),
        replace(plain, members=(replace(member, id=text),)),
        replace(plain, members=(replace(member, lifecycle=text),)),
    ]
    for group in odd:
        ours, strangers = parted_groups([group])
        assert not ours or text in WORDS
        for stranger in strangers:
            assert stranger.id.isprintable()
            assert all(map(is_told_safely, stranger.findings))


def test_an_instance_that_claims_to_be_of_a_site_is_none_of_its_racks(
    fleet: Fleet, instance: Make
) -> None:
    plain, (stranger,) = parted(fleet, [tagged(instance(WORKER), cluster="site-sf")])
    assert not plain
    assert "which is a site" in stranger.findings[0].what


def test_every_finding_of_an_instance_is_told_at_once(fleet: Fleet, instance: Make) -> None:
    odd = replace(tagged(instance(WORKER), role="a b", group="c d"), public_ip="none")
    _, (stranger,) = parted(fleet, [odd])
    assert len(stranger.findings) == 3


@STRANGE
def test_the_ssh_configuration_refuses_by_itself_what_could_be_more_than_a_word(
    fleet: Fleet, bastion: Instance, tmp_path: Path, text: str
) -> None:
    (host,) = [host for host in hosts(fleet, [bastion]) if host.instance_id]
    host = replace(host, public_ip="", private_ip="10.1.0.1", via="door")
    access = Access(tmp_path / "known_hosts")
    plain = ssh_config([host], access)
    for field in ("name", "instance_id", "private_ip", "user", "via"):
        given: dict[str, Any] = {field: text}
        try:
            written = ssh_config([replace(host, **given)], access)
        except OrchestrateError as refused:
            assert "no SSH configuration can hold" in str(refused)
            assert str(refused).replace("\n  next: ", "").isprintable()
        else:  # what is empty is left out
            assert text in ("", *WORDS)
            assert written.count("\n") <= plain.count("\n")


@pytest.mark.parametrize(
    "tags",
    [
        {"group": "a\nHost bastion.cluster-us-west\n    ProxyCommand touch owned\n#"},
        {"role": "a\nHost *\n    HostName evil.example.net\n#", "group": ""},
        {"cluster": "a bastion.cluster-us-west"},
    ],
    ids=["a command", "another address", "a second name"],
)
def test_no_tag_tells_openssh_another_way_to_a_bastion(
    fleet: Fleet, instance: Make, bastion: Instance, tmp_path: Path, tags: dict[str, str]
) -> None:
    """As OpenSSH itself reads it; each of these ran a command, or led elsewhere, once."""
    config = tmp_path / "config"
    older = replace(tagged(instance(WORKER), **tags), launched=bastion.launched)
    config.write_text(ssh_config(hosts(fleet, [older, bastion]), Access(tmp_path / "known_hosts")))
    told = subprocess.run(
        ["ssh", "-G", "-F", str(config), "bastion.cluster-us-west"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    assert f"hostname {bastion.public_ip}" in told
    assert "user admin" in told
    assert not any(line.startswith(("proxycommand", "proxyjump")) for line in told)


@STRANGE
def test_openssh_gets_no_host_that_could_be_an_option(
    fleet: Fleet, bastion: Instance, text: str
) -> None:
    host = replace(inventory.one(hosts(fleet, [bastion]), "bastion"), name=text)
    try:
        assert openssh(Path("/c"), host)[-1] == text
    except OrchestrateError:
        return
    assert text[0].isalnum()


@STRANGE
def test_a_path_stays_one_word_or_is_refused(fleet: Fleet, bastion: Instance, text: str) -> None:
    path = Path("/work") / text.replace("\0", "\1").lstrip("/") / "known_hosts"
    try:
        written = ssh_config(hosts(fleet, [bastion]), Access(path))
    except OrchestrateError as refused:
        assert refused.fix
        return
    (line,) = [line for line in written.split("\n") if "UserKnownHostsFile" in line]
    assert line == f'    UserKnownHostsFile "{str(path).replace("%", "%%")}"'
