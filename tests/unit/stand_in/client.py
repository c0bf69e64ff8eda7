"""Small configurations, and clients of Chef's language run on them: the stand-in, or a real one."""

import json
import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrate import shell

CHEF = Path(__file__).parents[3] / "chef"
BATCH = Path(__file__).with_name("batch.rb")
Json = dict[str, Any]


@dataclass(frozen=True)
class Ran:
    """What the last run left; `report` is {} where there is none."""

    code: int
    output: str
    report: Json

    @property
    def updated(self) -> list[str]:
        return [f"{one['resource']} {one['action']}" for one in self.report["updated"]]


@dataclass(frozen=True)
class Workshop:
    """A folder with a configuration as it is on a host, and `here` for the recipes to write to."""

    folder: Path

    @property
    def here(self) -> Path:
        return self.folder / "here"

    @property
    def state(self) -> Path:
        return self.folder / "state"

    @property
    def configuration(self) -> Path:
        return self.state / "configuration" / "0123abcd"

    def set_up(self, case: Json) -> None:
        """Lay out the cookbooks, roles and files of a case."""
        self.here.mkdir(parents=True)
        shutil.copytree(CHEF / "client", self.configuration / "client")
        for name, role in case.get("roles", {}).items():
            path = self.configuration / "roles" / f"{name}.json"
            _write(path, json.dumps({"name": name, **role}))
        for name, files in case["cookbooks"].items():
            metadata = {"metadata.rb": f"name '{name}'\nversion '1.0.0'\n"}
            for file, text in {**metadata, **files}.items():
                _write(self.configuration / "cookbooks" / name / file, text)
        for file, text in case.get("before", {}).items():
            _write(self.here / file, text)
        node = {"run_list": case.get("run_list", ["recipe[a]"]), "here": str(self.here)}
        node |= {"orchestrate": {"role": "some"}, **case.get("node", {})}
        _write(self.state / "node.json", json.dumps(node))

    def run(self, *options: str, **environment: str) -> Ran:
        """Run converge.sh, which chooses a client as on a host."""
        script = str(self.configuration / "client" / "converge.sh")
        given = {**os.environ, "ORCHESTRATE_STATE": str(self.state), **environment}
        done = shell.run(["sh", script, *options], env=given, check=False, timeout_s=120)
        return self.left(done.code, done.stdout + done.stderr, "report.json")

    def left(self, code: int, output: str, report: str) -> Ran:
        """What a run left, with the folder's name cut out of it."""
        path = self.state / report
        text = path.read_text() if path.exists() else "{}"
        return Ran(code, output, json.loads(text.replace(f"{self.here}/", "")))


def run_many(workshops: Sequence[Workshop], cases: Sequence[Json]) -> list[Ran]:
    """Run the stand-in on each, all from one process that has loaded it."""
    for workshop, case in zip(workshops, cases, strict=True):
        how = {"runs": case.get("runs", 1), "options": options(case)}
        _write(workshop.folder / "run.json", json.dumps(how))
    folders = [str(workshop.folder) for workshop in workshops]
    ruby = ["ruby", "-W0", "--disable=error_highlight", str(BATCH), str(CHEF / "stand-in")]
    shell.run([*ruby, *folders], timeout_s=120)
    return [
        one.left(
            int((one.folder / "code").read_text()),
            (one.folder / "output").read_text(),
            "report.json.new",
        )
        for one in workshops
    ]


def options(case: Json) -> list[str]:
    return ["--why-run"] if case.get("why_run") else []


def missing() -> str:
    """Why the stand-in can't run here; "" if it can."""
    if shutil.which("ruby") is None:
        return "no ruby"
    needed = ["-rohai", "-rerubis", "-riniparse", "-e", ""]
    done = shell.run(["ruby", "-W0", *needed], check=False, timeout_s=60)
    return "" if done.code == 0 else "Debian's ohai, ruby-erubis or ruby-iniparse is not installed"


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
