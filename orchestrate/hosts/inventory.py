"""Which hosts there are: a fleet's instances by their tags, and its sites' racks. Pure."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase

from orchestrate.aws.groups import LEAVING, Group, Member
from orchestrate.aws.instances import Instance
from orchestrate.errors import OrchestrateError
from orchestrate.fleet import lineage
from orchestrate.fleet.models import Cluster, Fleet, Site
from orchestrate.hosts.strangers import TAGS, parted
from orchestrate.plain_text import is_word, shown

# Roles of which a cluster has one host, named after the role.
DOORS = ("bastion", "vpn")
PHYSICAL = "physical"
# What a rack is on a target that has no racks of its site.
ABSENT = "absent"
# Digits of the instance id in a host's name: two of 200 hosts in a group share six of them once
# in 800 groups, and those two then get more.
ID_DIGITS = 6


@dataclass(frozen=True)
class Host:
    """One machine one can log in to.

    `place` is its cluster or site, `group` its node group or rack, `state` EC2's word, PHYSICAL or
    ABSENT. `user` is the login of its image, "" where only the operator's SSH settings know it.
    `via` is the name of the host to jump through, None where it is reached directly.
    Addresses and `instance_id` are "" where there are none; `launched` is in UTC. `lifecycle` is
    where it stands in its auto scaling group, in AWS's word, "" where it has none; `behind` says
    how its launch template differs from what its group launches now, "" where it doesn't.
    `host_key` is the public key that the fleet says it shows, "" where it says nothing.
    """

    name: str
    place: str
    role: str
    group: str
    zone: str
    instance_id: str
    state: str
    private_ip: str
    public_ip: str
    user: str
    via: str | None = None
    launched: datetime | None = None
    lifecycle: str = ""
    behind: str = ""
    host_key: str = ""

    @property
    def leaving(self) -> bool:
        """Whether its group is taking it away: it may answer still, but nothing is begun on it."""
        return self.lifecycle.startswith(LEAVING)

    @property
    def up(self) -> bool:
        """Whether it should answer."""
        return self.state in {"running", PHYSICAL}

    @property
    def address(self) -> str:
        """What to connect to: through a bastion the private address, else the public one."""
        return self.private_ip if self.via else self.public_ip or self.private_ip


def hosts(
    fleet: Fleet,
    instances: Iterable[Instance],
    groups: Iterable[Group] = (),
    moved: Mapping[str, str] | None = None,
) -> list[Host]:
    """All hosts, sorted by place and name. Instances without our tags are left out, and those that
    `strangers` finds fault with.

    `moved` is the target's: where it has a site's gateway instead of at its public address, and
    so which sites it has; None where all are there as the fleet says.
    """
    ours, _ = parted(fleet, instances)
    stands = {
        member.id: (member.lifecycle, _behind(member, group))
        for group in groups
        for member in group.members
    }
    named = [(_host(fleet, one, name), stands.get(one.id, ("", ""))) for one, name in _named(ours)]
    cloud = _via_bastions(
        [replace(host, lifecycle=stand, behind=behind) for host, (stand, behind) in named]
    )
    racks = [host for site in fleet.sites.values() for host in _racks(site, moved)]
    return sorted([*cloud, *racks], key=lambda host: (host.place, host.name))


def select(known: Sequence[Host], wanted: Sequence[str]) -> list[Host]:
    """The hosts that any of the words names, in inventory order; all if there are no words.

    A word is a host's name (`*` and `?` match any text and any letter), an instance id, or a
    place, role, group or `group.place`. Raises OrchestrateError naming every word that fits
    nothing, with the nearest that would.
    """
    strange = [word for word in wanted if not any(_fits(host, word) for host in known)]
    if strange:
        raise OrchestrateError("\n".join(_unknown(known, word) for word in strange))
    return [host for host in known if not wanted or any(_fits(host, word) for word in wanted)]


def left_undone(
    known: Sequence[Host], wanted: Sequence[str], left_out: Collection[str]
) -> list[str]:
    """The words of a selection of which every host, by name, was left out: asked for and not done.

    One of many left out is no fault: a group may be taking it away. No words are `*`, all hosts.
    """
    hosts = {word: {h.name for h in known if _fits(h, word)} for word in wanted or ("*",)}
    return [word for word, names in hosts.items() if names and names <= set(left_out)]


def one(known: Sequence[Host], word: str) -> Host:
    """The one host that a word names. Raises OrchestrateError if it is none, or several."""
    found = select(known, [word])
    exact = [host for host in found if word in {host.name, host.instance_id}]
    if len(exact or found) == 1:
        return (exact or found)[0]
    names = ", ".join(host.name for host in found[:8]) + (", …" if len(found) > 8 else "")
    what = f"'{shown(word)}' is {len(found)} hosts"
    raise OrchestrateError(what, fix=f"name one of them: {names}")


def missing(known: Iterable[Host], groups: Iterable[Group]) -> dict[str, int]:
    """How many instances each auto scaling group still has to launch, by group name."""
    there = {host.instance_id for host in known if host.state == "running"}
    short = {group.name: group.desired - len(there & {*group.instances}) for group in groups}
    return {name: count for name, count in sorted(short.items()) if count > 0}


def _behind(member: Member, group: Group) -> str:
    """How a member's launch template differs from its group's: `version 3, now 4`."""
    was, now = member.template, group.template
    # A group that launches from `$Latest` doesn't say here which version that is.
    if was is None or now is None or was == now or not now.version.isdigit():
        return ""
    return f"version {was.version}, now {now.version}" if was.id == now.id else "another template"


def _host(fleet: Fleet, instance: Instance, name: str) -> Host:
    place, role = instance.tags["cluster"], instance.tags["role"]
    group = instance.tags.get("group", "")
    return Host(
        name=name,
        place=place,
        role=role,
        group=group,
        zone=instance.zone,
        instance_id=instance.id,
        state=instance.state,
        private_ip=instance.private_ip,
        public_ip=instance.public_ip,
        user=_login(fleet, place, group or role),
        launched=instance.launched,
    )


def _login(fleet: Fleet, place: str, what: str) -> str:
    """The login of the image the fleet starts such a host from; "" if it names none any more."""
    cluster = fleet.clusters.get(place)
    image = _image(cluster, what) if cluster else ""
    return lineage.source(fleet.file, image).user if image else ""


def _image(cluster: Cluster, what: str) -> str:
    if what == "bastion":
        return cluster.bastion.image
    if what == "vpn":
        return cluster.vpn.image if cluster.vpn else ""
    return cluster.node_groups[what].image if what in cluster.node_groups else ""


def _named(instances: Iterable[Instance]) -> list[tuple[Instance, str]]:
    """Each instance with its name: `bastion.cluster-us-west`, `cpu-9f1a2b.cluster-us-west`."""
    by_name: dict[str, list[Instance]] = defaultdict(list)
    for instance in instances:
        by_name[_name(instance, ID_DIGITS)].append(instance)
    named = []
    for name, sharing in by_name.items():
        # The oldest keeps the short name, so that a name in use never changes under its user.
        first, *later = sorted(sharing, key=lambda instance: (instance.launched, instance.id))
        named.append((first, name))
        named += [(instance, _name(instance, 0, full=True)) for instance in later]
    return named


def names_of(instance_id: str, tags: Mapping[str, str]) -> tuple[str, ...]:
    """What an instance with these tags may be called here: by a short serial, or by its whole id
    where two would share that; nothing without our tags, or with any that is no plain word. The
    lab's commands take these names too.
    """
    cluster, role, group = (tags.get(key, "") for key in TAGS)
    if not (is_word(cluster) and is_word(role) and (is_word(group) or not group)):
        return ()
    return _called(instance_id, tags, ID_DIGITS), _called(instance_id, tags, 0, full=True)


def _name(instance: Instance, digits: int, *, full: bool = False) -> str:
    return _called(instance.id, instance.tags, digits, full=full)


def _called(instance_id: str, tags: Mapping[str, str], digits: int, *, full: bool = False) -> str:
    serial = instance_id.removeprefix("i-")[-digits:]
    if not full and tags["role"] in DOORS and "group" not in tags:
        return f"{tags['role']}.{tags['cluster']}"
    return f"{tags.get('group') or tags['role']}-{serial}.{tags['cluster']}"


def _via_bastions(cloud: Iterable[Host]) -> list[Host]:
    """Every host but a bastion gets its cluster's bastion to jump through.

    A public address is no way in: SSH is open to the world on bastions only.
    """
    known = list(cloud)
    doors: Mapping[str, str] = {
        host.place: host.name for host in reversed(known) if host.role == "bastion" and host.up
    }
    return [
        host if host.role == "bastion" else replace(host, via=doors.get(host.place))
        for host in known
    ]


def _racks(site: Site, moved: Mapping[str, str] | None) -> list[Host]:
    """A site's hosts: its gateway at its public address, the others through the gateway."""
    public, door = str(site.gateway.public_address), site.gateway.host
    there = moved is None or public in moved
    return [
        Host(
            name=f"{name}.{site.name}",
            place=site.name,
            role=host.role,
            group=rack,
            zone=site.name,
            instance_id="",
            state=PHYSICAL if there else ABSENT,
            private_ip=str(host.address),
            public_ip=(moved or {}).get(public, public) if name == door else "",
            user=site.login,
            via=None if name == door else f"{door}.{site.name}",
            # A lab's racks are other machines, with keys of their own.
            host_key=host.host_key or "" if moved is None else "",
        )
        for rack, machines in site.racks.items()
        for name, host in machines.items()
    ]


def _fits(host: Host, word: str) -> bool:
    names = {host.instance_id, host.place, host.role, host.group, f"{host.group}.{host.place}"}
    return bool(word) and (word in names or fnmatchcase(host.name, word))


def _unknown(known: Sequence[Host], word: str) -> str:
    words = {text for host in known for text in (host.name, host.place, host.role, host.group)}
    near = get_close_matches(word, sorted(words), n=3, cutoff=0.5)
    places = ", ".join(sorted({host.place for host in known})) or "none; apply a cluster first"
    hint = f"did you mean {' or '.join(near)}?" if near else f"hosts are in: {places}"
    return f"no host, cluster, site, role or group '{shown(word)}'; {hint}"
