"""What a run works with: the fleet as rendered roots on disk, the AWS session, the state bucket.

`prepare` is the first half of every run's story: allocate, render.
"""

from collections.abc import Collection, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property
from ipaddress import IPv4Network
from pathlib import Path

from orchestrate import clock
from orchestrate.aws import state_bucket
from orchestrate.aws.session import Session, verify_account
from orchestrate.caches import work_folder
from orchestrate.fleet import names
from orchestrate.fleet.models import Fleet
from orchestrate.images import catalogue_file, presence
from orchestrate.images.catalogue import Catalogue, current
from orchestrate.ipam import ledger
from orchestrate.target import Target
from orchestrate.terraform import arguments, roots, state, write
from orchestrate.terraform.arguments import Ami, Amis
from orchestrate.terraform.roots import Stack


@dataclass(frozen=True)
class Workplace:
    """A repository's fleet on a target. The roots of all `stacks` stand rendered in `build`.

    `ranges` are the ledger's allocations, `new_ranges` how many of them were given just now;
    `forgotten` are the builds of images that went with an earlier lab, `lost` the images that are
    gone, by the stack whose new hosts would start from them.
    """

    fleet: Fleet
    target: Target
    root: Path
    stacks: Mapping[str, Stack]
    session: Session
    ranges: Mapping[str, IPv4Network]
    new_ranges: int = 0
    forgotten: Sequence[str] = ()
    lost: Mapping[str, Sequence[presence.Absent]] = field(default_factory=dict)

    @property
    def after(self) -> dict[str, frozenset[str]]:
        """What each stack must be applied after."""
        return {name: stack.after for name, stack in self.stacks.items()}

    @cached_property
    def work_folder(self) -> Path:
        return work_folder(self.root)

    @cached_property
    def left_behind(self) -> dict[str, Stack]:
        """Stacks that still have something and that the fleet no longer has, by name."""
        gone = sorted(name for name in self.alive - set(self.stacks) if "/" not in name)
        clusters = [name for name in gone if name not in (roots.GLOBAL, roots.MESH)]
        found = {name: self._left_behind(name, frozenset({roots.GLOBAL})) for name in clusters}
        if roots.MESH in gone:
            found[roots.MESH] = self._left_behind(roots.MESH, {roots.GLOBAL, *clusters})
        return found

    def _left_behind(self, name: str, after: Set[str]) -> Stack:
        region = self.fleet.file.state.region
        if name != roots.MESH:
            region = state.region(self.state_of(name)) or region
        return Stack(name, region, after=frozenset(after))

    @cached_property
    def known(self) -> dict[str, Stack]:
        """The fleet's stacks, and those left behind, which mesh may still join to the others."""
        found = {**self.stacks, **self.left_behind}
        if roots.MESH in self.stacks:
            mesh, late = self.stacks[roots.MESH], frozenset(self.left_behind)
            found[roots.MESH] = replace(mesh, after=mesh.after | late)
        return found

    @property
    def build(self) -> Path:
        return build_folder(self.work_folder, self.target.name)

    @property
    def leaving(self) -> Path:
        """Where the roots stand that stacks are destroyed with. Not in `build`, which another run
        may render anew meanwhile.
        """
        return self.work_folder / "leaving" / self.target.name

    @property
    def runs(self) -> Path:
        return self.work_folder / "runs"

    @property
    def bucket(self) -> state_bucket.StateBucket:
        return bucket_of(self.fleet)

    @cached_property
    def with_state(self) -> tuple[str, ...]:
        """Every stack that was ever applied: those that have a state, be it an empty one."""
        return tuple(state_bucket.stacks(self.session, self.bucket))

    @cached_property
    def alive(self) -> frozenset[str]:
        """The stacks that had something when the run began: those whose state holds resources."""
        return frozenset(name for name in self.with_state if state.is_alive(self.state_of(name)))

    @cached_property
    def readable(self) -> frozenset[str]:
        """Those of `alive` that tell what others read: none whose apply failed halfway."""
        return frozenset(
            name
            for name in self.alive & set(self.stacks)
            if self.stacks[name].tells <= state.output_names(self.state_of(name))
        )

    def check_account(self) -> None:
        """Raise AwsError unless the credentials are those of the fleet's account."""
        verify_account(self.session, self.fleet.file.account, self.fleet.file.state.region)

    def state_of(self, stack: str) -> bytes | None:
        """A stack's state as it is now; None if it was never applied."""
        return state_bucket.read_state(self.session, self.bucket, stack)


def prepare(
    root: Path,
    fleet: Fleet,
    target: Target,
    *,
    keep_ranges: bool,
    changing: bool = True,
    only: Collection[str] = (),
) -> Workplace:
    """Allocate and render: from here on the roots on disk say what the fleet says, all or `only`
    those of these stacks: each takes a while, and Terraform waits for it.

    `keep_ranges` writes newly given ranges to the ledger; a mere plan leaves it alone. One that
    isn't `changing` anything checks the account while Terraform plans (`apply.plan`). Raises
    AwsError when the credentials are missing, or not those of the fleet's account, InvalidInput for
    a ledger or a catalogue of images that can't be read.
    """
    session = Session(target)
    if changing:
        verify_account(session, fleet.file.account, fleet.file.state.region)
    path = root / "fleet" / ledger.NAME
    change = (ledger.write if keep_ranges else ledger.preview)(path, fleet, clock.today())
    build = build_folder(work_folder(root), target.name)
    given = change.after.allocations
    images = presence.usable(session, catalogue_file.path_of(root, target.name))
    amis = _amis(fleet, images.catalogue)
    modules = write.modules_from(build)
    for stack, files in roots.render(fleet, given, modules, amis, only).items():
        write.write(build / stack, files)
    stacks = roots.stacks(fleet)
    return Workplace(
        fleet,
        target,
        root,
        stacks,
        session,
        given,
        len(change.added),
        sorted({gone.build for gone in images.forgotten}),
        _lost(fleet, images.lost, amis),
    )


def _amis(fleet: Fleet, catalogue: Catalogue) -> dict[tuple[str, str], Ami]:
    """The AMIs that new hosts start from, by image and region; images never baked are left out."""
    builds = {image: current(catalogue, image) for image in fleet.file.baked}
    return {
        (image, region): Ami(ami, build.root_device)
        for image, build in builds.items()
        if build
        for region, ami in build.regions.items()
    }


def _lost(
    fleet: Fleet, gone: Sequence[presence.Absent], amis: Amis
) -> dict[str, tuple[presence.Absent, ...]]:
    """The images that are gone, by cluster whose new hosts would start from them."""
    used = {
        name: str(arguments.images(fleet, cluster, amis)) if gone else ""
        for name, cluster in fleet.clusters.items()
    }
    return {name: tuple(g for g in gone if g.ami in text) for name, text in used.items()}


def build_folder(work_folder: Path, target: str) -> Path:
    """Where the rendered roots of a target stand, a folder a stack."""
    return work_folder / "build" / target


def bucket_of(fleet: Fleet) -> state_bucket.StateBucket:
    """The bucket with the fleet's Terraform states."""
    account, region = fleet.file.account, fleet.file.state.region
    return state_bucket.StateBucket(names.state_bucket(fleet), region, account)
