"""Makes one image: built by Packer, tried on a fresh instance, and gone if it fails (S16)."""

import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path

from orchestrate.aws import bench as benches
from orchestrate.aws import images
from orchestrate.aws.bench import Bench
from orchestrate.aws.images import Ami
from orchestrate.aws.session import Session
from orchestrate.baking import suites
from orchestrate.baking.suites import Failure, Subject
from orchestrate.chef import node
from orchestrate.chef.archive import Archive
from orchestrate.errors import AwsError, OrchestrateError
from orchestrate.fleet import names
from orchestrate.fleet.models import Fleet
from orchestrate.images import copies, labels, packer, template
from orchestrate.images.catalogue import Build
from orchestrate.images.packer import Packer
from orchestrate.images.packer_output import Line
from orchestrate.images.template import Content, Labels, Place, Source
from orchestrate.shell import Stop

PROGRAM = Path(__file__).parents[2]
# What converges and compiles in reasonable time and costs some cents an hour.
INSTANCE_TYPES = {"x86_64": "t3.large", "arm64": "t4g.large"}
ADDRESS_SECONDS = 0.5

Tell = Callable[[str], None]


class ImageFailed(OrchestrateError):
    """An image doesn't pass its tests; nothing of it is left."""


@dataclass(frozen=True)
class Order:
    """One image to be made. `build` says what it will be; its regions come when it is.

    `source` is the AMI of its parent in the region of the bench, `login` the one of its vendor.
    `recipe` is the digest that `template.recipe` gives.
    """

    image: str
    build: Build
    source: Ami
    login: str
    archive: Archive
    recipe: str


