"""What a host keeps of its converges: for root alone to change, and what it was told to read."""

from tests.infra.facts import Host

STATE = "/var/lib/orchestrate"


def test_nobody_but_root_changes_what_a_converge_runs_or_reads(host: Host) -> None:
    others = f"find {STATE} /etc/nftables.d ! -type l \\( ! -user root -o -perm /022 \\)"
    assert host.check_output(others) == ""


def test_what_a_host_was_told_and_what_it_reported_is_roots_to_read(host: Host) -> None:
    files = " ".join(f"{STATE}/{name}.json" for name in ("node", "report", "converged"))
    modes = host.run(f"stat -c %a {files}").stdout.split()
    assert set(modes) <= {"600"}
    assert modes != []
