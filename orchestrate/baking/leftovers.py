"""The bench that a run of bakes works at, and what is left of runs that were killed."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrate import shell
from orchestrate.aws import bench as benches
from orchestrate.aws import images
from orchestrate.aws.bench import Bench
from orchestrate.baking.place import BakePlace
from orchestrate.errors import OrchestrateError
from orchestrate.fleet import names
from orchestrate.images import catalogue, labels
from orchestrate.runs import history, processes
from orchestrate.runs.history import Run
from orchestrate.runs.journal import Journal

KEY = "key"
# How a run ends in the journal whose end somebody else had to write.
KILLED = 137


@dataclass(frozen=True)
class Cleared:
    """What a killed run had left, and was removed now."""

    run: str
    what: tuple[str, ...]


@contextmanager
def bench(place: BakePlace, run: str, folder: Path) -> Iterator[tuple[Bench, Path]]:
    """A key pair and a security group for this block, and the private key's file.

    When the block is left, however, they are gone, and so are all instances of the run.
    """
    tags = labels.on_the_way(place.fleet, run)
    key_file = _new_key(folder, run)
    try:
        yield (
            benches.set_up(
                place.session,
                names.bake(place.fleet, run),
                place.subnet(),
                public_key=key_file.with_suffix(".pub").read_text(),
                ssh_from=place.ssh_from(),
                tags=tags,
            ),
            key_file,
        )
    finally:
        key_file.unlink()
        benches.clear(place.session, place.region, labels.BAKE, run)


def clear(place: BakePlace) -> Iterator[Cleared]:
    """Remove what killed bakes on this target have left, run by run.

    Only of runs in this checkout whose process is gone: others may be at work. Raises
    OrchestrateError while a Packer of a killed run is still at work.
    """
    for run in history.past_runs(place.work_folder / "runs"):
        if run.command == "bake" and run.target == place.target.name and _killed(run):
            _refuse_living(run)
            yield Cleared(run.id, tuple(_clear(place, run)))
            Journal(place.work_folder / "runs" / run.id).end(KILLED)


def _killed(run: Run) -> bool:
    return run.exit_code is None and not processes.alive(run.owner)


def _refuse_living(run: Run) -> None:
    for image, record in run.stacks.items():
        if record.child and processes.alive(record.child):
            raise OrchestrateError(
                f"a Packer of {run.id}, which was killed, is still baking {image}",
                where=f"process {record.child}",
                fix="wait until it has ended, or end it with `kill -INT`; then bake again",
            )


def _clear(place: BakePlace, run: Run) -> Iterator[str]:
    told = [record.details for record in run.stacks.values() if "build" in record.details]
    recorded = place.read()
    for region in sorted({place.region, *(one["region"] for one in told)}):
        yield from benches.clear(place.session, region, labels.BAKE, run.id)
    for one in told:
        if not catalogue.find(recorded, one["build"]):
            name = names.image(place.fleet, one["build"])
            for ami in images.named(place.session, one["region"], [name]):
                images.remove(place.session, ami)
                yield f"image {name}"


def _new_key(folder: Path, run: str) -> Path:
    """A key that nobody but this run has. Ed25519: old Packers sign with RSA in a way that sshd
    no longer takes.
    """
    file = folder / KEY
    file.parent.mkdir(parents=True, exist_ok=True)
    argv = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", f"bake {run}", "-f", str(file)]
    shell.run(argv, get_it="apt-get install openssh-client")
    return file
