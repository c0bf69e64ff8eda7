"""The story of a bake: check -> decide -> build and test -> copy -> record -> promote.

Parents are baked before what is made from them, the others side by side. What an operator sees
comes through `Operator`; nothing here prints.
"""

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Protocol

from orchestrate import clock, environment
from orchestrate.aws import images
from orchestrate.aws.bench import Bench
from orchestrate.baking import choose, leftovers, publish
from orchestrate.baking.builder import Builder, Order
from orchestrate.baking.leftovers import Cleared
from orchestrate.baking.place import BakePlace, refuse_untested
from orchestrate.chef import check
from orchestrate.chef.archive import Archive
from orchestrate.errors import OrchestrateError
from orchestrate.execution import ENDED
from orchestrate.fleet import lineage
from orchestrate.images import labels, needs, revision
from orchestrate.images.catalogue import Build
from orchestrate.images.needs import Bake, Finish, Nothing, Reuse, Step
from orchestrate.images.revision import Revision
from orchestrate.runs import journal as journals
from orchestrate.runs.exit_code import exit_code
from orchestrate.runs.journal import State
from orchestrate.runs.schedule import Outcome, Result, execute
from orchestrate.shell import Stop

AT_ONCE = 4
# What the digest of the cookbooks and the node JSON come from.
COUNTS = ("chef", "fleet")

Tell = Callable[[str], None]


class Progress(Protocol):
    """Follows images; called from the threads that work on them. `ended` comes for every image."""

    def started(self, image: str) -> None: ...

    def doing(self, image: str, what: str) -> None:
        """A step begins: `Waiting for SSH to become available...`."""

    def detail(self, image: str, line: str) -> None:
        """Something that is said within a step, by Packer or by what it runs."""

    def ended(self, image: str, outcome: str) -> None: ...


class Operator(Protocol):
    """Who asked for the bake."""

    def cleared(self, what: Cleared) -> None:
        """Something that a killed bake had left was removed."""

    def planned(self, steps: Mapping[str, Step]) -> None: ...

    def progress(self) -> AbstractContextManager[Progress]: ...

    def stopping(self) -> None:
        """Ctrl-C was heard; what is at work is being ended. Called on a thread of its own."""


@dataclass(frozen=True)
class Request:
    """What the command line asks for: `images` by name, or all; `force` bakes them in any case."""

    argv: tuple[str, ...]
    images: tuple[str, ...] = ()
    everything: bool = False
    force: bool = False
    at_once: int = AT_ONCE


@dataclass(frozen=True)
class Report:
    """How a bake ended. Without `folder` there was nothing to do."""

    steps: Mapping[str, Step]
    results: Mapping[str, Result[Build]] = field(default_factory=dict)
    folder: Path | None = None
    exit_code: int = 0


def bake(place: BakePlace, request: Request, operator: Operator) -> Report:
    """Bake what needs it, copy it where it is used, and make it what new hosts start from.

    Raises OrchestrateError before anything is started where a name, a cookbook, Packer or a parent
    is wrong or missing. What goes wrong with an image is in the report.
    """
    named = choose.by_name(place.fleet.file, request.images, everything=request.everything)
    chosen = choose.with_parents(place.fleet.file, named)
    check.refuse_broken(place.root, place.fleet)
    archives = {image: place.archive(image) for image in chosen}
    refuse_untested(place.root, archives)
    with place.alone(request.argv):
        for cleared in leftovers.clear(place):
            operator.cleared(cleared)
        wanted = place.wanted(chosen, archives)
        known = place.present()
        steps = needs.decide(
            known, wanted, named if request.force else (), place.earlier(chosen, known)
        )
        if any(isinstance(step, Bake) for step in steps.values()):
            _ = place.packer  # raises where there is none, before anything is started
        operator.planned(steps)
        if all(isinstance(step, Nothing) for step in steps.values()):
            return Report(steps)
        return _Baking(place, request, operator, steps, archives).run()


