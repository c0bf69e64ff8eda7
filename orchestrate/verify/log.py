"""A host's log: every test, and all there is to know of those that failed."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from orchestrate.verify.verdicts import Case, Outcome, Verdict


def write_log(folder: Path, verdict: Verdict) -> Verdict:
    """Write `folder`/HOST.log; the verdict knows then where it is."""
    if not verdict.tests and not verdict.unreachable:
        return verdict
    path = folder / f"{verdict.host}.log"
    path.write_text("\n".join(lines(verdict)) + "\n", encoding="utf-8", errors="replace")
    return replace(verdict, log=path)


def lines(verdict: Verdict) -> Iterator[str]:
    """What the log says, a line each; some have line ends inside."""
    yield f"{verdict.host}: {verdict.state}, {len(verdict.tests)} tests in {verdict.seconds:.1f} s"
    if verdict.unreachable:
        yield f"unreachable: {verdict.unreachable}"
    for test in verdict.tests:
        yield _line(test)
    for test in verdict.failures:
        yield f"\n=== {test.suite}: {test.name} ({test.where})"
        yield from filter(None, (test.details, test.commands))


def _line(test: Case) -> str:
    why = f": {test.message}" if test.outcome is Outcome.SKIPPED and test.message else ""
    return f"  {test.outcome:<8} {test.suite}: {test.name}  {test.seconds:.2f} s{why}"
