"""`orchestrate init`: a small fleet to start from."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import click

from orchestrate.cli.console import print_json
from orchestrate.cli.context import json_option
from orchestrate.content import IGNORED
from orchestrate.errors import OrchestrateError

# The checkout that this program runs from, and what of it a fleet's hosts need.
CHECKOUT = Path(__file__).resolve().parents[2]
HOST_FILES = (Path("chef"), Path("tests", "infra"))

_NEXT = """
Next, in {folder}:
  orchestrate check              report anything wrong in what you write
  orchestrate lab up             start the rehearsal cloud on this machine
  orchestrate bootstrap          make the bucket for Terraform's state, once
  orchestrate apply {cluster}
"""


@click.command(name="init")
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@click.option("--name", help="The fleet's name; the folder's otherwise.")
@click.option("--account", default="123456789012", show_default=True, help="The AWS account.")
@click.option("--domain", default="lab.example.net", show_default=True, help="The DNS domain.")
@click.option("--region", default="us-west-2", show_default=True, help="The first AWS region.")
@json_option
def init_command(
    folder: Path, name: str | None, account: str, domain: str, region: str, as_json: bool
) -> None:
    """Write a small fleet to start from.

    One cluster with a bastion, a group of SSH nodes and storage, commented; and what hosts are
    converged and verified with: the cookbooks and their suites, to be changed as you need them.
    Nothing that is there already is overwritten.
    """
    from orchestrate.fleet import start

    fleet = folder / "fleet"
    if fleet.is_dir() and any(fleet.iterdir()):
        fix = "edit what is there, or name another folder"
        raise OrchestrateError("there is a fleet already", where=str(fleet), fix=fix)
    told = {
        "name": name or _word(folder.resolve().name),
        "account": account,
        "domain": domain,
        "region": region,
    }
    start.check(**told)
    texts = start.texts(**told)
    _verify(texts)
    _write(fleet, texts)
    ledger = _give_addresses(fleet)
    _ignore(folder / ".gitignore")
    written = [fleet / path for path in (*texts, ledger)] + _copy_host_files(folder)
    if as_json:
        print_json({"written": written, "cluster": start.cluster_name(region)})
        return
    for path in written:
        click.echo(f"wrote {path}")
    click.echo(_NEXT.format(folder=folder.resolve(), cluster=start.cluster_name(region)).rstrip())


def _copy_host_files(folder: Path) -> list[Path]:
    """Copy what hosts are made with, as this checkout has it; the folders that were not there."""
    written = []
    for name in HOST_FILES:
        if (CHECKOUT / name).is_dir() and not (folder / name).exists():
            shutil.copytree(CHECKOUT / name, folder / name, ignore=shutil.ignore_patterns(*IGNORED))
            written.append(folder / name)
    return written


def _word(text: str) -> str:
    """What can be part of a name, of the folder's name."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-0123456789") or "lab"


def _verify(texts: Mapping[str, str]) -> None:
    """Raise InvalidInput for options that don't make a fleet, before anything is written."""
    from orchestrate.fleet.load import load

    with TemporaryDirectory() as draft:
        _write(Path(draft) / "fleet", texts)
        load(Path(draft) / "fleet")


def _give_addresses(fleet: Path) -> str:
    from orchestrate.clock import today
    from orchestrate.fleet.load import load
    from orchestrate.ipam import ledger

    ledger.write(fleet / ledger.NAME, load(fleet), today())
    return ledger.NAME


def _ignore(file: Path) -> None:
    """Rendered roots, plans and logs are nobody's to commit."""
    if not file.exists():
        file.write_text(".orchestrate/\n", encoding="utf-8")


def _write(fleet: Path, texts: Mapping[str, str]) -> None:
    for path, text in texts.items():
        (fleet / path).parent.mkdir(parents=True, exist_ok=True)
        (fleet / path).write_text(text, encoding="utf-8")
