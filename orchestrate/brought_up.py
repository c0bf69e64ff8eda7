"""What bringing up hosts asks for, shows on its way, and comes to. Pure data and protocols."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from orchestrate.hosts.results import Results
from orchestrate.hosts.strangers import Stranger
from orchestrate.hosts.wait import Waiting
from orchestrate.verify.verdicts import Verdicts

if TYPE_CHECKING:
    from orchestrate.converge import Observer as ConvergeObserver
    from orchestrate.verify.run import Observer as VerifyObserver

Waits = Callable[[Waiting], None]


@dataclass(frozen=True)
class Wanted:
    """What is asked for: `since` is when the run began, `who` is whose it is, for people on the
    hosts; `seconds` is how long to wait for hosts to boot. `agreed` are the hosts in use that may
    be converged, None: all that differ.
    """

    since: datetime
    converge: bool = True
    verify: bool = True
    seconds: float = 600.0
    who: str = "orchestrate"
    agreed: frozenset[str] | None = None


class Watcher(Protocol):
    """Who started the run, while hosts are brought up."""

    def waiting(self) -> AbstractContextManager[Waits]:
        """What is given hears how the wait for hosts goes, at every change."""

    def converging(self, hosts: int) -> AbstractContextManager[ConvergeObserver]: ...

    def verifying(self, hosts: int) -> AbstractContextManager[VerifyObserver]: ...


@dataclass(frozen=True)
class BroughtUp:
    """How the hosts of a run ended.

    `current` are those that needed nothing, `declined` those in use that differ and that nobody
    agreed to converge; `skipped` says by host why nothing was to be done. `converged` and
    `verified` are None where there was no host to do it to, or it wasn't asked for. `first_keys`
    are the hosts whose key was taken as it came, `strangers` the instances that are no hosts
    because of what their tags say.
    """

    waited: Waiting
    current: Sequence[str] = ()
    declined: Sequence[str] = ()
    skipped: Mapping[str, str] = field(default_factory=dict)
    converged: Results | None = None
    verified: Verdicts | None = None
    first_keys: Sequence[str] = ()
    interrupted: bool = False
    strangers: Sequence[Stranger] = ()

    @property
    def well(self) -> bool:
        """Whether every host that exists answers, is as it should be, and passed its tests.

        A host that AWS hasn't launched yet is no fault of this run.
        """
        return (
            not self.waited.silent
            and (self.converged is None or self.converged.well)
            and (self.verified is None or self.verified.ok)
        )
