"""Finds the AWS provider for Terraform, so that every stack shares one installed copy (S4).

In order: `$ORCHESTRATE_PROVIDER_MIRROR`; what the operator's own Terraform configuration says;
Terraform's implied mirror directories; any `*/registry.terraform.io` below the usual prefixes
for add-on software; our cache, filled once from the registry. What is on the machine is used
before the network is asked.
"""

import hashlib
import json
import os
import re
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from filelock import FileLock

from orchestrate import shell
from orchestrate.environment import terraform_alone
from orchestrate.errors import CommandFailed, MissingTool
from orchestrate.strict_modes import distrusted
from orchestrate.terraform import provider_lock
from orchestrate.terraform.binary import Engine

VARIABLE = "ORCHESTRATE_PROVIDER_MIRROR"
ADD_ON_PREFIXES = tuple(
    map(Path, ("/opt", "/usr/local", "/usr/local/lib", "/usr/local/share", "/usr/share", "/srv"))
)
DOWNLOAD_TIMEOUT_S = 900


@dataclass(frozen=True)
class Provider:
    """A provider in the one version that everything was tested with."""

    source: str
    version: str

    def __str__(self) -> str:
        return f"provider {self.source} {self.version}"


# As in terraform/.terraform.lock.hcl; docs/guides/operator.md says how to go to another.
AWS = Provider("hashicorp/aws", "5.100.0")


def cli_config(
    engine: Engine, environment: Mapping[str, str], cache: Path, provider: Provider = AWS
) -> Path:
    """The Terraform configuration file (for TF_CLI_CONFIG_FILE) that finds the provider.

    The operator's own file, if it says where providers come from; else one written into `cache`.
    Raises MissingTool, naming the ways, when the provider is nowhere to be had, or where others
    than root and the operator could have put it: it runs with the operator's rights.
    """
    named = environment.get(VARIABLE)
    if not named:
        own = _operators_config(environment)
        if own:
            return own
    mirrors = [Path(named)] if named else list(_known_mirrors(engine.registry, environment))
    mirror = first_with(provider, engine.registry, mirrors)
    if named and mirror is None:
        raise MissingTool(f"${VARIABLE} has no {provider}", where=named, fix=_ways(provider))
    if mirror is None:
        mirror = _downloaded(engine, environment, cache, provider)
    _refuse_others(mirror, engine.registry, provider)
    return _write_config(cache, mirror, f"{engine.registry}/{provider.source}")


def first_with(provider: Provider, registry: str, mirrors: Iterable[Path]) -> Path | None:
    """The first mirror directory that has the provider, packed or unpacked."""
    for mirror in mirrors:
        folder = mirror / registry / provider.source
        if provider.version in _versions(folder):
            return mirror
    return None


def _refuse_others(mirror: Path, registry: str, provider: Provider) -> None:
    """Terraform checks a package when it installs it, and no more when it runs it."""
    packages = _packages(mirror / registry / provider.source, provider.version)
    why = next(filter(None, map(distrusted, packages)), "")
    if why:
        fix = f"take the right from them, or point ${VARIABLE} at a mirror of your own or root's"
        raise MissingTool(f"no provider is taken from there: {why}", where=str(mirror), fix=fix)


def config_text(mirror: Path, source: str) -> str:
    """Terraform's configuration: `source` from the mirror only, anything else as usual. Pure."""
    return (
        "provider_installation {\n"
        "  filesystem_mirror {\n"
        f"    path    = {json.dumps(str(mirror))}\n"
        f"    include = [{json.dumps(source)}]\n"
        "  }\n"
        "  direct {\n"
        f"    exclude = [{json.dumps(source)}]\n"
        "  }\n"
        "}\n"
    )


def _packages(folder: Path, version: str) -> Iterator[Path]:
    """What there is of a version: the files of each unpacked package, and the packed ones."""
    yield from sorted(folder.glob(f"{version}/*/*"))
    yield from sorted(folder.glob(f"*_{version}_*.zip"))


