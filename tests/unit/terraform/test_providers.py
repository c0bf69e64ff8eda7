import json
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from orchestrate.errors import MissingTool
from orchestrate.terraform import providers
from orchestrate.terraform.binary import Engine
from orchestrate.terraform.providers import (
    Provider,
    cli_config,
    config_text,
    first_with,
)

# No machine has this one, so nothing installed on the machine the tests run on gets in the way.
OURS = Provider("orchestrate-test/cloud", "5.100.0")
REGISTRY = "registry.terraform.io"


def mirror(folder: Path, *versions: str) -> Path:
    for version in versions:
        (folder / REGISTRY / OURS.source / version / "linux_amd64").mkdir(parents=True)
    return folder


def registry_engine(folder: Path, version: str = "5.100.0") -> Engine:
    """An engine whose `init` installs the provider into the plugin cache, as from a registry, and
    counts how often it was asked to."""
    engine = folder / "terraform"
    installed = f'"$TF_PLUGIN_CACHE_DIR"/{REGISTRY}/{OURS.source}/{version}/linux_amd64'
    engine.write_text(f"#!/bin/sh\necho x >> {folder}/asked\nsleep 0.05\nmkdir -p {installed}\n")
    engine.chmod(0o755)
    return Engine((str(engine),), "Terraform", (1, 11, 4))


def offline_engine(folder: Path) -> Engine:
    engine = folder / "terraform"
    engine.write_text("#!/bin/sh\necho 'could not connect to the registry' >&2\nexit 1\n")
    engine.chmod(0o755)
    return Engine((str(engine),), "Terraform", (1, 11, 4))


def asked(folder: Path) -> int:
    file = folder / "asked"
    return len(file.read_text().splitlines()) if file.exists() else 0


@pytest.fixture
def home(tmp_path: Path) -> dict[str, str]:
    folder = tmp_path / "home"
    folder.mkdir()
    return {"HOME": str(folder), "PATH": os.environ["PATH"]}


@pytest.mark.parametrize(
    ("versions", "found"),
    [
        (["5.100.0"], True),
        (["4.67.0", "5.100.0"], True),
        (["5.99.0", "5.100.1"], False),
        ([], False),
    ],
)
def test_only_a_mirror_with_the_very_version_counts(
    tmp_path: Path, versions: list[str], found: bool
) -> None:
    folder = mirror(tmp_path / "mirror", *versions)
    assert first_with(OURS, REGISTRY, [tmp_path / "none", folder]) == (folder if found else None)


def test_a_packed_mirror_counts(tmp_path: Path) -> None:
    folder = tmp_path / REGISTRY / OURS.source
    folder.mkdir(parents=True)
    (folder / "terraform-provider-cloud_5.100.0_linux_amd64.zip").touch()
    (folder / "5.100.0.json").touch()
    assert first_with(OURS, REGISTRY, [tmp_path]) == tmp_path


def test_an_implied_mirror_directory_is_found(tmp_path: Path, home: dict[str, str]) -> None:
    folder = mirror(Path(home["HOME"]) / ".terraform.d" / "plugins", "5.100.0")
    config = cli_config(registry_engine(tmp_path), home, tmp_path / "cache", OURS)
    assert json.dumps(str(folder)) in config.read_text()
    assert asked(tmp_path) == 0


