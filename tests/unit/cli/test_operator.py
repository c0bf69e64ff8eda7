"""What somebody at a terminal is told when he presses Ctrl-C."""

import pytest

from orchestrate.cli.operator import Terminal


@pytest.mark.parametrize("converging", [False, True], ids=["Terraform alone", "hosts as well"])
def test_that_hosts_can_be_left_is_said_where_some_are_at_work(
    capsys: pytest.CaptureFixture[str], converging: bool
) -> None:
    terminal = Terminal("lab")
    if converging:
        terminal.converging(3)
    terminal.stopping()
    said = capsys.readouterr().err
    assert "waiting for what is at work" in said
    assert ("Ctrl-C again leaves the hosts" in said) is converging
