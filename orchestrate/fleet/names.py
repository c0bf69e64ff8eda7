"""Every name AWS or DNS sees, derived from the fleet. Pure; nothing else may make up a name.

A name is the fleet's name, the cluster's and what it is for, joined by dashes. Where AWS allows
less than that, the name is cut and ends in a hash of the whole, so it stays unique and the same
on every machine and every day. `rules` refuses fleets in which two derived names are equal.
"""

import re
from base64 import b32encode
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from orchestrate.fleet.models import Fleet

Kind = Literal[
    "auto-scaling-group",
    "bucket",
    "creation-token",
    "dns-label",
    "iam-policy",
    "iam-role",
    "image",
    "key-pair",
    "launch-template",
    "load-balancer",
    "log-group",
    "name-prefix",
    "security-group",
    "tag",
    "tag-key",
]


@dataclass(frozen=True)
class Limit:
    """What AWS accepts: length in characters, and a regular expression for what it doesn't."""

    longest: int
    refused: str
    shortest: int = 1


# Ours are narrower than AWS's where a name must also be good in a shell, a URL and a file name.
_PLAIN = r"[^A-Za-z0-9._-]"
_STRICT = r"[^a-z0-9-]"

# Sources, all below docs.aws.amazon.com:
#   autoscaling/ec2/APIReference/API_CreateAutoScalingGroup.html
#   AmazonS3/latest/userguide/bucketnamingrules.html
#   efs/latest/ug/API_CreateFileSystem.html
#   IAM/latest/UserGuide/reference_iam-quotas.html
#   AWSEC2/latest/APIReference/API_{CreateImage,CreateKeyPair}.html
#   AWSEC2/latest/APIReference/API_{CreateLaunchTemplate,CreateSecurityGroup}.html
#   elasticloadbalancing/latest/APIReference/API_CreateLoadBalancer.html
#   AmazonCloudWatchLogs/latest/APIReference/API_CreateLogGroup.html
#   AWSEC2/latest/UserGuide/Using_Tags.html
# A DNS label is RFC 1035's; Terraform's name_prefix leaves room for 26 more in an IAM role's 64.
LIMITS: Mapping[Kind, Limit] = {
    "auto-scaling-group": Limit(255, _PLAIN),
    "bucket": Limit(63, _STRICT, shortest=3),
    "creation-token": Limit(64, _PLAIN),
    "dns-label": Limit(63, _STRICT),
    "iam-policy": Limit(128, _PLAIN),
    "iam-role": Limit(64, _PLAIN),
    "image": Limit(128, _PLAIN, shortest=3),
    "key-pair": Limit(255, _PLAIN),
    "launch-template": Limit(128, _PLAIN, shortest=3),
    "load-balancer": Limit(32, _STRICT),
    "log-group": Limit(512, r"[^A-Za-z0-9._/-]"),
    "name-prefix": Limit(38, _PLAIN),
    "security-group": Limit(255, _PLAIN),
    "tag": Limit(256, _PLAIN),
    "tag-key": Limit(128, _PLAIN),
}
# AWS keeps these for itself: security groups, load balancers, buckets.
REFUSED_STARTS = ("sg-", "internal-", "xn--", "sthree-", "amzn-s3-demo-")
# What a cluster has beside its node groups, so none of them may be called so.
PURPOSES = ("bastion", "vpn", "nodes", "efs", "nat", "flow-logs")
# Stacks that belong to no cluster.
SHARED_STACKS = ("global", "mesh")

_HASH_LENGTH = 8  # 40 bits: among 10,000 names cut alike, two are equal once in 20,000 fleets


def fit(kind: Kind, *parts: str) -> str:
    """The parts joined by dashes, as AWS accepts them for `kind`.

    A name that is too long, too short or had characters replaced ends in a hash of all parts.
    """
    limit = LIMITS[kind]
    whole = "-".join(parts)
    name = re.sub(limit.refused, "-", whole)
    if name == whole.strip("-") and limit.shortest <= len(name) <= limit.longest:
        return name
    head = name[: limit.longest - _HASH_LENGTH - 1].strip("-")
    return f"{head}-{_hash(parts)}".lstrip("-")


def _hash(parts: tuple[str, ...]) -> str:
    digest = sha256("\0".join(parts).encode()).digest()
    return b32encode(digest).decode().lower()[:_HASH_LENGTH]


# --- the account


def state_bucket(fleet: Fleet) -> str:
    """Bucket names are shared by all AWS customers, so ours carry the account."""
    return fit("bucket", fleet.file.name, "terraform-state", fleet.file.account)


def state_key(stack: str) -> str:
    return f"{stack}.tfstate"


def permissions_boundary(fleet: Fleet) -> str:
    return fit("iam-policy", fleet.file.name, "node-boundary")


def image(fleet: Fleet, build: str) -> str:
    """An AMI's name and Name tag, the same in every region; `build` is the catalogue's id of it."""
    return fit("image", fleet.file.name, build)


def bake(fleet: Fleet, run: str) -> str:
    """The key pair and the security group of one run of `orchestrate bake`."""
    return fit("security-group", fleet.file.name, "bake", run)


# --- a cluster's network


def vpc(fleet: Fleet, cluster: str) -> str:
    return fit("tag", fleet.file.name, cluster)


def subnet(fleet: Fleet, cluster: str, tier: str, zone: str) -> str:
    return fit("tag", fleet.file.name, cluster, tier, zone)


def route_table(fleet: Fleet, cluster: str, tier: str, zone: str = "") -> str:
    """`zone` is empty for a table that all zones share."""
    return fit("tag", fleet.file.name, cluster, tier, *filter(None, [zone]))


