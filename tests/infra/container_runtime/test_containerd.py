"""containerd runs, with the settings that Kubernetes needs."""

import pytest

from tests.infra.facts import Host, set_at_boot, wrong_settings

SETTINGS = {
    "net.ipv4.ip_forward": "1",
    "net.bridge.bridge-nf-call-iptables": "1",
    "net.bridge.bridge-nf-call-ip6tables": "1",
    "vm.max_map_count": "262144",
}


@pytest.fixture(scope="module")
def settings(host: Host) -> str:
    """containerd's settings as it reads them itself."""
    return str(host.check_output("containerd config dump"))


@pytest.mark.usefixtures("root")
def test_it_answers(host: Host) -> None:
    assert host.check_output("systemctl is-active containerd") == "active"
    assert host.check_output("systemctl is-enabled containerd") == "enabled"
    answer = host.run("ctr version")
    assert answer.rc == 0, answer.stderr
    assert "Server:" in answer.stdout


@pytest.mark.usefixtures("root")
def test_its_interface_for_kubernetes_is_ready(host: Host) -> None:
    plugins = host.check_output("ctr plugins list").splitlines()
    found = {words[1]: words[-1] for words in map(str.split, plugins) if len(words) > 3}
    assert found["cri"] == "ok"
    assert found["overlayfs"] == "ok"


def test_control_groups_have_one_owner(host: Host, settings: str) -> None:
    unified = host.file("/sys/fs/cgroup/cgroup.controllers").exists
    assert f"SystemdCgroup = {'true' if unified else 'false'}" in settings


def test_networks_and_containerd_find_plugins_in_one_place(host: Host, settings: str) -> None:
    assert 'bin_dir = "/usr/lib/cni"' in settings
    assert host.file("/opt/cni/bin").linked_to == "/usr/lib/cni"
    assert host.file("/opt/cni/bin/bridge").mode & 0o111


def test_the_kernel_does_what_pods_need(host: Host) -> None:
    assert wrong_settings(host, SETTINGS) == {}
    made = set_at_boot(host)
    assert {name: made.get(name) for name in SETTINGS} == SETTINGS


def test_tools_for_kubernetes_find_it(host: Host) -> None:
    assert "unix:///run/containerd/containerd.sock" in host.check_output("cat /etc/crictl.yaml")
