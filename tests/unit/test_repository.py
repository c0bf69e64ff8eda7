"""Rules that every committed file keeps, whoever writes it."""

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
from importlinter.cli import lint_imports

ROOT = Path(__file__).resolve().parents[2]

# Written in two halves, so that this file keeps the rule it states. A package index belongs into
# the configuration of the machine, never into the repository.
PACKAGE_INDEXES = [
    "pypi" + ".org",
    "pythonhosted" + ".org",
    "npmjs" + ".org",
    "crates" + ".io",
    "proxy.golang" + ".org",
    "rubygems" + ".org",
    "maven.apache" + ".org",
    "deb.debian" + ".org",
    "archive.ubuntu" + ".com",
]
# Folders of one machine, which another doesn't have.
MACHINE_PATHS = [r"(?<![\w.])/work/", r"(?<![\w.])/opt/tf-", r"(?<![\w.])/root/\.", r"/home/\w+/"]


def committed_files() -> list[Path]:
    """What is committed, or will be: tracked files and new ones that git does not ignore."""
    # As root in somebody else's checkout, git would otherwise refuse.
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT)]
    listed = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run([*git, *listed], capture_output=True, check=True, text=True).stdout
    files = [ROOT / name for name in names.split("\0") if name]
    return [file for file in files if file.is_file()]


def text_of(file: Path) -> str:
    return file.read_text(encoding="utf-8", errors="replace")


def places(pattern: str) -> list[str]:
    """file:line of every match in a committed file."""
    found = re.compile(pattern)
    return [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in committed_files()
        for number, line in enumerate(text_of(file).splitlines(), start=1)
        if found.search(line)
    ]


@pytest.mark.parametrize("host", PACKAGE_INDEXES)
def test_no_committed_file_names_a_package_index(host: str) -> None:
    assert places(re.escape(host)) == []


@pytest.mark.parametrize("path", MACHINE_PATHS)
def test_no_committed_file_names_a_folder_of_one_machine(path: str) -> None:
    here = str(Path(__file__).relative_to(ROOT))
    assert [place for place in places(path) if not place.startswith(here)] == []


@pytest.mark.parametrize("lock", ["Pipfile.lock", "scripts/checkov/Pipfile.lock"])
def test_a_lock_names_no_source_and_pins_every_package_by_hash(lock: str) -> None:
    content = json.loads((ROOT / lock).read_text())
    assert content.pop("_meta")["sources"] == []
    packages = {name: pin for category in content.values() for name, pin in category.items()}
    assert packages
    assert [name for name, pin in packages.items() if not pin.get("hashes")] == []
    assert [name for name, pin in packages.items() if "index" in pin] == []


def test_python_files_stay_short_enough_to_read() -> None:
    lengths = {
        str(file.relative_to(ROOT)): len(text_of(file).splitlines())
        for file in committed_files()
        if file.suffix == ".py"
    }
    assert {file: length for file, length in lengths.items() if length > 300} == {}


def test_every_module_says_what_it_is_for() -> None:
    modules = [file.relative_to(ROOT) for file in committed_files() if file.suffix == ".py"]
    program = [str(file) for file in modules if file.parts[0] != "tests"]
    assert "orchestrate/errors.py" in program
    assert [file for file in program if not re.match(r'r?"""', text_of(ROOT / file))] == []


def test_every_decision_record_is_in_the_index() -> None:
    folder = ROOT / "docs" / "adr"
    records = {file.name for file in folder.glob("[0-9]*.md")}
    assert records
    assert len({name[:4] for name in records}) == len(records)
    assert set(re.findall(r"\((\d{4}-[\w-]+\.md)\)", text_of(folder / "README.md"))) == records


def test_links_between_documents_lead_somewhere() -> None:
    broken = [
        f"{file.relative_to(ROOT)}: {link}"
        for file in committed_files()
        if file.suffix == ".md"
        for link in re.findall(r"\]\((?!\w+:|#)([^)#\s]+)", text_of(file))
        if not (file.parent / link).exists()
    ]
    assert broken == []


def test_every_make_task_is_in_the_help() -> None:
    makefile = text_of(ROOT / "Makefile")
    tasks = set(re.findall(r"^\.PHONY: (.+)$", makefile, re.MULTILINE))
    explained = set(re.findall(r"^([\w-]+):.*?## \S", makefile, re.MULTILINE))
    assert tasks
    assert tasks == explained


def test_scripts_can_be_executed() -> None:
    scripts = [*ROOT.glob("scripts/*.sh"), ROOT / "bin" / "orchestrate", ROOT / ".ci" / "run"]
    assert [str(script) for script in scripts if not os.access(script, os.X_OK)] == []


def test_the_layers_of_the_package_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert lint_imports(no_cache=True) == 0


# What would follow a link that a host's root, or whoever made an image, has laid.
FOLLOWS = re.compile(
    r"\.(write_text|write_bytes|read_text|read_bytes|touch|chown|mknod|symlink_to|hardlink_to"
    r"|copy\w*|move|rename|unlink|glob|rglob|iterdir|is_file|open)\("
)
# The files that know what is beneath a host's root.
OF_ROOTS = ["disk.py", "rootfs.py", "layers.py"]
# Their lines about what no host has ever seen: files beside a root file system, a layer's folder.
BESIDE = r"_file\(folder\)|\b(file|log|unfinished|self\.folder|kept|folder\.parent|root)\.\w+\("


@pytest.mark.parametrize("name", OF_ROOTS)
def test_what_is_beneath_a_host_s_root_is_touched_by_one_module_alone(name: str) -> None:
    program = text_of(ROOT / "orchestrate/lab" / name).splitlines()
    followed = [line.strip() for line in program if FOLLOWS.search(line)]
    assert [line for line in followed if not re.search(BESIDE, line)] == []


def test_owners_and_devices_are_given_by_one_module_alone() -> None:
    given = places(r"\b(os|shutil)\.(l?chown|fchown|mknod)\(|copytree\(.*skel")
    lab = [place for place in given if place.startswith("orchestrate/lab/")]
    # And those of control groups, which are the kernel's.
    modules = {"orchestrate/lab/beneath.py", "orchestrate/lab/cgroups.py"}
    assert {place.partition(":")[0] for place in lab} == modules