def internet_gateway(fleet: Fleet, cluster: str) -> str:
    return fit("tag", fleet.file.name, cluster)


def nat_gateway(fleet: Fleet, cluster: str, zone: str) -> str:
    return fit("tag", fleet.file.name, cluster, "nat", zone)


def s3_endpoint(fleet: Fleet, cluster: str) -> str:
    return fit("tag", fleet.file.name, cluster, "s3")


def flow_logs(fleet: Fleet, cluster: str) -> str:
    """A log group; the flow logs' IAM role is `role(fleet, cluster, "flow-logs")`."""
    return fit("log-group", fleet.file.name, cluster, "flow-logs")


def peering(fleet: Fleet, one: str, other: str) -> str:
    """The same whichever cluster is named first."""
    first, second = sorted((one, other))
    return fit("tag", fleet.file.name, first, "to", second)


# --- a cluster's hosts; `purpose` is bastion, vpn, nodes, efs, ... or a node group's name


def security_group(fleet: Fleet, cluster: str, purpose: str) -> str:
    return fit("security-group", fleet.file.name, cluster, purpose)


def role(fleet: Fleet, cluster: str, purpose: str) -> str:
    return fit("iam-role", fleet.file.name, cluster, purpose)


def instance_profile(fleet: Fleet, cluster: str, purpose: str) -> str:
    """The name of its role, as the AWS console does it."""
    return role(fleet, cluster, purpose)


def policy(fleet: Fleet, cluster: str, purpose: str) -> str:
    return fit("iam-policy", fleet.file.name, cluster, purpose)


def key_pair(fleet: Fleet, cluster: str) -> str:
    return fit("key-pair", fleet.file.name, cluster)


def launch_template(fleet: Fleet, cluster: str, group: str) -> str:
    return fit("launch-template", fleet.file.name, cluster, group)


def auto_scaling_group(fleet: Fleet, cluster: str, group: str) -> str:
    return fit("auto-scaling-group", fleet.file.name, cluster, group)


def instance(fleet: Fleet, cluster: str, purpose: str) -> str:
    """The Name tag of an instance, its volumes, network interfaces and elastic address."""
    return fit("tag", fleet.file.name, cluster, purpose)


def load_balancer(fleet: Fleet, cluster: str, purpose: str) -> str:
    return fit("load-balancer", fleet.file.name, cluster, purpose)


# --- a cluster's storage


def filesystem(fleet: Fleet, cluster: str, name: str) -> str:
    """An EFS file system's creation token and Name tag."""
    return fit("creation-token", fleet.file.name, cluster, name)


def bucket(fleet: Fleet, cluster: str, purpose: str) -> str:
    return fit("bucket", fleet.file.name, cluster_label(cluster), purpose, fleet.file.account)


def bucket_prefix(fleet: Fleet) -> str:
    """What the name of every bucket of the fleet begins with, however it was cut."""
    return fleet.file.name[: LIMITS["bucket"].longest - _HASH_LENGTH - 1]


# --- DNS


def cluster_label(cluster: str) -> str:
    """The short name people type: `us-west` of `cluster-us-west`."""
    return cluster.removeprefix("cluster-")


def cluster_zone(fleet: Fleet, cluster: str) -> str:
    """`us-west.deeplab.example.net`: the name of the cluster's private and public zone."""
    return f"{cluster_label(cluster)}.{fleet.file.domain}"


def cluster_host(fleet: Fleet, cluster: str, host: str) -> str:
    """`bastion.us-west.deeplab.example.net`."""
    return f"{fit('dns-label', host)}.{cluster_zone(fleet, cluster)}"


def filesystem_host(fleet: Fleet, cluster: str, name: str) -> str:
    """`home.nfs.us-west.deeplab.example.net`: below a label of its own, where no host is."""
    return f"{fit('dns-label', name)}.nfs.{cluster_zone(fleet, cluster)}"


def node(group: str, instance_id: str) -> str:
    """The host label of one instance of a group: `gpu-a100-0abc…` of `i-0abc…`."""
    return fit("dns-label", group, instance_id.removeprefix("i-"))


def site_label(site: str) -> str:
    """`sf` of `site-sf`."""
    return site.removeprefix("site-")


def site_zone(fleet: Fleet, site: str) -> str:
    return f"{site_label(site)}.{fleet.file.domain}"


def site_host(fleet: Fleet, site: str, host: str) -> str:
    """`sf-gpu1.sf.deeplab.example.net`."""
    return f"{fit('dns-label', host)}.{site_zone(fleet, site)}"


# --- tag keys that Kubernetes' cluster autoscaler reads from an ASG to scale it up from zero:
# kubernetes/autoscaler, cluster-autoscaler/cloudprovider/aws/README.md

_AUTOSCALER = "k8s.io/cluster-autoscaler"
AUTOSCALER_ENABLED = f"{_AUTOSCALER}/enabled"


def autoscaler_owner(cluster: str) -> str:
    return f"{_AUTOSCALER}/{cluster}"


def autoscaler_label(key: str) -> str:
    return f"{_AUTOSCALER}/node-template/label/{key}"


def autoscaler_taint(key: str) -> str:
    return f"{_AUTOSCALER}/node-template/taint/{key}"


def autoscaler_resource(name: str) -> str:
    """`name` is Kubernetes' own: `nvidia.com/gpu`, `ephemeral-storage`."""
    return f"{_AUTOSCALER}/node-template/resources/{name}"


def kubernetes_owner(cluster: str) -> str:
    """The tag by which Kubernetes' AWS integrations find what belongs to a cluster."""
    return f"kubernetes.io/cluster/{cluster}"
