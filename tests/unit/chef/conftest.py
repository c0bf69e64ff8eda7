"""A folder of Chef's files, small enough to see at once."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[str, str], Path]


@pytest.fixture
def chef(tmp_path: Path) -> Path:
    """`chef/` with the roles base and worker and the cookbooks base and disks."""
    folder = tmp_path / "chef"
    files = {
        "roles/base.json": _role("base", "recipe[base]"),
        "roles/worker.json": _role("worker", "role[base]", "recipe[disks::scratch]"),
        "cookbooks/base/metadata.rb": "name 'base'\nversion '1.0.0'\n",
        "cookbooks/base/recipes/default.rb": "log 'hello'\n",
        "cookbooks/disks/metadata.rb": "name 'disks'\ndepends 'mounts', '~> 1.0'\n",
        "cookbooks/disks/recipes/scratch.rb": "directory '/scratch'\n",
        "cookbooks/mounts/metadata.rb": "name 'mounts'\nversion '1.0.0'\n",
        "cookbooks/mounts/templates/unit.erb": "<% if @on -%>\non\n<% end -%>\n",
        "cookbooks/unused/metadata.rb": "name 'unused'\nversion '1.0.0'\n",
        "client/converge.sh": "#!/bin/sh\n",
        "stand-in/bin/stand-in": "#!/usr/bin/ruby\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "client/converge.sh").chmod(0o755)
    return folder


@pytest.fixture
def write(chef: Path) -> Write:
    """Write one more file below `chef/`."""

    def write_one(name: str, text: str) -> Path:
        path = chef / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return write_one


def _role(name: str, *run_list: str) -> str:
    return json.dumps({"name": name, "run_list": run_list})
