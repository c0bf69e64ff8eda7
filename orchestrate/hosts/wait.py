"""Wait until hosts answer. How to look and to probe is given, and so is the time."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

from orchestrate.hosts.inventory import Host

# A probe mostly waits for the network; a thousand hosts are asked in waves of this many.
MOST_AT_ONCE = 32
FIRST_PAUSE, LONGEST_PAUSE, GROWTH = 0.5, 5.0, 1.5


@dataclass(frozen=True)
class Seen:
    """What was found at one time: the hosts to wait for, and how many are still to be launched."""

    hosts: Sequence[Host]
    missing: int = 0


@dataclass(frozen=True)
class Waiting:
    """Where a wait stands: who answered, who is silent, how many do not exist yet."""

    answering: Sequence[Host]
    silent: Sequence[Host]
    missing: int

    @property
    def done(self) -> bool:
        return not self.silent and not self.missing


def until_all_answer(
    look: Callable[[], Seen],
    probe: Callable[[Host], bool],
    *,
    seconds: float,
    tell: Callable[[Waiting], None] = lambda _: None,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> Waiting:
    """Look and probe until everybody has answered once or `seconds` have passed.

    Looks again each round, because a group's instances come and change while one waits. `tell`
    hears of every answer. Probes that run when the time is up are waited for.
    """
    answered: set[str] = set()
    pause, deadline = FIRST_PAUSE, clock() + seconds
    while True:
        seen = look()
        for host in _answering([host for host in seen.hosts if host.name not in answered], probe):
            answered.add(host.name)
            tell(_waiting(seen, answered))
        now = _waiting(seen, answered)
        tell(now)
        left = deadline - clock()
        if now.done or left <= 0:
            return now
        sleep(min(pause, left))
        pause = min(pause * GROWTH, LONGEST_PAUSE)


def _answering(hosts: Sequence[Host], probe: Callable[[Host], bool]) -> Iterator[Host]:
    """Those of the hosts that answer, each as soon as it has."""
    up = [host for host in hosts if host.up]
    with ThreadPoolExecutor(MOST_AT_ONCE) as pool:
        asked = {pool.submit(probe, host): host for host in up}
        yield from (asked[done] for done in as_completed(asked) if done.result())


def _waiting(seen: Seen, answered: set[str]) -> Waiting:
    return Waiting(
        answering=[host for host in seen.hosts if host.name in answered],
        silent=[host for host in seen.hosts if host.name not in answered],
        missing=seen.missing,
    )