def test_a_mirror_below_a_prefix_for_add_on_software_is_found(
    tmp_path: Path, home: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = mirror(tmp_path / "add-ons" / "cloud-tools", "5.100.0")
    monkeypatch.setattr(providers, "ADD_ON_PREFIXES", (tmp_path / "add-ons",))
    config = cli_config(registry_engine(tmp_path), home, tmp_path / "cache", OURS)
    assert json.dumps(str(folder)) in config.read_text()


def test_the_mirror_that_is_named_comes_first_and_must_have_the_provider(
    tmp_path: Path, home: dict[str, str]
) -> None:
    mirror(Path(home["HOME"]) / ".terraform.d" / "plugins", "5.100.0")
    named = mirror(tmp_path / "named", "5.100.0")
    engine = registry_engine(tmp_path)
    home["ORCHESTRATE_PROVIDER_MIRROR"] = str(named)
    assert str(named) in cli_config(engine, home, tmp_path / "cache", OURS).read_text()
    home["ORCHESTRATE_PROVIDER_MIRROR"] = str(tmp_path / "empty")
    with pytest.raises(MissingTool, match="ORCHESTRATE_PROVIDER_MIRROR has no provider"):
        cli_config(engine, home, tmp_path / "cache", OURS)


@pytest.mark.parametrize("packed", [False, True])
def test_a_provider_that_others_can_exchange_is_refused(
    tmp_path: Path, home: dict[str, str], packed: bool
) -> None:
    """Who may write it, or any folder above it, would run as whoever applies."""
    named = mirror(tmp_path / "named", "5.100.0")
    (folder,) = named.glob("*/*/*/5.100.0/linux_amd64")
    program = folder / "terraform-provider-cloud_v5.100.0"
    if packed:
        program = folder.parents[1] / "terraform-provider-cloud_5.100.0_linux_amd64.zip"
    program.touch()
    home["ORCHESTRATE_PROVIDER_MIRROR"] = str(named)
    engine, cache = registry_engine(tmp_path), tmp_path / "cache"
    assert cli_config(engine, home, cache, OURS)
    for loose in (program, program.parent, named):
        before = loose.stat().st_mode
        loose.chmod(before | 0o002)
        with pytest.raises(MissingTool, match=f"{loose} may be written by others"):
            cli_config(engine, home, cache, OURS)
        loose.chmod(before)


def test_an_operators_own_provider_installation_is_respected(
    tmp_path: Path, home: dict[str, str]
) -> None:
    engine = registry_engine(tmp_path)
    own = tmp_path / "own.tfrc"
    own.write_text("provider_installation {\n  direct {}\n}\n")
    assert cli_config(engine, {**home, "TF_CLI_CONFIG_FILE": str(own)}, tmp_path, OURS) == own
    rc = Path(home["HOME"]) / ".terraformrc"
    rc.write_text(own.read_text())
    assert cli_config(engine, home, tmp_path, OURS) == rc


def test_an_operators_configuration_that_is_missing_is_not_used(
    tmp_path: Path, home: dict[str, str]
) -> None:
    home["TF_CLI_CONFIG_FILE"] = str(tmp_path / "missing.tfrc")
    config = cli_config(registry_engine(tmp_path), home, tmp_path / "cache", OURS)
    assert config.parent == tmp_path / "cache"


def test_twenty_at_once_install_the_provider_once(tmp_path: Path, home: dict[str, str]) -> None:
    engine, cache = registry_engine(tmp_path), tmp_path / "cache"
    with ThreadPoolExecutor(20) as pool:
        found = set(pool.map(lambda _: cli_config(engine, home, cache, OURS), range(20)))
    assert len(found) == 1
    assert asked(tmp_path) == 1
    assert first_with(OURS, REGISTRY, [cache / "providers"]) == cache / "providers"
    assert sorted(file.suffix for file in cache.iterdir() if file.is_file()) == [
        ".hcl",
        ".lock",
        ".tfrc",
    ]


def test_twenty_at_once_write_one_configuration(tmp_path: Path, home: dict[str, str]) -> None:
    home["ORCHESTRATE_PROVIDER_MIRROR"] = str(mirror(tmp_path / "named", "5.100.0"))
    engine, cache, together = registry_engine(tmp_path), tmp_path / "cache", threading.Barrier(20)

    def configure(_: int) -> str:
        together.wait()
        return cli_config(engine, home, cache, OURS).read_text()

    with ThreadPoolExecutor(20) as pool:
        assert len(set(pool.map(configure, range(20)))) == 1
    assert [file.suffix for file in cache.iterdir()] == [".tfrc"]


def test_a_cache_with_another_version_is_filled_again(tmp_path: Path, home: dict[str, str]) -> None:
    cache = tmp_path / "cache"
    mirror(cache / "providers", "4.67.0")
    cli_config(registry_engine(tmp_path), home, cache, OURS)
    assert first_with(OURS, REGISTRY, [cache / "providers"])


def test_with_no_way_to_get_it_the_error_names_the_ways(
    tmp_path: Path, home: dict[str, str]
) -> None:
    with pytest.raises(MissingTool) as raised:
        cli_config(offline_engine(tmp_path), home, tmp_path / "cache", OURS)
    assert "could not connect" in raised.value.what
    for way in ("~/.terraform.d/plugins", "$ORCHESTRATE_PROVIDER_MIRROR", "registry"):
        assert way in raised.value.fix
    assert not list((tmp_path / "cache").glob("providers-*"))


def test_the_configuration_takes_the_provider_from_the_mirror_only() -> None:
    assert config_text(Path("/srv/mirror"), "registry.terraform.io/hashicorp/aws") == (
        "provider_installation {\n"
        "  filesystem_mirror {\n"
        '    path    = "/srv/mirror"\n'
        '    include = ["registry.terraform.io/hashicorp/aws"]\n'
        "  }\n"
        "  direct {\n"
        '    exclude = ["registry.terraform.io/hashicorp/aws"]\n'
        "  }\n"
        "}\n"
    )
