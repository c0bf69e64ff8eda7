"""Runs Terraform on rendered roots. The only importer of python_terraform, which spells options.

Each call streams typed events to its caller and writes them, as text for people, to the stack's
log. Secrets of the environment are taken out of what Terraform says before anyone sees it (S9).
"""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from python_terraform import IsFlagged
from python_terraform import Terraform as CommandLine

from orchestrate import shell
from orchestrate.changes import Action
from orchestrate.errors import Interrupted, TerraformError
from orchestrate.shell import Stop
from orchestrate.terraform import digest, provider_lock
from orchestrate.terraform.binary import HOW_TO_GET_IT, Engine
from orchestrate.terraform.differences import Differences, differences
from orchestrate.terraform.events import (
    Diagnostic,
    Event,
    Outputs,
    ResourceFailed,
    Summary,
    read,
)
from orchestrate.terraform.failure import failure, needs_init
from orchestrate.terraform.half_made import half_made
from orchestrate.terraform.log import Log
from orchestrate.terraform.plan import StackPlan, changes, warned
from orchestrate.terraform.root import Applied, Root
from orchestrate.terraform.secrets import hide, secrets

Follow = Callable[[Event], None]

# Beside Terraform's own notes; holds the digest of what the last init was made for.
INIT_NOTE = Path(".terraform") / "orchestrate.init"
# `plan -detailed-exitcode`: 0 nothing to do, 1 error, 2 changes.
CHANGES = 2


@dataclass(frozen=True)
class _Ended:
    code: int
    events: tuple[Event, ...]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        return tuple(event for event in self.events if isinstance(event, Diagnostic))


def _ignore(_event: Event) -> None:
    pass


def _noted(note: Path) -> str:
    try:
        return note.read_text()
    except OSError:
        return ""


