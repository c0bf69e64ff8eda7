"""Every derived name is valid for AWS, unique, and the same every time (S11)."""

import re
import subprocess
import sys
from collections.abc import Callable
from string import ascii_lowercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrate.fleet import names
from orchestrate.fleet.models import Fleet, FleetFile

# What AWS documents for each kind, written down a second time: length and characters.
AWS: dict[names.Kind, str] = {
    "auto-scaling-group": r"[A-Za-z0-9._-]{1,255}",
    "bucket": r"(?!.*(\.\.|-s3alias$|--ol-s3$))[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]",
    "creation-token": r".{1,64}",
    "dns-label": r"(?!-)[a-z0-9-]{1,63}(?<!-)",
    "iam-policy": r"[\w+=,.@-]{1,128}",
    "iam-role": r"[\w+=,.@-]{1,64}",
    "image": r"[A-Za-z0-9()\[\] ./\-'@_]{3,128}",
    "key-pair": r"[ -~]{1,255}",
    "launch-template": r"[A-Za-z0-9().\-/_]{3,128}",
    "load-balancer": r"(?!-|internal-)[A-Za-z0-9-]{1,32}(?<!-)",
    "log-group": r"[A-Za-z0-9._/#-]{1,512}",
    "name-prefix": r"[\w+=,.@-]{1,38}",
    "security-group": r"(?!sg-)[A-Za-z0-9 ._:/()#,@\[\]+=&;{}!$*-]{1,255}",
    "tag": r"[\w +\-=.:/@]{0,256}",
    "tag-key": r"[\w +\-=.:/@]{1,128}",
}
LONG = "cluster-" + "a1-" * 17 + "b"

words = st.lists(st.text(ascii_lowercase, min_size=1, max_size=9), min_size=1, max_size=6).map(
    "-".join
)
parts = st.lists(words, min_size=1, max_size=6)
kinds = st.sampled_from(sorted(AWS))


def fleet(name: str = "deeplab") -> Fleet:
    file = {
        "name": name,
        "account": "123456789012",
        "domain": "deeplab.example.net",
        "state": {"region": "us-west-2"},
        "addresses": {"pools": {}},
        "images": {"debian-12": {"owner": "1" * 12, "name": "debian", "user": "admin"}},
    }
    return Fleet(file=FleetFile.model_validate(file))


# name of the function -> its arguments after the fleet, and the kind that AWS takes it for
DERIVED: dict[str, tuple[Callable[..., str], tuple[str, ...], names.Kind]] = {
    "vpc": (names.vpc, (LONG,), "tag"),
    "subnet": (names.subnet, (LONG, "private", "us-west-2a"), "tag"),
    "route_table": (names.route_table, (LONG, "private", "us-west-2a"), "tag"),
    "internet_gateway": (names.internet_gateway, (LONG,), "tag"),
    "nat_gateway": (names.nat_gateway, (LONG, "us-west-2a"), "tag"),
    "s3_endpoint": (names.s3_endpoint, (LONG,), "tag"),
    "flow_logs": (names.flow_logs, (LONG,), "log-group"),
    "peering": (names.peering, (LONG, LONG + "x"), "tag"),
    "security_group": (names.security_group, (LONG, "bastion"), "security-group"),
    "role": (names.role, (LONG, "gpu-a100"), "iam-role"),
    "instance_profile": (names.instance_profile, (LONG, "gpu-a100"), "iam-role"),
    "policy": (names.policy, (LONG, "gpu-a100"), "iam-policy"),
    "key_pair": (names.key_pair, (LONG,), "key-pair"),
    "launch_template": (names.launch_template, (LONG, "gpu-a100"), "launch-template"),
    "auto_scaling_group": (names.auto_scaling_group, (LONG, "gpu-a100"), "auto-scaling-group"),
    "image": (names.image, (LONG,), "image"),
    "bake": (names.bake, (LONG,), "security-group"),
    "instance": (names.instance, (LONG, "bastion"), "tag"),
    "load_balancer": (names.load_balancer, (LONG, "api"), "load-balancer"),
    "filesystem": (names.filesystem, (LONG, "home"), "creation-token"),
    "bucket": (names.bucket, (LONG, "datasets"), "bucket"),
    "cluster_label": (lambda _, cluster: names.cluster_label(cluster), (LONG,), "dns-label"),
    "node": (lambda _, group: names.node(group, "i-" + "0" * 17), ("g" * 63,), "dns-label"),
    "state_bucket": (names.state_bucket, (), "bucket"),
    "permissions_boundary": (names.permissions_boundary, (), "iam-policy"),
}


