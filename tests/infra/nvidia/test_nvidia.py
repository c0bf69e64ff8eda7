"""Hosts with NVIDIA's cards can use all of them; other hosts know nothing of NVIDIA."""

import pytest

from tests.infra.facts import Host, Node, in_container, states

# PCI: the vendor's number; VGA and 3D controllers; bridges, as NVSwitch shows itself.
VENDOR, CARDS, SWITCH = "0x10de", ("0x0300", "0x0302"), "0x0680"
PACKAGES = "dpkg-query -W -f '${Package} ${Version} ${db:Status-Status}\\n' '*nvidia*'"


@pytest.fixture(scope="module")
def devices(host: Host) -> list[str]:
    """Classes of NVIDIA's PCI devices."""
    shown = host.check_output(
        "for device in /sys/bus/pci/devices/*; do"
        ' [ -e "$device/vendor" ] && echo $(cat $device/vendor $device/class); done; true'
    )
    found = (line.split() for line in shown.splitlines())
    return [kind[:6] for vendor, kind in found if vendor == VENDOR]


@pytest.fixture(scope="module")
def packages(host: Host) -> dict[str, str]:
    """Installed packages of NVIDIA's, and their versions."""
    lines = (line.split() for line in host.run(PACKAGES).stdout.splitlines())
    return {words[0]: words[1] for words in lines if words[-1] == "installed"}


@pytest.fixture(scope="module")
def cards(host: Host, devices: list[str]) -> int:
    """How many cards there are; skips the test where there are none."""
    count = sum(device in CARDS for device in devices)
    if not count:
        pytest.skip("this host has no card of NVIDIA's")
    return count


def test_all_cards_are_there_that_the_fleet_counts_on(
    host: Host, node: Node, devices: list[str]
) -> None:
    if in_container(host):
        pytest.skip("a container has no cards of its own")
    assert sum(device in CARDS for device in devices) >= node["gpus"]


def test_a_host_without_cards_has_nothing_of_nvidias(
    host: Host, node: Node, devices: list[str], packages: dict[str, str]
) -> None:
    if devices or (node["place"] is None and not in_container(host)):
        pytest.skip("this host has cards, or its image is to carry the driver")
    assert packages == {}
    assert not host.file("/etc/apt/sources.list.d/nvidia-cuda.sources").exists


def test_archives_are_signed_with_the_keys_that_are_trusted(
    host: Host, packages: dict[str, str]
) -> None:
    if not packages:
        pytest.skip("this host has nothing of NVIDIA's")
    sources = "for file in /etc/apt/sources.list.d/nvidia-*.sources; do"
    asked = "apt-get -q update -o APT::Update::Error-Mode=any -o Dir::Etc::SourceList=/dev/null"
    folder = "-o Dir::Etc::SourceParts=/dev/null -o APT::Get::List-Cleanup=0"
    done = host.run(f"{sources} {asked} {folder} -o Dir::Etc::SourceList=$file || exit 1; done")
    assert done.rc == 0, done.stdout + done.stderr


def test_the_driver_sees_every_card(host: Host, cards: int) -> None:
    seen = host.check_output("nvidia-smi --query-gpu=driver_version --format=csv,noheader")
    assert len(seen.splitlines()) == cards


def test_kernel_and_tools_have_one_version_of_the_driver(
    host: Host, cards: int, packages: dict[str, str]
) -> None:
    loaded = host.check_output("cat /sys/module/nvidia/version")
    tools = host.check_output("nvidia-smi --query-gpu=driver_version --format=csv,noheader -i 0")
    pinned = host.check_output("sed -n 's/^Pin: version //p' /etc/apt/preferences.d/*nvidia-driver")
    assert loaded == tools == pinned.removesuffix("-*")


def test_every_card_has_its_device_files(host: Host, cards: int) -> None:
    wanted = ["/dev/nvidiactl", "/dev/nvidia-uvm", *(f"/dev/nvidia{one}" for one in range(cards))]
    found = host.run(f"ls {' '.join(wanted)}")
    assert found.rc == 0, found.stderr


def test_the_driver_stays_in_idle_cards(host: Host, cards: int) -> None:
    unit = "nvidia-persistenced.service"
    assert states(host, "is-active", [unit]) == {unit: "active"}
    modes = host.check_output("nvidia-smi --query-gpu=persistence_mode --format=csv,noheader")
    assert set(modes.splitlines()) == {"Enabled"}


def test_cards_behind_switches_are_joined(host: Host, cards: int, devices: list[str]) -> None:
    if SWITCH not in devices:
        pytest.skip("this host has no NVSwitch")
    unit = "nvidia-fabricmanager.service"
    assert states(host, "is-active", [unit]) == {unit: "active"}


def test_containers_can_be_given_cards(host: Host, cards: int) -> None:
    known = host.run("nvidia-container-cli info")
    assert known.rc == 0, known.stderr
    assert known.stdout.count("Device Index") == cards
    settings = host.check_output("containerd config dump")
    assert 'BinaryName = "/usr/bin/nvidia-container-runtime"' in settings