def _versions(folder: Path) -> Iterator[str]:
    # Unpacked: 5.100.0/linux_amd64/; packed: terraform-provider-aws_5.100.0_linux_amd64.zip.
    for entry in folder.glob("*"):
        found = re.search(r"(?:^|_)(\d+\.\d+\.\d+)(?:_|$)", entry.name)
        if found:
            yield found[1]


def _operators_config(environment: Mapping[str, str]) -> Path | None:
    named = environment.get("TF_CLI_CONFIG_FILE")
    file = Path(named) if named else Path(environment.get("HOME", "/")) / ".terraformrc"
    try:
        return file if "provider_installation" in file.read_text() else None
    except (OSError, UnicodeDecodeError):
        return None


def _known_mirrors(registry: str, environment: Mapping[str, str]) -> Iterator[Path]:
    # Terraform's own list: https://developer.hashicorp.com/terraform/cli/config/config-file
    home = Path(environment.get("HOME", "/"))
    data = environment.get("XDG_DATA_HOME") or str(home / ".local/share")
    more = environment.get("XDG_DATA_DIRS") or "/usr/local/share:/usr/share"
    yield home / ".terraform.d" / "plugins"
    for folder in (data, *more.split(os.pathsep)):
        yield Path(folder) / "terraform" / "plugins"
    for prefix in ADD_ON_PREFIXES:
        yield from sorted(found.parent for found in prefix.glob(f"*/{registry}"))


def _downloaded(
    engine: Engine, environment: Mapping[str, str], cache: Path, provider: Provider
) -> Path:
    """Our own mirror in `cache`, filled by whoever comes first while the others wait."""
    mirror = cache / "providers"
    cache.mkdir(parents=True, exist_ok=True)
    with FileLock(cache / "providers.lock"):
        if first_with(provider, engine.registry, [mirror]) is None:
            _download(engine, environment, cache, mirror, provider)
    return mirror


def _download(
    engine: Engine, environment: Mapping[str, str], cache: Path, mirror: Path, provider: Provider
) -> None:
    # Terraform's plugin cache has the layout of a mirror. Into ours comes only what is complete.
    with tempfile.TemporaryDirectory(dir=cache, prefix="providers-") as folder:
        probe, partial = Path(folder) / "probe", Path(folder) / "mirror"
        probe.mkdir()
        partial.mkdir()
        (probe / "main.tf.json").write_text(_requirement(provider))
        (probe / provider_lock.NAME).write_text(provider_lock.before_init(engine.registry, cache))
        quiet = {**terraform_alone(environment), "TF_PLUGIN_CACHE_DIR": str(partial)}
        try:
            command = [*engine.argv, "init", "-input=false", "-no-color"]
            shell.run(command, cwd=probe, env=quiet, timeout_s=DOWNLOAD_TIMEOUT_S)
        except CommandFailed as failed:
            what = f"{provider} is not on this machine and could not be downloaded"
            raise MissingTool(
                f"{what}\n{failed.last_lines}", where=engine.registry, fix=_ways(provider)
            ) from failed
        _add(partial, mirror)
        provider_lock.keep(probe / provider_lock.NAME, cache)


def _add(partial: Path, mirror: Path) -> None:
    """Move the versions of one mirror into another, where stacks may be using others."""
    for version in partial.glob("*/*/*/*"):
        place = mirror / version.relative_to(partial)
        place.parent.mkdir(parents=True, exist_ok=True)
        version.rename(place)


def _requirement(provider: Provider) -> str:
    wanted = {"source": provider.source, "version": provider.version}
    return json.dumps({"terraform": {"required_providers": {"wanted": wanted}}})


def _ways(provider: Provider) -> str:
    return (
        f"unpack {provider.source} below ~/.terraform.d/plugins, point ${VARIABLE} at a mirror "
        "(made by `terraform providers mirror`), or let this machine reach the registry"
    )


def _write_config(cache: Path, mirror: Path, source: str) -> Path:
    text = config_text(mirror, source)
    # Named after its content: two runs with different mirrors don't get in each other's way.
    file = cache / f"terraform-{hashlib.sha256(text.encode()).hexdigest()[:12]}.tfrc"
    if not file.exists():
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=cache, suffix=".draft", delete=False) as draft:
            draft.write(text)
        Path(draft.name).rename(file)
    return file