@dataclass(frozen=True)
class Builder:
    """What all images of a run are made with. Safe between threads.

    `folder` is the run's, `log` gives the file that people read of an image, `on_start` is told
    the number of each process of Packer, which may be None where images are only tested. `left`
    are builds whose AMI could not be removed.
    """

    fleet: Fleet
    session: Session
    root: Path
    packer: Packer | None
    environment: Mapping[str, str]
    bench: Bench
    key_file: Path
    run: str
    folder: Path
    log: Callable[[str], Path]
    stop: Stop
    on_start: Callable[[str, int], None]
    left: list[str] = field(default_factory=list)

    def make(self, order: Order, tell: Tell, detail: Tell) -> Ami:
        """The new image's AMI in the bench's region, tested twice.

        `tell` is told of steps, `detail` of what is said within them.

        Raises ImageFailed when it fails its tests, CommandFailed with Packer's words, Interrupted.
        Whatever is raised, no instance and no AMI of it is left.
        """
        try:
            ami = self._build(order, tell, detail)
            self._try(order, ami, tell)
            passed = {labels.RECIPE: order.recipe}
            images.tag(self.session, ami, passed)
            return replace(ami, tags={**ami.tags, **passed})
        except BaseException:
            self._discard(order)
            raise
        finally:
            self._terminate(order)

    def test(self, order: Order, ami: Ami, tell: Tell) -> None:
        """Hold an AMI that was made earlier against its suites once more.

        Raises ImageFailed, and the AMI is gone then; Interrupted and others, and it stays.
        """
        try:
            self._try(order, ami, tell)
        except ImageFailed:
            self._discard(order)
            raise
        finally:
            self._terminate(order)

    def _build(self, order: Order, tell: Tell, detail: Tell) -> Ami:
        assert self.packer is not None, "there is a Packer wherever something is built"
        folder, output = self.folder / order.image, self.folder / f"{order.image}.packer"
        subject = self._subject(order, "built")
        self._write(order, folder, subject, self.packer)
        with self.log(order.image).open("a", encoding="utf-8") as log:

            def on_line(line: Line) -> None:
                log.write(f"{line.text}\n")
                log.flush()
                (tell if line.kind == "say" else detail)(line.text.partition("\n")[0])

            try:
                ami = packer.build(
                    self.packer,
                    folder,
                    output,
                    env=self.environment,
                    stop=self.stop,
                    on_start=lambda pid: self.on_start(order.image, pid),
                    on_line=on_line,
                )
            except OrchestrateError as error:
                self._explain(order, suites.read_failures(subject.logs), error)
                raise
        region = self.bench.subnet.region
        return copies.until_available(self.session, self._name(order), region, ami, self.stop)

    def _write(self, order: Order, folder: Path, subject: Subject, packer: Packer) -> None:
        """The template with its values, and beside them what its tests need."""
        spec = self.folder / f"{order.image}.subject.json"
        suites.write(subject, spec)
        python = [sys.executable, "-P", "-m", "orchestrate.baking.suites", str(spec)]
        stand_in = {"ORCHESTRATE_STAND_IN": "1"} if self.session.target.name == "lab" else {}
        template.write(
            folder,
            packer,
            Labels(
                self._name(order),
                labels.description(order.image, order.build),
                labels.on_the_way(self.fleet, self.run, order.build.id),
                labels.of_image(self.fleet, order.image, order.build),
            ),
            Source(
                order.source.id,
                order.source.root_device,
                order.source.disk_gb,
                order.login,
                INSTANCE_TYPES[order.source.architecture],
            ),
            Place(
                self.bench.subnet.region,
                self.bench.subnet.id,
                self.bench.security_group,
                self.bench.name,
                self.key_file,
                self.session.target.endpoint_url or "",
            ),
            Content(
                order.archive.data,
                order.archive.digest,
                node.text(dict(subject.node)),
                stand_in,
                ["env", f"PYTHONPATH={PROGRAM}", *python],
            ),
        )

    def _try(self, order: Order, ami: Ami, tell: Tell) -> None:
        """Boot a fresh instance of the image and hold it against the same suites."""
        tell("Trying the image on a fresh instance")
        tags = labels.on_the_way(self.fleet, self.run, order.build.id)
        instance = benches.launch(
            self.session,
            replace(self.bench, tags=tags),
            ami=ami.id,
            instance_type=INSTANCE_TYPES[ami.architecture],
            name=f"{self._name(order)}-trial",
        )
        address = self._address(instance)
        tell("Testing the fresh instance")
        failures = suites.run(
            self._subject(order, "tried"), instance, address, self.session, self.stop
        )
        self._explain(order, failures)

    def _address(self, instance: str) -> str:
        while not (address := benches.public_address(self.session, self.bench, instance)):
            copies.sleep(ADDRESS_SECONDS, self.stop, "the trial was given up")
        return address

    def _explain(
        self, order: Order, failures: list[Failure], cause: OrchestrateError | None = None
    ) -> None:
        """Raise ImageFailed if there are failures, each of them in a line."""
        if failures:
            lines = "".join(f"\n    {failure}" for failure in failures)
            raise ImageFailed(
                f"the image does not pass its tests{lines}",
                where=order.image,
                fix=f"nothing of it is left; its log is {self.log(order.image)}",
            ) from cause

    def _subject(self, order: Order, stage: str) -> Subject:
        return Subject(
            name=order.build.id,
            role=order.build.role,
            login=order.login,
            identity=self.key_file,
            root=self.root,
            suites=order.archive.cookbooks,
            node=node.baking(self.fleet, order.image),
            logs=self.folder / f"{order.image}.{stage}",
            region=self.bench.subnet.region,
            target=self.session.target.name,
            endpoint=self.session.target.endpoint_url,
        )

    def _discard(self, order: Order) -> None:
        """Remove the AMI of a build that came to nothing, if there is one.

        The error that brought us here says more than one of this; but the build is remembered.
        """
        region, name = self.bench.subnet.region, self._name(order)
        try:
            for ami in images.named(self.session, region, [name]):
                images.remove(self.session, ami)
        except AwsError:
            self.left.append(order.build.id)

    def _terminate(self, order: Order) -> None:
        """End the build's instances now; those of the whole run are looked for at its end."""
        region = self.bench.subnet.region
        with suppress(AwsError):
            left = benches.instances(self.session, region, labels.BUILD, order.build.id)
            benches.terminate(self.session, region, left)

    def _name(self, order: Order) -> str:
        return names.image(self.fleet, order.build.id)