class Terraform:
    """An engine with the environment its processes get. One serves all stacks of a run, from
    several threads at once; a root must not be used by two threads at the same time.

    Every method raises what `failure.failure` decides when terraform fails (TerraformError,
    StateLocked, AwsError, MissingTool, StalePlan), and Interrupted once `stop` was requested.
    `lock_timeout_s` is how long to wait for a state that is locked. `on_start` is told a stack
    before each of its processes starts, with None, and then with the process's number. `checksums`
    is the lock file that `init` holds the provider against (`provider_lock`).
    """

    def __init__(
        self,
        engine: Engine,
        environment: Mapping[str, str],
        stop: Stop,
        *,
        lock_timeout_s: int = 20,
        on_start: Callable[[str, int | None], None] = lambda _stack, _pid: None,
        checksums: str = "",
    ) -> None:
        self._engine = engine
        self._provider_lock = checksums
        self._environment = dict(environment)
        self._secrets = secrets(environment)
        self._stop = stop
        self._lock_timeout = f"{lock_timeout_s}s"
        self._on_start = on_start
        # It looks for a state file where it is told to work; there must be none to read.
        self._spell = CommandLine(working_dir="/dev/null").generate_cmd_string

    def init(self, root: Root, follow: Follow = _ignore, *, again: bool = False) -> bool:
        """Prepare a root's folder: backend, modules, provider. Whether there was anything to do.

        Nothing is done where the last init was for the same backend, modules, engine and provider
        configuration, unless `again`. The provider must have the committed checksums.
        """
        note, wanted = root.folder / INIT_NOTE, self._init_digest(root)
        if not again and _noted(note) == wanted:
            return False
        note.unlink(missing_ok=True)
        # What an earlier init chose counts no more, and may be gone.
        lock_file = root.folder / provider_lock.NAME
        lock_file.write_text(self._provider_lock)
        self._do(root, follow, "init", reconfigure=IsFlagged)
        lock_file.write_text(provider_lock.without_checksums(lock_file.read_text()))
        note.parent.mkdir(exist_ok=True)
        note.write_text(wanted)
        return True

    def plan(
        self,
        root: Root,
        out: Path,
        follow: Follow = _ignore,
        *,
        destroy: bool = False,
        only: Sequence[str] = (),
        details: bool = False,
    ) -> StackPlan:
        """Plan a root (initialising it first where needed) and save the plan as `out`, in a folder
        that is there.

        With `destroy`, a plan that removes everything; with `only`, one of these addresses; with
        `details`, what each change changes.
        """
        self.init(root, follow)
        ended = self._plan_once(root, out, follow, destroy, only)
        if ended.code == 1 and needs_init(ended.diagnostics):
            self.init(root, follow, again=True)
            ended = self._plan_once(root, out, follow, destroy, only)
        self._check(root, ended, fine=(0, CHANGES))
        found = changes(root.stack, ended.events)
        warnings = warned(ended.diagnostics, targeted=bool(only))
        plan = StackPlan(root.stack, found, ended.code == 0, warnings)
        return self.detailed(root, out, plan) if details else plan

    def detailed(self, root: Root, file: Path, plan: StackPlan) -> StackPlan:
        """The plan saved in `file` with what each change changes, if there is any to show."""
        if all(change.action is Action.DESTROY for change in plan.changes):
            return plan
        return replace(plan, differences=self.show(root, file))

    def show(self, root: Root, plan: Path) -> Differences:
        """What a saved plan of the root changes, attribute by attribute.

        Costs as much as the provider takes to tell its schema, some 5 s: it alone knows which
        attributes are sensitive, so the plan file isn't read in its stead.
        """
        self.init(root)
        said = root.log.with_suffix(".shown")
        said.touch(mode=0o600)  # values of all kinds pass through it
        try:
            argv = [
                *self._engine.argv,
                *self._spell("show", str(plan.absolute()), json=IsFlagged)[1:],
            ]
            with closing(Log(root.log)) as log:
                log.begin(argv)
            child = shell.start(argv, said, stop=self._stop, cwd=root.folder, env=self._environment)
            try:
                lines = [hide(line, self._secrets) for line in child.lines()]
            except BaseException:
                child.interrupt()
                raise
            finally:
                code = child.wait()
        finally:
            said.unlink(missing_ok=True)
        self._check(root, _Ended(code, tuple(filter(None, map(read, lines if code else ())))))
        try:
            return differences(json.loads("\n".join(lines)))
        except ValueError as problem:
            what = f"terraform show told no plan ({problem})"
            raise TerraformError(what, where=root.stack, fix=f"see {root.log}") from problem

    def apply(self, root: Root, plan: Path, follow: Follow = _ignore) -> Applied:
        """Apply exactly the saved plan, destroying or not as it says. Its root is initialised."""
        self.init(root, follow)
        ended = self._do(root, follow, "apply", plan.absolute(), lock_timeout=self._lock_timeout)
        done = next((each for each in ended.events if isinstance(each, Summary)), None)
        outputs = next((each for each in ended.events if isinstance(each, Outputs)), None)
        counted = (done.add, done.change, done.remove) if done else (0, 0, 0)
        return Applied(root.stack, *counted, outputs.values if outputs else {})

    def untaint(self, root: Root, addresses: Sequence[str], follow: Follow = _ignore) -> None:
        """Take the mark of the half-made off resources, one after the other: the next plan compares
        them with what they should be, and completes them instead of making others.
        """
        self.init(root, follow)
        for address in addresses:
            # It knows neither -json nor -input.
            argv = self._spell("untaint", address, lock_timeout=self._lock_timeout)[1:]
            self._check(root, self._run(root, [*self._engine.argv, *argv], follow))

    def bring_in(self, root: Root, address: str, id_: str, follow: Follow = _ignore) -> None:
        """Take a resource that exists into the state: `terraform import`."""
        self.init(root, follow)
        options = {"input": False, "no_color": IsFlagged, "lock_timeout": self._lock_timeout}
        argv = [*self._engine.argv, *self._spell("import", address, id_, **options)[1:]]
        self._check(root, self._run(root, argv, follow))

    def _plan_once(
        self, root: Root, out: Path, follow: Follow, destroy: bool, only: Sequence[str]
    ) -> _Ended:
        argv = self._argv(
            "plan",
            out=out.absolute(),
            detailed_exitcode=IsFlagged,
            destroy=IsFlagged if destroy else None,
            target=list(only) or None,
            lock_timeout=self._lock_timeout,
        )
        return self._run(root, argv, follow)

    def _do(
        self, root: Root, follow: Follow, command: str, *args: object, **options: object
    ) -> _Ended:
        ended = self._run(root, self._argv(command, *args, **options), follow)
        self._check(root, ended)
        return ended

    def _argv(self, command: str, *args: object, **options: object) -> list[str]:
        options = {"json": IsFlagged, "input": False, **options}
        spelled = self._spell(command, *map(str, args), **options)
        return [*self._engine.argv, *spelled[1:]]

    def _run(self, root: Root, argv: list[str], follow: Follow) -> _Ended:
        """Start one terraform, hand on and log what it says until it ends."""
        events = []
        stream = root.log.with_suffix(".stream")
        with closing(Log(root.log)) as log:
            log.begin(argv)
            self._on_start(root.stack, None)
            child = shell.start(
                argv,
                stream,
                stop=self._stop,
                cwd=root.folder,
                env=self._environment,
                get_it=HOW_TO_GET_IT,
            )
            self._on_start(root.stack, child.pid)
            try:
                for line in child.lines():
                    event = read(hide(line, self._secrets))
                    if isinstance(event, ResourceFailed) and self._stop.requested:
                        event = replace(event, given_up=True)
                    if event is not None:
                        events.append(event)
                        log.write(event)
                        follow(event)
            except BaseException:
                child.interrupt()
                raise
            finally:
                code = child.wait()
            log.end(shell.ended(code) if code not in (0, CHANGES) else "")
        stream.unlink()
        return _Ended(code, tuple(events))

    def _check(self, root: Root, ended: _Ended, fine: tuple[int, ...] = (0,)) -> None:
        if ended.code in fine:
            return
        if self._stop.requested:
            cut_off = half_made(ended.events)
            raise Interrupted(
                "interrupted", where=root.stack, fix=f"see {root.log}", half_made=cut_off
            )
        how = shell.ended(ended.code)
        raise failure(root.stack, ended.events, root.log, how, root.region)

    def _init_digest(self, root: Root) -> str:
        roots = (file for file in root.folder.iterdir() if file.suffix == ".tf")
        texts = {file.name: file.read_text() for file in roots}
        config = self._environment.get("TF_CLI_CONFIG_FILE", "")
        return digest.for_init(texts, str(self._engine), config, self._provider_lock)
