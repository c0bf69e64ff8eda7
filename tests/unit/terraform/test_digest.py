import json
from pathlib import Path

import pytest

from orchestrate.terraform.digest import for_init, of_folder

ROOT = """\
terraform {
  backend "s3" {
    bucket = "state"
  }
}

module "network" {
  source = "../modules/network"
  zones  = ["us-west-2a"]
}
"""


def test_init_depends_on_backend_modules_and_surroundings() -> None:
    before = for_init({"main.tf": ROOT}, "Terraform 1.11.4")
    for changed in (
        ROOT.replace('"state"', '"other"'),
        ROOT.replace("modules/network", "modules/net"),
        ROOT.replace('module "network"', 'module "west"'),
    ):
        assert for_init({"main.tf": changed}, "Terraform 1.11.4") != before
    assert for_init({"main.tf": ROOT}, "Terraform 1.12.0") != before


def test_init_does_not_depend_on_values() -> None:
    more = ROOT.replace('["us-west-2a"]', '["us-west-2a", "us-west-2b"]')
    assert for_init({"main.tf": more}, "x") == for_init({"main.tf": ROOT}, "x")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder, module = tmp_path / "west", tmp_path / "modules" / "network"
    module.mkdir(parents=True)
    (module / "main.tf").write_text("# network\n")
    modules = folder / ".terraform" / "modules"
    modules.mkdir(parents=True)
    listed = [{"Key": "", "Dir": "."}, {"Key": "network", "Dir": "../modules/network"}]
    (modules / "modules.json").write_text(json.dumps({"Modules": listed}))
    (folder / "main.tf").write_text(ROOT)
    return folder


def test_a_folders_digest_covers_its_files_and_its_modules(root: Path) -> None:
    before = of_folder(root)
    assert of_folder(root) == before
    (root.parent / "modules" / "network" / "main.tf").write_text("# network, changed\n")
    after = of_folder(root)
    assert after != before
    (root / "main.tf").write_text(ROOT + "\n")
    assert of_folder(root) not in (before, after)


def test_what_terraform_leaves_behind_does_not_count(root: Path) -> None:
    before = of_folder(root)
    (root / ".terraform.lock.hcl").write_text("x")
    (root / "errored.tfstate").write_text("{}")
    assert of_folder(root) == before
