"""Chef's roles: `chef/roles/NAME.json`, as Chef itself reads them."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path, PurePath

from orchestrate.content import counts
from orchestrate.errors import OrchestrateError

# docs.chef.io/run_lists: `role[name]`, `recipe[cookbook]` or `recipe[cookbook::recipe]`.
_ITEM = re.compile(r"(?P<kind>role|recipe)\[(?P<name>[\w-]+)(?:::(?P<recipe>[\w-]+))?\]")


@dataclass(frozen=True)
class Role:
    """One role with all roles below it; `cookbooks` in the order of the run list."""

    name: str
    roles: tuple[str, ...]
    cookbooks: tuple[str, ...]


def names(chef: Path) -> list[str]:
    """The roles there are, sorted."""
    files = (chef / "roles").glob("*.json")
    return sorted(path.stem for path in files if counts(PurePath(path.name)))


def load(chef: Path, name: str) -> Role:
    """The role and what it stands for; `chef` is the folder with cookbooks and roles.

    Raises OrchestrateError for an unknown role or cookbook, a circle, or a file that isn't a role.
    """
    roles: list[str] = []
    cookbooks: list[str] = []
    for kind, item in _expand(chef, name, ()):
        found = roles if kind == "role" else cookbooks
        if item not in found:
            found.append(item)
    return Role(name, tuple(roles), tuple(cookbooks))


def _expand(chef: Path, name: str, above: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    if name in above:
        raise OrchestrateError(
            f"role '{name}' contains itself: {' > '.join((*above, name))}",
            where=str(_file(chef, name)),
            fix="take one of them out of its run list",
        )
    yield "role", name
    for kind, item in _run_list(chef, name):
        if kind == "role":
            yield from _expand(chef, item, (*above, name))
        else:
            yield kind, item


def _run_list(chef: Path, name: str) -> list[tuple[str, str]]:
    file = _file(chef, name)
    if not file.is_file():
        near = get_close_matches(name, names(chef), n=1)
        hint = f"did you mean '{near[0]}'?" if near else f"there are: {', '.join(names(chef))}"
        raise OrchestrateError(f"no role '{name}'", where=str(file), fix=hint)
    return [_item(word, file) for word in _words(file)]


def _words(file: Path) -> list[str]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"), object_pairs_hook=_once)
        words = content["run_list"]
        if not isinstance(words, list):
            raise TypeError("run_list is no list")
    except (ValueError, KeyError, TypeError) as error:
        raise OrchestrateError(
            f"not a Chef role: {_reason(error)}", where=str(file), fix="write JSON with a run_list"
        ) from error
    return [str(word) for word in words]


def _reason(error: Exception) -> str:
    return f"it has no {error}" if isinstance(error, KeyError) else str(error)


def _once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """An object of JSON. Of a key given twice its readers keep the last, in silence."""
    keys = [key for key, _ in pairs]
    for key in keys:
        if keys.count(key) > 1:
            raise ValueError(f"key '{key}' appears twice")
    return dict(pairs)


def _item(word: str, file: Path) -> tuple[str, str]:
    match = _ITEM.fullmatch(word)
    if match is None:
        fix = "write role[name], recipe[cookbook] or recipe[cookbook::recipe]"
        raise OrchestrateError(f"'{word}' can't stand in a run list", where=str(file), fix=fix)
    cookbook = file.parents[1] / "cookbooks" / match["name"]
    if match["kind"] == "recipe" and not cookbook.is_dir():
        there = ", ".join(sorted(path.name for path in cookbook.parent.glob("*/")))
        fix = f"there are: {there}"
        raise OrchestrateError(f"no cookbook '{match['name']}'", where=str(file), fix=fix)
    return match["kind"], match["name"]


def _file(chef: Path, name: str) -> Path:
    return chef / "roles" / f"{name}.json"
