"""Which Packer is used, what it is given, and what is made of what it says."""

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from orchestrate.errors import CommandFailed, Interrupted, MissingTool, OrchestrateError
from orchestrate.images import packer, template
from orchestrate.images.packer import Packer
from orchestrate.images.packer_output import Artifact, Line, parse
from orchestrate.images.template import Content, Labels, Place, Source
from orchestrate.plain_text import is_word
from orchestrate.shell import Stop
from tests.hostile import HOSTILE

SAID = """\
1796002890,,version,1.6.6
1796002890,,ui,say,==> amazon-ebs.image: Creating AMI deeplab-base%!(PACKER_COMMA) from i-1
1796002890,,ui,message,    amazon-ebs.image: one\\n    amazon-ebs.image: two
1796002890,,ui,error,==> amazon-ebs.image: it broke
1796002890,,ui,say,\\n==> Wait completed after 2 minutes
1796002890,,ui,say,
1796002890,amazon-ebs.image,artifact,0,builder-id,mitchellh.amazonebs
1796002890,amazon-ebs.image,artifact,0,id,us-west-2:ami-0abc
panic: something
"""
OLD, NEW = Packer("packer", (1, 6, 6)), Packer("packer", (1, 11, 2))


def fake(folder: Path, text: str) -> dict[str, str]:
    """An environment whose Packer is this script."""
    file = folder / "packer"
    file.write_text(f"#!/bin/sh\n{text}\n")
    file.chmod(0o755)
    return {packer.VARIABLE: str(file), "PATH": "/usr/bin:/bin"}


def test_its_lines_are_steps_details_errors_and_the_ami() -> None:
    assert [found for line in SAID.splitlines() if (found := parse(line))] == [
        Line("say", "Creating AMI deeplab-base, from i-1"),
        Line("message", "one\ntwo"),
        Line("error", "it broke"),
        Line("message", "==> Wait completed after 2 minutes"),
        Artifact("us-west-2", "ami-0abc"),
        Line("message", "panic: something"),
    ]


def test_why_a_build_failed_is_its_first_error_and_what_came_before() -> None:
    said = [Line("message", f"line {number}") for number in range(20)]
    told = packer.why([*said, Line("error", "first"), Line("error", "again")]).splitlines()
    assert told[-2:] == ["line 19", "first"]
    assert len(told) == 13
    assert packer.why([Line("message", "panic")]) == "panic"


@pytest.mark.parametrize(
    ("script", "problem"),
    [
        ("echo Packer v1.5.6", "too old"),
        # cracklib's, which reads words and prints numbers.
        ("echo 0 0", "not HashiCorp's Packer"),
    ],
)
def test_a_packer_that_will_not_do_is_refused(tmp_path: Path, script: str, problem: str) -> None:
    with pytest.raises(MissingTool, match=problem):
        packer.find(fake(tmp_path, script))


def test_a_missing_packer_is_told_with_how_to_get_it() -> None:
    with pytest.raises(MissingTool) as refused:
        packer.find({"PATH": "/nowhere"})
    assert "apt-get install packer" in refused.value.fix


def test_the_named_packer_is_used(tmp_path: Path) -> None:
    environment = fake(tmp_path, "echo Packer v1.11.2; echo; echo Your version is out of date")
    assert packer.find(environment).version == (1, 11, 2)


def test_only_a_packer_with_plugins_is_asked_for_one() -> None:
    old, new = template.render(OLD), template.render(NEW)
    assert "required_plugins" not in old
    assert "metadata_options" not in old
    assert f'version = "{template.PLUGIN}"' in new
    assert 'http_tokens                 = "required"' in new


def test_values_are_data_and_reach_no_template(tmp_path: Path) -> None:
    folder = tmp_path / "base"
    template.write(
        folder,
        OLD,
        Labels("base-1", "${oops}", {"fleet": "deeplab"}, {}),
        Source("ami-1", "/dev/xvda", 8, "admin", "t3.large"),
        Place("us-west-2", "subnet-1", "sg-1", "k", Path("key")),
        Content(b"data", "d" * 64, "{}", {"A": "b"}, ["python", "-m", "a b"]),
    )
    assert (folder / "image.pkr.hcl").read_text() == template.render(OLD)
    values = (folder / "image.auto.pkrvars.json").read_text()
    assert '"description": "${oops}"' in values
    assert '"check": "python -m \'a b\'"' in values
    assert '"encrypted": true' in values


def build(
    tmp_path: Path, script: str, stop: Stop, on_line: Callable[[Line], None] = lambda _: None
) -> str:
    (tmp_path / "folder").mkdir()
    path = fake(tmp_path, script)[packer.VARIABLE]
    return packer.build(
        Packer(path, (1, 6, 6)),
        tmp_path / "folder",
        tmp_path / "output",
        env={"PATH": "/usr/bin:/bin"},
        stop=stop,
        on_start=lambda _: None,
        on_line=on_line,
    )


def test_a_build_is_its_ami(tmp_path: Path) -> None:
    told = "echo '1,a,artifact,0,id,us-west-2:ami-0abc'"
    assert build(tmp_path, told, Stop()) == "ami-0abc"


def test_a_failed_build_says_why(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match="no space left"):
        build(tmp_path, "echo '1,,ui,error,==> amazon-ebs.image: no space left'; exit 1", Stop())


# As Packer: the first process only waits, and leaves it to the terminal to interrupt the second.
TWO_PROCESSES = """
import signal, subprocess, sys
worker = "import time; print('ready', flush=True); time.sleep(30)"
child = subprocess.Popen([sys.executable, "-c", worker])
signal.signal(signal.SIGINT, lambda *_: None)
sys.exit(child.wait())
"""


def test_an_interrupt_reaches_the_process_that_works(tmp_path: Path) -> None:
    stop = Stop()
    script = tmp_path / "packer.py"
    script.write_text(TWO_PROCESSES)
    with pytest.raises(Interrupted):
        build(tmp_path, f"exec {sys.executable} {script}", stop, lambda _: stop.request())


@pytest.mark.parametrize("said", HOSTILE.values(), ids=HOSTILE)
def test_packer_is_told_no_template_and_no_login_that_is_a_command(said: str) -> None:
    for values in ({"description": said}, {"tags": {"why": said}}, {"login": said}):
        try:
            template.check(values)
        except OrchestrateError as refused:
            assert "Packer can't be told" in refused.what
            assert refused.what.isprintable()
        else:
            assert "{{" not in said
            assert "login" not in values or is_word(said)
