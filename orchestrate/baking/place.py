"""Where a bake works: the fleet, AWS, the catalogue; and what the images are made from now."""

import os
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from ipaddress import IPv4Network
from pathlib import Path

from orchestrate.aws import bench as benches
from orchestrate.aws import images
from orchestrate.aws.bench import Subnet
from orchestrate.aws.images import Ami
from orchestrate.aws.session import Session, verify_account
from orchestrate.caches import work_folder
from orchestrate.chef import archive, check, node
from orchestrate.chef.archive import Archive
from orchestrate.errors import OrchestrateError
from orchestrate.fleet import lineage, names
from orchestrate.fleet.models import Fleet
from orchestrate.images import catalogue_file, earlier, needs, packer, presence, template
from orchestrate.images.catalogue import Catalogue
from orchestrate.images.needs import Earlier, Wanted
from orchestrate.images.packer import Packer
from orchestrate.runs.exclusive import Held, exclusive
from orchestrate.target import Target
from orchestrate.verify.run import SUITES, existing_suites


@dataclass(frozen=True)
class BakePlace:
    """A repository's images on a target. Images are built in one `region`, then copied."""

    root: Path
    fleet: Fleet
    target: Target
    session: Session

    @property
    def region(self) -> str:
        return self.fleet.file.state.region

    @property
    def work_folder(self) -> Path:
        return work_folder(self.root)

    @property
    def catalogue(self) -> Path:
        """The catalogue's file."""
        return catalogue_file.path_of(self.root, self.target.name)

    def read(self) -> Catalogue:
        """The catalogue as it stands. Raises InvalidInput."""
        return catalogue_file.read(self.catalogue)

    def alone(self, argv: Sequence[str]) -> AbstractContextManager[Held]:
        """Hold the lock of this checkout and target on making and removing images."""
        return exclusive(self.work_folder, self.target.name, ["images"], argv)

    @cached_property
    def packer(self) -> Packer:
        return packer.find(os.environ)

    @property
    def regions(self) -> frozenset[str]:
        """Every region that images may be in."""
        return frozenset({self.region, *(one.region for one in self.fleet.clusters.values())})

    def regions_of(self, image: str) -> frozenset[str]:
        """Where an image is needed: where hosts start from it, and where it is built."""
        return frozenset({self.region, *lineage.regions(self.fleet, image)})

    def archive(self, image: str) -> Archive:
        """What an image is converged with. The stand-in for Chef goes to a lab only."""
        role, lab = lineage.role(self.fleet.file, image), self.target.name == "lab"
        return archive.pack(self.root / check.FOLDER, role, stand_in=lab)

    def subnet(self) -> Subnet:
        """Where instances are started: in a cluster's public subnet, else in the default VPC.

        Raises OrchestrateError where the build region has neither.
        """
        public = [
            names.subnet(self.fleet, cluster.name, "public", zone)
            for cluster in self.fleet.clusters.values()
            if cluster.region == self.region
            for zone in cluster.zones
        ]
        found = benches.subnet_named(self.session, self.region, public) if public else None
        found = found or benches.default_subnet(self.session, self.region)
        if not found:
            raise OrchestrateError(
                f"there is no subnet to bake in: no cluster is applied in {self.region}, and it "
                "has no default VPC",
                fix="apply a cluster there, or make one: "
                f"`aws ec2 create-default-vpc --region {self.region}`",
            )
        return found

    def ssh_from(self) -> list[IPv4Network]:
        """Who may log in to instances on the way: who may log in to bastions."""
        clusters = self.fleet.clusters.values()
        near = [one for one in clusters if one.region == self.region] or list(clusters)
        return sorted({range_ for one in near for range_ in one.bastion.allow_ssh_from})

    def wanted(self, chosen: list[str], archives: Mapping[str, Archive]) -> dict[str, Wanted]:
        """What the chosen images would be baked from now. Raises OrchestrateError, AwsError."""
        baked = self.fleet.file.baked
        return {
            image: Wanted(
                parent=parent if parent in baked else self.vendor(parent).id,
                baked_parent=parent in baked,
                cookbooks=archives[image].digest,
                regions=self.regions_of(image),
                recipe=self.recipe(image),
            )
            for image in chosen
            for parent in [baked[image].parent]
        }

    def recipe(self, image: str) -> str:
        """What an image is made with besides parent and cookbooks, as a digest."""
        return template.recipe(node.text(node.baking(self.fleet, image)))

    def earlier(self, chosen: list[str], known: Catalogue) -> dict[str, list[Earlier]]:
        """Tested builds of the chosen images that AWS has, and the catalogue lacks."""
        return earlier.unknown(self.session, self.region, self.fleet, chosen, known)

    def vendor(self, name: str) -> Ami:
        """The newest AMI of a vendor's image in the build region."""
        source = self.fleet.file.images[name]
        found = images.newest(
            self.session,
            self.region,
            owner=source.owner,
            name=source.name,
            architecture=source.architecture,
        )
        if not found:
            raise OrchestrateError(
                f"AWS has no image '{source.name}' of {source.owner} in {self.region}",
                where=f"fleet.yaml, images: {name}",
                fix="correct its owner, name or architecture",
            )
        return found

    def source(self, image: str) -> tuple[str, Ami]:
        """What an image is made from now: its parent's id, as a build has it, and the AMI."""
        parent = self.fleet.file.baked[image].parent
        if parent not in self.fleet.file.baked:
            ami = self.vendor(parent)
            return ami.id, ami
        build = needs.in_use(self.read().shelf(parent))
        named = build.regions.get(self.region, "") if build else ""
        found = images.existing(self.session, [(self.region, named)]) if named else []
        if not build or not found:
            raise OrchestrateError(
                f"its parent {build.id if build else parent} has no AMI in {self.region}",
                where=image,
                fix=f"bake it anew with `orchestrate bake --force {parent}`",
            )
        return build.id, found[0]

    def present(self) -> Catalogue:
        """The catalogue without what AWS doesn't have any more: that is to be baked anew.

        Only a lab's file is changed: what was committed is for people to take back.
        """
        catalogue = self.read()
        gone = presence.absent(self.session, catalogue)
        if gone and self.target.name == "lab":
            return catalogue_file.update(self.catalogue, lambda now: presence.forget(now, gone))
        return presence.forget(catalogue, gone)


def enter(root: Path, fleet: Fleet, target: Target) -> BakePlace:
    """A place to bake. Raises AwsError unless the credentials are the fleet's account's."""
    session = Session(target)
    verify_account(session, fleet.file.account, fleet.file.state.region)
    return BakePlace(root, fleet, target, session)


def refuse_untested(root: Path, archives: Mapping[str, Archive]) -> None:
    """Raise OrchestrateError for images that no suite would test."""
    suites = existing_suites(root)
    untested = [image for image, one in archives.items() if not suites & set(one.cookbooks)]
    if untested:
        raise OrchestrateError(
            f"nothing would test {', '.join(untested)}: no cookbook of the role has a suite",
            where=str(root / SUITES),
            fix="write what its hosts must be, in COOKBOOK/test_*.py",
        )