class _Baking:
    """One run that has something to do."""

    def __init__(
        self,
        place: BakePlace,
        request: Request,
        operator: Operator,
        steps: Mapping[str, Step],
        archives: Mapping[str, Archive],
    ) -> None:
        self._place = place
        self._request = request
        self._operator = operator
        self._steps = steps
        self._archives = archives
        self._revision: Revision = revision.of(place.root, *COUNTS)
        self._stop = Stop()
        self._stop.on_request(operator.stopping)
        self._journal = journals.begin(
            place.work_folder / "runs",
            command="bake",
            argv=request.argv,
            target=place.target.name,
            stacks=steps,
            cloud=place.target.cloud,
        )

    def run(self) -> Report:
        """Work on all images; an error that ends the run is written down, then raised."""
        try:
            results, left = self._run()
        except OrchestrateError as error:
            self._journal.end(error.exit_code, str(error))
            raise
        code = exit_code([result.outcome for result in results.values()])
        if not left:  # else the next bake finds the run unfinished, and removes what is left
            self._journal.end(code)
        return Report(self._steps, results, self._journal.folder, code)

    def _run(self) -> tuple[dict[str, Result[Build]], list[str]]:
        if not any(isinstance(step, Bake | Reuse) for step in self._steps.values()):
            return self._execute(None), []
        folder = self._journal.folder / "bake"
        with (
            self._stop.on_signals(),
            leftovers.bench(self._place, self._journal.id, folder) as (bench, key_file),
        ):
            builder = self._builder(bench, key_file, folder)
            return self._execute(builder), builder.left

    def _builder(self, bench: Bench, key_file: Path, folder: Path) -> Builder:
        place = self._place
        return Builder(
            fleet=place.fleet,
            session=place.session,
            root=place.root,
            packer=place.packer if self._baked else None,
            environment=environment.packer(os.environ, place.target),
            bench=bench,
            key_file=key_file,
            run=self._journal.id,
            folder=folder,
            log=self._journal.log,
            stop=self._stop,
            on_start=self._journal.child,
        )

    @property
    def _baked(self) -> frozenset[str]:
        return frozenset(name for name, step in self._steps.items() if isinstance(step, Bake))

    def _execute(self, builder: Builder | None) -> dict[str, Result[Build]]:
        with self._operator.progress() as progress:

            def work(image: str) -> Build:
                progress.started(image)
                tell, detail = partial(progress.doing, image), partial(progress.detail, image)
                finish = self._finish(image, builder, tell, detail)
                return publish.publish(self._place, image, finish, tell, self._stop)

            def ended(result: Result[Build]) -> None:
                self._note(result)
                progress.ended(result.stack, self._said(result))

            at_once = self._request.at_once
            return execute(self._after(), work, slots=at_once, stop=self._stop, ended=ended)

    def _after(self) -> dict[str, frozenset[str]]:
        """What is baked waits for its parent where that is baked or tested in this run as well."""
        baked = self._place.fleet.file.baked
        made = {name for name, step in self._steps.items() if isinstance(step, Bake | Reuse)}
        return {
            image: frozenset({baked[image].parent} & made if image in self._baked else ())
            for image in self._steps
        }

    def _finish(self, image: str, builder: Builder | None, tell: Tell, detail: Tell) -> Finish:
        """What is left to do for an image once it is built."""
        step = self._steps[image]
        if isinstance(step, Nothing):
            return Finish(step.build, (), held_back=True)
        if isinstance(step, Finish):
            return step
        assert builder is not None, "there is a builder wherever something is baked or tested"
        if isinstance(step, Reuse):
            return self._reuse(image, step.build, builder, tell)
        region, order = self._place.region, self._order(image)
        self._journal.stack(image, State.BAKING, build=order.build.id, region=region)
        ami = builder.make(order, tell, detail)
        build = replace(order.build, root_device=ami.root_device, regions={region: ami.id})
        return self._recorded(image, build)

    def _recorded(self, image: str, build: Build) -> Finish:
        publish.record(self._place, image, build)
        return Finish(build, tuple(sorted(self._place.regions_of(image) - build.regions.keys())))

    def _reuse(self, image: str, build: Build, builder: Builder, tell: Tell) -> Finish:
        """Test a build that was made earlier, and write it down."""
        region, archive = self._place.region, self._archives[image]
        found = images.existing(self._place.session, build.regions.items())
        if not found:
            raise OrchestrateError(f"{build.id} went away meanwhile", where=image, fix="bake again")
        login, recipe = (
            lineage.source(self._place.fleet.file, image).user,
            self._place.recipe(image),
        )
        self._journal.stack(image, State.BAKING, reuse=build.id, region=region)
        builder.test(Order(image, build, found[0], login, archive, recipe), found[0], tell)
        return self._recorded(image, build)

    def _order(self, image: str) -> Order:
        file, archive, now = self._place.fleet.file, self._archives[image], clock.now()
        parent, source = self._place.source(image)
        build = Build(
            id=labels.build_id(image, now, secrets.token_hex(3)),
            role=archive.role,
            parent=parent,
            commit=self._revision.commit,
            dirty=self._revision.dirty,
            cookbooks=archive.digest,
            built=now,
            architecture=source.architecture,
            root_device=source.root_device,
            regions={},
        )
        login = lineage.source(file, image).user
        return Order(image, build, source, login, archive, self._place.recipe(image))

    def _note(self, result: Result[Build]) -> None:
        if result.outcome is Outcome.DONE:
            self._journal.stack(result.stack, State.BAKED, seconds=round(result.seconds, 1))
        elif result.outcome in ENDED:
            cause = str(result.error or result.because)
            self._journal.stack(result.stack, ENDED[result.outcome], cause=cause)

    def _said(self, result: Result[Build]) -> str:
        """How it went with an image, in one line; causes in full are for the end of the run."""
        if result.outcome is Outcome.SKIPPED:
            return f"skipped, because {result.because} failed"
        if not result.value:
            return str(result.outcome)
        step = self._steps[result.stack]
        if isinstance(step, Nothing):
            return f"{result.value.id} is in use already"
        held_back = isinstance(step, Finish) and step.held_back
        return f"{result.value.id}" + (" copied" if held_back else " is what new hosts start from")
