"""The Terraform roots of a fleet: which stacks there are, and the files of each. Pure.

The text of a root is a Jinja2 template below `terraform/roots`, part of the program like this
module; only values come from the fleet and the ledger. The same input gives the same bytes, for
the lab and for AWS alike.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from ipaddress import IPv4Network
from pathlib import Path
from types import MappingProxyType

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from orchestrate.fleet import names, ranges
from orchestrate.fleet.models import Cluster, Fleet
from orchestrate.terraform import arguments, hcl
from orchestrate.terraform.arguments import Amis

GLOBAL = "global"
MESH = "mesh"

# By itself Terraform gives up its state after five tries, 13 seconds. These, up to 20 seconds
# apart, outlast a minute in which S3 answers nothing, as the AWS provider's own 25 do.
STATE_RETRIES = 15

NEVER_BAKED: Amis = MappingProxyType({})

TERRAFORM = Path(__file__).parents[2] / "terraform"
MODULES = TERRAFORM / "modules"
# From `.orchestrate/build/<target>/<stack>/`, where roots are usually written.
MODULES_FROM_BUILD = "../../../../terraform/modules"


# What `mesh` reads of the others.
GLOBAL_TELLS = frozenset({"zone_id"})
CLUSTER_TELLS = frozenset({"vpc_id", "route_table_ids", "name_servers", "private_zone_id"})


@dataclass(frozen=True)
class Stack:
    """One Terraform root with its own state.

    `after` are the stacks that must be applied before it, `reads` those among them whose state it
    reads: its plan is complete only when they are applied. `tells` are the outputs of its own that
    others read.
    """

    name: str
    region: str
    after: frozenset[str] = field(default_factory=frozenset)
    reads: frozenset[str] = field(default_factory=frozenset)
    tells: frozenset[str] = field(default_factory=frozenset)


def stacks(fleet: Fleet) -> dict[str, Stack]:
    """Every stack by name: `global`, the clusters, then `mesh`, which joins them."""
    region = fleet.file.state.region
    found = {GLOBAL: Stack(GLOBAL, region, tells=GLOBAL_TELLS)}
    for cluster in fleet.clusters.values():
        found[cluster.name] = Stack(
            cluster.name, cluster.region, after=frozenset({GLOBAL}), tells=CLUSTER_TELLS
        )
    if fleet.clusters:
        before = frozenset(found)
        found[MESH] = Stack(MESH, region, after=before, reads=before)
    return found


def render(
    fleet: Fleet,
    given: Mapping[str, IPv4Network],
    modules: str = MODULES_FROM_BUILD,
    amis: Amis = NEVER_BAKED,
    only: Collection[str] = (),
) -> dict[str, dict[str, str]]:
    """Stack name -> file name -> text, of all stacks or `only` those of these names.

    `given` are the ledger's allocations by the keys of `orchestrate.fleet.ranges`; `modules` is the
    path from a stack's folder to the modules; hosts whose image isn't in `amis` start from the
    vendor's image behind it. Raises KeyError for a range that isn't allocated.
    """
    rendering: dict[str, Callable[[], dict[str, str]]] = {GLOBAL: partial(_global, fleet)}
    for cluster in fleet.clusters.values():
        rendering[cluster.name] = partial(_cluster, fleet, cluster, given, modules, amis)
    if fleet.clusters:
        rendering[MESH] = partial(_mesh, fleet, given, modules)
    return {name: text() for name, text in rendering.items() if not only or name in only}


def leaving(fleet: Fleet, stack: Stack, aliases: Collection[str]) -> dict[str, str]:
    """The files of a stack that is to be destroyed: where its state is, and its providers.

    `aliases` are those that its state names.
    """
    providers = {"": stack.region, **{region: region for region in aliases}}
    return {"versions.tf": _versions(fleet, stack.name, providers, {})}


def mesh_with(
    fleet: Fleet,
    given: Mapping[str, IPv4Network],
    modules: str,
    mesh_regions: Collection[str],
    *,
    without: Collection[str] = (),
) -> dict[str, str]:
    """The files of mesh `without` clusters that leave, which may be all, and with providers for
    `mesh_regions`, where it still has something; other arguments as of `render`.
    """
    left = {name: one for name, one in fleet.clusters.items() if name not in without}
    if not left:
        return leaving(fleet, Stack(MESH, fleet.file.state.region), mesh_regions)
    return _mesh(fleet.model_copy(update={"clusters": left}), given, modules, mesh_regions)


def _global(fleet: Fleet) -> dict[str, str]:
    values = {
        "account": fleet.file.account,
        "domain": fleet.file.domain,
        "boundary": names.permissions_boundary(fleet),
        "bucket_prefix": names.bucket_prefix(fleet),
        "state_bucket": names.state_bucket(fleet),
    }
    tags = arguments.stack_tags(fleet, GLOBAL)
    return {
        "versions.tf": _versions(fleet, GLOBAL, {"": fleet.file.state.region}, tags),
        "main.tf": _text("global/main.tf.j2", **values),
        "outputs.tf": _text("global/outputs.tf.j2"),
    }


def _cluster(
    fleet: Fleet, cluster: Cluster, given: Mapping[str, IPv4Network], modules: str, amis: Amis
) -> dict[str, str]:
    own = cluster.name
    groups = {
        name: arguments.node_group(fleet, cluster, name, group)
        for name, group in sorted(cluster.node_groups.items())
    }
    storage = arguments.storage(fleet, cluster)
    values = {
        "modules": modules,
        "account": fleet.file.account,
        "cluster": cluster,
        "key_pair": names.key_pair(fleet, own),
        "boundary": names.permissions_boundary(fleet),
        "images": arguments.images(fleet, cluster, amis),
        "vendors": arguments.vendors(fleet, cluster, amis),
        "internal_ranges": arguments.internal_ranges(fleet),
        "network": arguments.network(fleet, cluster, given),
        "doors": arguments.doors(fleet, cluster, given),
        "groups": groups,
        "group_names": {name: hcl.Expression(f"module.node_group_{name}.name") for name in groups},
        "storage": storage,
        "bucket_names": [bucket["name"] for bucket in storage["buckets"].values()],
        "storage_clients": arguments.clients(cluster),
        "nfs_security_group": names.security_group(fleet, own, "efs"),
        "dns": arguments.dns(fleet, cluster),
    }
    tags = arguments.cluster_tags(fleet, cluster)
    return {
        "versions.tf": _versions(fleet, own, {"": cluster.region}, tags),
        "variables.tf": _text("cluster/variables.tf.j2"),
        "main.tf": _text("cluster/main.tf.j2", **values),
        "outputs.tf": _text("cluster/outputs.tf.j2", **values),
    }


def _mesh(
    fleet: Fleet,
    given: Mapping[str, IPv4Network],
    modules: str,
    kept: Collection[str] = (),
) -> dict[str, str]:
    clusters = {
        name: {
            "region": cluster.region,
            "range": given[ranges.vpc(name)],
            "zone": names.cluster_zone(fleet, name),
        }
        for name, cluster in sorted(fleet.clusters.items())
    }
    regions = sorted({cluster.region for cluster in fleet.clusters.values()} | set(kept))
    values = {
        "modules": modules,
        "fleet": fleet.file.name,
        "state": {
            "bucket": names.state_bucket(fleet),
            "region": fleet.file.state.region,
            "retries": STATE_RETRIES,
        },
        "clusters": {
            name: {**cluster, "state_key": names.state_key(name)}
            for name, cluster in clusters.items()
        },
        "global_key": names.state_key(GLOBAL),
        "region_pairs": _region_pairs(fleet),
    }
    providers = {"": fleet.file.state.region, **{region: region for region in regions}}
    tags = arguments.stack_tags(fleet, MESH)
    return {
        "versions.tf": _versions(fleet, MESH, providers, tags),
        # No outputs: taking one cluster's links along would leave them behind (ADR 0022).
        "main.tf": _text("mesh/main.tf.j2", **values),
    }


def _region_pairs(fleet: Fleet) -> list[tuple[str, str]]:
    """Pairs of regions with clusters to join, (a, a) where a region has several.

    The pairs of clusters are left to Terraform: a provider belongs to a region, so one module call
    per pair of regions is enough, and the root grows with the clusters, not with their square.
    """
    held = sorted(cluster.region for cluster in fleet.clusters.values())
    regions = sorted(set(held))
    return [
        (one, other)
        for place, one in enumerate(regions)
        for other in regions[place:]
        if one != other or held.count(one) > 1
    ]


def _versions(
    fleet: Fleet, stack: str, providers: Mapping[str, str], tags: Mapping[str, str]
) -> str:
    """`providers` are regions by provider alias; the empty alias is the default provider."""
    return _text(
        "versions.tf.j2",
        account=fleet.file.account,
        bucket=names.state_bucket(fleet),
        key=names.state_key(stack),
        state_region=fleet.file.state.region,
        state_retries=STATE_RETRIES,
        providers=providers,
        tags=tags,
    )


def _text(template: str, **values: object) -> str:
    return _templates().get_template(template).render(**values)


def _escaped(value: hcl.Value, indent: int = 2) -> hcl.Expression:
    return hcl.Expression(hcl.literal(value, indent))


@cache
def _templates() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TERRAFORM / "roots"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - this is HCL, and `hcl` is its escape
        finalize=hcl.only_escaped,
    )
    environment.filters["hcl"] = _escaped
    environment.filters["comment"] = hcl.comment
    return environment
