"""A root file system takes its packages from where the machine does."""

from orchestrate.lab.apt import source_lines, transport_options

TARGETS = [
    "deb http://mirror.example/debian/ bookworm main",
    "deb http://mirror.example/debian/ bookworm non-free",
    "deb http://mirror.example/debian/ bookworm-updates main",
    "deb http://mirror.example/security/ bookworm-security main",
    "deb https://packages.example/cloud/ cloud-sdk-bookworm main",
    "deb http://mirror.example/debian/ trixie main",
    "deb http://flat.example/ ./ $(COMPONENT)",
    "deb http://mirror.example/debian/ bookworm main",
]


def test_only_the_suites_own_archives_are_taken_once_each() -> None:
    assert source_lines(TARGETS, "bookworm") == [
        "deb http://mirror.example/debian/ bookworm main",
        "deb http://mirror.example/debian/ bookworm-updates main",
        "deb http://mirror.example/security/ bookworm-security main",
    ]


def test_another_distribution_leaves_the_choice_to_mmdebstrap() -> None:
    assert source_lines(["deb http://archive.example/ubuntu/ noble main"], "bookworm") == []


def test_proxies_come_along_and_nothing_else_does() -> None:
    settings = [
        'Acquire::http::Proxy "http://proxy.example:3128";',
        'Acquire::https::Verify-Peer "true";',
        'Acquire::http::Proxy-Auto-Detect "";',
        'Acquire::cdrom::mount "/media/cdrom/";',
        'APT::Architecture "amd64";',
    ]

    assert transport_options(settings) == [
        '--aptopt=Acquire::http::Proxy "http://proxy.example:3128";',
        '--aptopt=Acquire::https::Verify-Peer "true";',
    ]
