"""Start and stop a lab. The daemon does the work; this waits for it and cleans up after it."""

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

from orchestrate import environment, shell
from orchestrate.errors import LabError
from orchestrate.lab import own_folder, record, secret, slots
from orchestrate.lab.paths import FOLDER_VARIABLE, LabFiles
from orchestrate.lab.record import MAX_HOSTS, LabRecord, birth

PROGRAM = Path(__file__).parents[2]
LOOK_EVERY_S = 0.05
PATIENCE_S = 90.0  # for a daemon to take its hosts down before it is killed
Progress = Callable[[str], None]


def up(
    files: LabFiles, hosts: bool, progress: Progress, max_hosts: int = MAX_HOSTS
) -> tuple[LabRecord, bool]:
    """The running lab, and whether it was started now. `progress` gets each new stage.

    Where hosts cannot be had the lab goes on with the API alone, and the record says why.
    Raises LabError when the daemon does not come up, or the folder is not ours alone.
    """
    own_folder.make(files)
    present = record.read(files.record)
    if present and present.alive:
        return _until_ready(files, present.pid, progress), False
    _ensure_key(files)
    secret.ensure(files)
    own_folder.write(files.aws_config, "[default]\n")
    arguments = [f"--max-hosts={max_hosts}", *_hosts_arguments(hosts)]
    lab = _until_ready(files, _spawn(files, arguments), progress)
    return lab, True


def _ensure_key(files: LabFiles) -> None:
    if not files.public_key.exists():
        from orchestrate.lab.keys import make_operator_key

        make_operator_key(files)


def _hosts_arguments(hosts: bool) -> list[str]:
    if not hosts:
        return ["--no-hosts", "asked for with --no-hosts"]
    from orchestrate.lab.hosts import missing

    why = missing()
    return ["--no-hosts", why] if why else []


def _spawn(files: LabFiles, arguments: list[str]) -> int:
    daemon = shell.start(
        # -P: the folder one happens to be in must not shadow the program's own modules.
        [sys.executable, "-P", "-m", "orchestrate.lab.daemon", *arguments],
        files.log,
        stop=shell.Stop(),
        # It finds this very program, installed or not.
        env={**environment.lab(os.environ, PROGRAM), FOLDER_VARIABLE: str(files.folder)},
    )
    return daemon.pid


def _until_ready(files: LabFiles, pid: int, progress: Progress) -> LabRecord:
    stage = ""
    while True:
        lab = record.read(files.record)
        if lab and lab.alive:
            if lab.ready:
                return lab
            if lab.stage != stage:
                stage = lab.stage
                progress(stage)
        elif not birth(pid):
            raise LabError(
                f"the lab's daemon ended while {stage or 'starting'}:\n{_last_words(files)}",
                where=str(files.folder),
                fix="see `orchestrate lab logs`",
            )
        time.sleep(LOOK_EVERY_S)


def _last_words(files: LabFiles) -> str:
    try:
        return shell.tail(files.log.read_text(errors="replace"))
    except FileNotFoundError:
        return "it left no log"


def down(files: LabFiles, progress: Progress, keep: bool = False) -> bool:
    """Stop the daemon and remove all that is the lab's but its log; False when there was none.

    With `keep` the next `up` finds what the API holds and the hosts' disks as they are now.

    What a killed daemon left behind is removed as well. Raises LabError when it isn't ours.
    """
    own_folder.check(files)
    lab = record.read(files.record)
    if lab is None:
        return False if keep else _forget(files)
    if lab.alive:
        _end(lab, progress)
    if files.record.exists():
        progress("removing what a killed daemon left behind")
        _sweep(lab, files)
    for file in (files.record, files.aws_config, files.lock):
        file.unlink(missing_ok=True)
    if not keep:
        _forget(files)
    return True


def _forget(files: LabFiles) -> bool:
    """Remove what a next lab would find of this one; whether there was a cloud."""
    kept = files.cloud.exists()
    for file in (files.cloud, files.cloud_id, files.sites):
        file.unlink(missing_ok=True)
    for file in (files.secret, files.identity, files.public_key):
        file.unlink(missing_ok=True)
    for folder in files.disks:
        shutil.rmtree(folder, ignore_errors=True)
    return kept


def _end(lab: LabRecord, progress: Progress) -> None:
    progress("asking the daemon to take everything down")
    _signal(lab, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE_S
    while lab.alive and time.monotonic() < deadline:
        time.sleep(LOOK_EVERY_S)
    if lab.alive:
        progress("the daemon does not end; killing it")
        _signal(lab, signal.SIGKILL)
        while lab.alive:
            time.sleep(LOOK_EVERY_S)


def _signal(lab: LabRecord, number: signal.Signals) -> None:
    try:
        os.kill(lab.pid, number)
    except ProcessLookupError:
        return
    except PermissionError as error:
        raise LabError(
            f"the lab's daemon (pid {lab.pid}) belongs to another user", fix="use sudo"
        ) from error


def _sweep(lab: LabRecord, files: LabFiles) -> None:
    if not lab.hosts:
        return
    from orchestrate.lab.hosts import Hosts

    # Whoever holds the slot by now has swept it, and what is there is theirs.
    with slots.claimed(lab.slot) as mine:
        if mine:
            Hosts(lab.slot, files.folder).sweep(keep_disks=True)
