"""Read the fleet files. The only part of `fleet` that touches the disk.

`read` collects every finding and goes on as far as it can, so that nobody fixes one typo a run;
`load` is for those who need a fleet that is right.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from orchestrate.errors import InvalidInput
from orchestrate.findings import Finding, Place
from orchestrate.fleet import document, rules, wording
from orchestrate.fleet.document import Document
from orchestrate.fleet.layout import misplaced, yaml_files
from orchestrate.fleet.models import Cluster, Fleet, FleetFile, Site
from orchestrate.fleet.places import Places
from orchestrate.fleet.salvage import salvage

Named = TypeVar("Named", Cluster, Site)
Parsed = TypeVar("Parsed", bound=BaseModel)


@dataclass(frozen=True)
class Reading:
    """What the files say, and everything wrong with them.

    `fleet` is None where `fleet.yaml` can't be used; otherwise it holds what could be salvaged,
    and may only be acted on where `errors` is empty.
    """

    fleet: Fleet | None
    findings: tuple[Finding, ...]
    places: Places
    cluster_files: int
    site_files: int

    @property
    def errors(self) -> tuple[Finding, ...]:
        return tuple(found for found in self.findings if found.level == "error")


def load(folder: Path) -> Fleet:
    """The fleet in `folder`, checked. Raises InvalidInput with every finding."""
    reading = read(folder)
    if reading.errors or reading.fleet is None:
        raise InvalidInput(reading.findings)
    return reading.fleet


def read(folder: Path) -> Reading:
    """Read and check `folder`; findings name files from the folder's parent on."""
    found: list[Finding] = list(misplaced(folder))
    main = _open(folder / "fleet.yaml", folder, found)
    file = _parse(main, FleetFile, found)
    clusters, cluster_places, cluster_files = _read_all(folder / "clusters", folder, Cluster, found)
    sites, site_places, site_files = _read_all(folder / "sites", folder, Site, found)
    places = Places(main, cluster_places, site_places)
    found += rules.check(file, clusters, sites, places)
    fleet = Fleet(file=file, clusters=clusters, sites=sites) if file else None
    return Reading(fleet, tuple(sorted(found)), places, cluster_files, site_files)


def _read_all(
    folder: Path, root: Path, model: type[Named], found: list[Finding]
) -> tuple[Mapping[str, Named], Mapping[str, Document], int]:
    """All of one kind, by name in order of names: what they say, and where."""
    files = yaml_files(folder)
    read = [_read_one(path, root, model, found) for path in files]
    things: dict[str, Named] = {}
    places: dict[str, Document] = {}
    # Of two files with one name, the one that is called so has it.
    for stem, text, thing in sorted(read, key=lambda one: one[2] is None or one[2].name != one[0]):
        found += _misnamed(text, stem)
        if thing is None:
            continue
        if thing.name in things:
            found.append(_twice(thing.name, text.place("name"), places[thing.name].place("name")))
        else:
            things[thing.name], places[thing.name] = thing, text
    return dict(sorted(things.items())), places, len(files)


def _read_one(
    path: Path, root: Path, model: type[Named], found: list[Finding]
) -> tuple[str, Document, Named | None]:
    text = _open(path, root, found)
    return path.stem, text, _parse(text, model, found)


def _open(path: Path, root: Path, found: list[Finding]) -> Document:
    name = str(path.relative_to(root.parent))
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        read = Document(name, findings=(Finding(Place(name), "not UTF-8", "save it as UTF-8"),))
    except OSError as error:
        fix = _how_to_read(path, error)
        what = f"can't be read: {(error.strerror or str(error)).lower()}"
        read = Document(name, findings=(Finding(Place(name), what, fix),))
    else:
        read = document.read(text, name)
    found += read.findings
    return read


def _how_to_read(path: Path, error: OSError) -> str:
    if not isinstance(error, FileNotFoundError):
        return "make it a file that you may read"
    if path.is_symlink():
        return f"it is a link to {path.readlink()}: bring that back, or remove the link"
    return "`orchestrate init` writes one"


def _parse(text: Document, model: type[Parsed], found: list[Finding]) -> Parsed | None:
    if text.data is None:
        return None
    try:
        return model.model_validate(text.data)
    except ValidationError as error:
        found += wording.findings(error, model, text)
        return salvage(text.data, model, error)


def _misnamed(text: Document, expected: str) -> Iterator[Finding]:
    name = (text.data or {}).get("name")
    if isinstance(name, str) and name != expected:
        fix = f"rename the file to {name}.yaml, or write 'name: {expected}'"
        yield Finding(text.place("name"), f"'{name}' is in a file called {expected}.yaml", fix)


def _twice(name: str, second: Place, first: Place) -> Finding:
    return Finding(second, f"'{name}' is already described in {first}", "rename one of them")