@pytest.mark.parametrize("case", DERIVED.values(), ids=DERIVED)
@pytest.mark.parametrize("fleet_name", ["deeplab", "f" * 63], ids=["short fleet", "long fleet"])
def test_s11_every_name_of_a_cluster_with_60_characters_is_valid(
    case: tuple[Callable[..., str], tuple[str, ...], names.Kind], fleet_name: str
) -> None:
    derive, arguments, kind = case
    assert len(LONG) == 60
    assert re.fullmatch(AWS[kind], derive(fleet(fleet_name), *arguments))


def test_every_kind_has_its_rule_here() -> None:
    assert set(AWS) == set(names.LIMITS)


@given(kinds, parts)
def test_a_name_of_any_words_is_valid(kind: names.Kind, some: list[str]) -> None:
    assert re.fullmatch(AWS[kind], names.fit(kind, "fleet", *some))


@given(kinds, st.lists(st.text("aZ0-_./ é", min_size=1, max_size=80), min_size=1, max_size=4))
def test_a_name_of_any_text_is_valid(kind: names.Kind, some: list[str]) -> None:
    assert re.fullmatch(AWS[kind], names.fit(kind, "fleet", *some))


@given(kinds, parts)
def test_a_name_that_fits_is_left_as_it_is(kind: names.Kind, some: list[str]) -> None:
    whole = "-".join(some)
    if names.LIMITS[kind].shortest <= len(whole) <= names.LIMITS[kind].longest:
        assert names.fit(kind, *some) == whole


@given(kinds, st.lists(parts, min_size=2, max_size=20, unique_by="-".join))
def test_different_names_stay_different_when_cut(
    kind: names.Kind, several: list[list[str]]
) -> None:
    assert len({names.fit(kind, *some) for some in several}) == len(several)


@given(st.text(ascii_lowercase + digits, min_size=60, max_size=60))
def test_names_alike_but_for_the_last_letter_stay_different(tail: str) -> None:
    one, other = (names.fit("load-balancer", "lab", tail + end) for end in "ab")
    assert one != other


def test_a_cut_name_begins_like_the_whole_and_never_changes() -> None:
    """The hash is written down: a new one would rename, and so replace, what is running."""
    assert names.fit("load-balancer", "deeplab", LONG, "api") == "deeplab-cluster-a1-a1-a-r7ms4tro"


def test_a_name_is_the_same_in_every_process() -> None:
    code = f"from orchestrate.fleet import names; print(names.fit('iam-role', 'x', '{LONG}'))"
    seeds = [{"PYTHONHASHSEED": seed} for seed in ("1", "2")]
    printed = {
        subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": ":".join(sys.path), **seed},
                       capture_output=True, check=True, text=True).stdout
        for seed in seeds
    }  # fmt: skip
    assert len(printed) == 1


def test_buckets_carry_the_account_because_all_customers_share_their_names() -> None:
    deeplab = fleet()
    assert names.state_bucket(deeplab) == "deeplab-terraform-state-123456789012"
    assert names.bucket(deeplab, "cluster-us-west", "data") == "deeplab-us-west-data-123456789012"


def test_a_peering_has_one_name_from_both_ends() -> None:
    deeplab = fleet()
    assert names.peering(deeplab, "a", "b") == names.peering(deeplab, "b", "a")


def test_hosts_are_found_under_their_cluster_and_site() -> None:
    deeplab = fleet()
    west = "cluster-us-west"
    assert names.cluster_host(deeplab, west, "bastion") == "bastion.us-west.deeplab.example.net"
    assert names.filesystem_host(deeplab, west, "home") == "home.nfs.us-west.deeplab.example.net"
    assert names.site_host(deeplab, "site-sf", "sf-gpu1") == "sf-gpu1.sf.deeplab.example.net"


def test_the_autoscaler_finds_its_tags() -> None:
    """The keys are the autoscaler's: cluster-autoscaler/cloudprovider/aws/README.md."""
    prefix = "k8s.io/cluster-autoscaler/node-template"
    assert names.autoscaler_label("lab/card") == f"{prefix}/label/lab/card"
    assert names.autoscaler_taint("nvidia.com/gpu") == f"{prefix}/taint/nvidia.com/gpu"
    assert names.autoscaler_resource("nvidia.com/gpu") == f"{prefix}/resources/nvidia.com/gpu"
    assert names.autoscaler_owner("deeplab") == "k8s.io/cluster-autoscaler/deeplab"
