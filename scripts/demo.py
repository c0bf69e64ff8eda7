"""The main job from nothing: the lab, images, one cluster, a site's racks. `make demo`

    python scripts/demo.py [WITHOUT...]

WITHOUT is what to leave out, of `images` and `racks`. At a terminal it is asked for; elsewhere, and
where it is given, nothing is asked. What can go on beside the cluster does, with its output in
files, which are named where it begins and shown where it fails.
"""

import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import IO

ROOT = Path(__file__).resolve().parents[1]
LOGS = ROOT / ".orchestrate" / "demo"
CLUSTER, SITE = "cluster-us-west", "site-sf"
BAKE = ("bake", "base", "ssh-node", "cpu-worker")
# What may be left out, and about how long it takes on two idle cores.
PARTS = {
    "images": "bake what hosts start from: half a minute, two the first time",
    "racks": f"converge and verify the five racks of {SITE}: a minute and a half, beside the rest",
}
WHOLE = "two minutes and ten seconds on two idle cores; four minutes where images are to be baked"
NEXT = {
    "status": "every stack, and what is applied",
    "graph": "the fleet's networks, as an outline (--open: a picture)",
    f"ssh bastion.{CLUSTER}": "log in to a host",
    "images list": "what was baked, of what, and who uses it",
    "plan --all": "what the other clusters would add",
    "lab down": "stop the lab, leave nothing behind",
}
ON_HOSTS = ("ssh", "images")

Seconds = dict[str, float]
# Ctrl-C reaches the commands as well, and they end in order: it must not end us before them.
STOP = threading.Event()


def main(without: Sequence[str]) -> int:
    """Run the demo; 0 if all of it went well."""
    if unknown := set(without) - PARTS.keys():
        say(f"there is no {', '.join(sorted(unknown))} to leave out; WITHOUT is of {list(PARTS)}")
        return 64
    say(f"Starts a lab, applies {CLUSTER}, converges and verifies its hosts. About {WHOLE}.")
    say("\n".join(f"  {part:7} {what}" for part, what in PARTS.items()))
    left_out = set(without) or ask()
    if left_out:
        say(f"left out: {', '.join(sorted(left_out))}")
    took: Seconds = {}
    begun = time.monotonic()
    before = signal.signal(signal.SIGINT, lambda *_: STOP.set())
    try:
        code = demo(left_out, took)
    except KeyboardInterrupt:
        say("\ninterrupted; `make demo` goes on from here, `bin/orchestrate lab down` ends the lab")
        return 130
    finally:
        signal.signal(signal.SIGINT, before)
    say("\n" + table(took, time.monotonic() - begun))
    return code


def ask() -> set[str]:
    """What a person at a terminal wants left out; nothing where there is nobody to ask."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return set()
    while True:
        words = input("Leave anything out? [nothing] ").replace(",", " ").split()
        if not words or words == ["nothing"]:
            return set()
        if set(words) <= PARTS.keys():
            return set(words)
        say(f"one or more of: {' '.join(PARTS)}")


def demo(left_out: set[str], took: Seconds) -> int:
    """The steps, one after the other but for what goes on beside them; the exit code."""
    for command in (("lab", "up"), ("bootstrap",)):
        if code := step(command, took):
            return code
    hosts = has_hosts()
    beside = []
    if hosts and "racks" not in left_out:
        racks = (("converge", SITE), ("verify", SITE))
        beside.append(Beside("racks", racks, took))
    code = cluster("images" not in left_out and hosts, took)
    failed = [one.name for one in beside if not one.well()]
    if not hosts:
        say("\nLeft out, as this lab has the AWS API alone: images, and all that happens on hosts.")
    if not code and not failed:
        say(f"\nThe cluster stands. Try next:\n{suggestions(hosts)}")
    return code or len(failed)


def cluster(images: bool, took: Seconds) -> int:
    """Bake, and apply what every cluster needs meanwhile; then the cluster."""
    if images:
        shared = Beside("global", [("apply", "global", "--yes")], took)
        code = step(BAKE, took)
        if not shared.well() or code:
            return code or 1
    return step(("apply", CLUSTER, "--yes"), took)


class Beside:
    """Commands that run one after the other beside others, their output in a file."""

    def __init__(self, name: str, commands: Sequence[tuple[str, ...]], took: Seconds) -> None:
        LOGS.mkdir(parents=True, exist_ok=True)
        self.name = name
        self.log = LOGS / f"{name}.log"
        self._code = 0
        self._thread = threading.Thread(target=self._run, args=(commands, took))
        self._thread.start()
        words = ", then ".join(" ".join(one) for one in commands)
        say(f"\nbeside the rest: {words}\n  follow it with: tail -f {self.log}")

    def well(self) -> bool:
        """Whether all went well, once it has ended; shows the log where it did not."""
        if self._thread.is_alive():
            say(f"\nwaiting for the {self.name} ...")
        self._thread.join()
        text = self.log.read_text(errors="replace")
        say(f"\n{self.name}:\n{text if self._code else last_table(text)}")
        return not self._code

    def _run(self, commands: Sequence[tuple[str, ...]], took: Seconds) -> None:
        with self.log.open("w") as log:
            for command in commands:
                log.write(f"$ bin/orchestrate {' '.join(command)}\n")
                log.flush()
                self._code = timed(f"{' '.join(command)} (beside)", took, command, log)
                if self._code or STOP.is_set():
                    return


def step(command: tuple[str, ...], took: Seconds) -> int:
    """Run a command of orchestrate with its output here; its exit code."""
    say(f"\n\033[1m$ bin/orchestrate {' '.join(command)}\033[0m")
    code = timed(" ".join(command), took, command)
    if STOP.is_set():
        raise KeyboardInterrupt
    return code


def timed(name: str, took: Seconds, command: Sequence[str], log: IO[str] | None = None) -> int:
    begun = time.monotonic()
    nobody = subprocess.DEVNULL if log else None
    done = subprocess.run(
        argv(command), check=False, cwd=ROOT, stdin=nobody, stdout=log, stderr=log
    )
    took[name] = time.monotonic() - begun
    return done.returncode


def argv(command: Sequence[str]) -> list[str]:
    return [str(ROOT / "bin" / "orchestrate"), *command]


def has_hosts() -> bool:
    """Whether the lab has real hosts, or an AWS API alone."""
    status = subprocess.run(
        argv(["lab", "status", "--json"]), check=True, cwd=ROOT, stdout=subprocess.PIPE
    )
    return bool(json.loads(status.stdout)["real_hosts"])


def last_table(log: str) -> str:
    """The last paragraph of a log: how it ended, host by host."""
    return log.rstrip().rpartition("\n\n")[2]


def suggestions(hosts: bool) -> str:
    """What to try next, of what this lab can do."""
    able = {one: what for one, what in NEXT.items() if hosts or not one.startswith(ON_HOSTS)}
    return "\n".join(f"  bin/orchestrate {one:29} {what}" for one, what in able.items())


def table(took: Seconds, whole: float) -> str:
    """How long each step took."""
    rows = [*took.items(), ("the whole", whole)]
    return "\n".join(f"  {name:36} {seconds:5.0f} s" for name, seconds in rows)


def say(text: str) -> None:
    print(text, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
