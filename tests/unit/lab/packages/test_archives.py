"""Of all that a host may ask the internet for, Debian's archives are there, and only they."""

from ipaddress import IPv4Address

import pytest

from orchestrate.lab.names import Names, look_up
from orchestrate.lab.packages.archives import (
    MIRROR,
    asked_for,
    list_on_host,
    sources_list,
    upstreams,
    zones,
)

DIGEST = "9e0b5aabb2465b3d2e7a7fe27f9913846277833f7a2826e7767acccff5b588c5"


@pytest.mark.parametrize(
    ("path", "kept", "lasting"),
    [
        ("/debian/dists/bookworm/InRelease", "debian/dists/bookworm/InRelease", False),
        (
            "/debian/pool/main/c/chrony/chrony_4.3-2%2bdeb12u3_amd64.deb",
            "debian/pool/main/c/chrony/chrony_4.3-2+deb12u3_amd64.deb",
            True,
        ),
        (
            f"/debian-security/dists/x/by-hash/SHA256/{DIGEST}",
            f"debian-security/dists/x/by-hash/SHA256/{DIGEST}",
            True,
        ),
    ],
)
def test_files_of_the_archives_are_known_and_how_long_they_last(
    path: str, kept: str, lasting: bool
) -> None:
    file = asked_for(MIRROR, path)

    assert file is not None
    assert (file.path, file.lasting) == (kept, lasting)


@pytest.mark.parametrize(
    ("host", "path"),
    [
        ("index.example", "/debian/dists/bookworm/InRelease"),
        ("", "/debian/dists/bookworm/InRelease"),
        (MIRROR, "/ubuntu/dists/noble/InRelease"),
        (MIRROR, "/debian/../../etc/passwd"),
        (MIRROR, "/debian/..%2f..%2fetc/passwd"),
        (MIRROR, "/debian/.hidden"),
        (MIRROR, "/debian//etc/passwd"),
        (MIRROR, "/debian"),
        (MIRROR, "http://archive.lab.internal/debian/x"),
        (MIRROR, "/debian/a?b"),
    ],
)
def test_nothing_else_is(host: str, path: str) -> None:
    assert asked_for(host, path) is None


def test_a_file_named_by_its_hash_is_checked_against_it() -> None:
    named = asked_for("archive.lab.internal:80", f"/debian/by-hash/SHA256/{DIGEST}")
    other = asked_for(MIRROR, "/debian/dists/bookworm/InRelease")

    assert named is not None and other is not None
    assert (named.digest, other.digest) == (DIGEST, "")


def test_archives_are_where_this_machine_takes_them_from() -> None:
    found = upstreams(
        [
            "deb [signed-by=/keyrings/a.gpg] https://mirror.example/debian/ bookworm main",
            "",
            "# deb http://old.example/debian bookworm main",
            "deb https://mirror.example/sec bookworm-security main",
        ]
    )

    assert found["debian"] == "https://mirror.example/debian"
    assert found["debian-security"] == "https://mirror.example/sec"


def test_a_machine_without_debian_has_no_archive() -> None:
    assert upstreams([]) == {}


def test_every_source_of_a_host_is_one_that_the_door_has() -> None:
    lines = sources_list("bookworm").splitlines()
    assert [line.split()[2] for line in lines] == [
        "bookworm",
        "bookworm-updates",
        "bookworm-security",
    ]
    for line in lines:
        _, _, host, *path = line.split()[1].split("/")
        assert asked_for(host, f"/{'/'.join(path)}/dists/{line.split()[2]}/InRelease")


def test_the_archives_names_lead_to_the_door_and_no_further() -> None:
    names = Names(public=zones(IPv4Address("198.18.0.3")))

    (_, _, records), *_ = look_up("archive.lab.internal.", "A", names).records
    assert records.values == ("198.18.0.3",)
    assert not look_up("_http._tcp.archive.lab.internal.", "SRV", names).exists
    assert not look_up("www.lab.internal.", "A", names).exists


@pytest.mark.parametrize(
    ("here", "there"),
    [
        (
            "mirror.example_debian_dists_bookworm_main_binary-amd64_Packages",
            "archive.lab.internal_debian_dists_bookworm_main_binary-amd64_Packages",
        ),
        (
            "mirror.example:8080_security_dists_bookworm-security_InRelease",
            "archive.lab.internal_debian-security_dists_bookworm-security_InRelease",
        ),
        ("mirror.example_debian-backports_dists_x_InRelease", ""),
        ("lock", ""),
    ],
)
def test_lists_are_named_after_where_a_host_has_them_from(here: str, there: str) -> None:
    known = {
        "debian": "https://mirror.example/debian",
        "debian-security": "http://mirror.example:8080/security",
    }
    assert list_on_host(here, known) == there
