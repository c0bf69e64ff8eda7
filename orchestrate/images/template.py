"""Packer's template and its values, as files in a folder of their own."""

import hashlib
import json
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template

from orchestrate import content
from orchestrate.errors import OrchestrateError
from orchestrate.images.packer import Packer
from orchestrate.plain_text import is_word, shown

PACKER = Path(__file__).parents[2] / "packer"
TEMPLATE = "image.pkr.hcl.j2"
# The amazon plugin; 1.6 of Packer has one of its own built in.
PLUGIN = "= 1.3.4"


@dataclass(frozen=True)
class Source:
    """What is started: an AMI, as which login, on which type of instance."""

    ami: str
    root_device: str
    disk_gb: int
    login: str
    instance_type: str


@dataclass(frozen=True)
class Place:
    """Where: `endpoint` is EC2's address in a lab and "" on AWS, the others are its ids."""

    region: str
    subnet: str
    security_group: str
    key_pair: str
    key_file: Path
    endpoint: str = ""


@dataclass(frozen=True)
class Content:
    """What comes into the image, and what tests it.

    `archive` is the gzipped tar of cookbooks with this `digest`, `node` the node JSON's text.
    `converge` is the environment of the converge, `check` a command line on this machine.
    """

    archive: bytes
    digest: str
    node: str
    converge: Mapping[str, str]
    check: Sequence[str]


@dataclass(frozen=True)
class Labels:
    """What it is called, and the tags of the instance on the way and of the image in the end."""

    name: str
    description: str
    instance_tags: Mapping[str, str]
    image_tags: Mapping[str, str]


def write(
    folder: Path, packer: Packer, labels: Labels, source: Source, place: Place, content: Content
) -> None:
    """Write all that `packer build` needs into the new `folder`."""
    folder.mkdir(parents=True)
    archive, node = folder / "archive.tar.gz", folder / "node.json"
    archive.write_bytes(content.archive)
    node.write_text(content.node, encoding="utf-8")
    values = {
        "name": labels.name,
        "description": labels.description,
        "instance_tags": dict(labels.instance_tags),
        "image_tags": dict(labels.image_tags),
        "region": place.region,
        "endpoint": place.endpoint,
        "subnet": place.subnet,
        "security_group": place.security_group,
        "key_pair": place.key_pair,
        "key_file": str(place.key_file),
        # A lab's volumes are folders.
        "encrypted": not place.endpoint,
        "source_ami": source.ami,
        "root_device": source.root_device,
        "disk_gb": source.disk_gb,
        "login": source.login,
        "instance_type": source.instance_type,
        "archive": str(archive),
        "node": str(node),
        "digest": content.digest,
        "converge": [f"{name}={value}" for name, value in content.converge.items()],
        "check": shlex.join(content.check),
        "scripts": str(PACKER),
    }
    check(values)
    (folder / "image.pkr.hcl").write_text(render(packer), encoding="utf-8")
    (folder / "image.auto.pkrvars.json").write_text(json.dumps(values, indent=2) + "\n")


def check(values: Mapping[str, object]) -> None:
    """Raise OrchestrateError for values that Packer would read as more than text: it looks for
    templates of its own (`{{`) in them, and puts the login into a command line.
    """
    for name, value in values.items():
        if "{{" in json.dumps(value, ensure_ascii=False) or (
            name == "login" and not is_word(str(value))
        ):
            raise OrchestrateError(
                f"Packer can't be told '{shown(value)}'",
                where=f"the image's {name}",
                fix="correct it in the fleet files, or call the folder something else",
            )


def recipe(node: str) -> str:
    """The digest of what shapes an image besides its parent and its cookbooks.

    That is the template and the scripts, and `node`, the node JSON's text.
    """
    digest = hashlib.sha256(node.encode())
    for path in content.files(PACKER):
        digest.update(f"\n{path.name}\n".encode() + path.read_bytes())
    return digest.hexdigest()


def render(packer: Packer) -> str:
    """The template as this Packer reads it."""
    return _template().render(plugin=PLUGIN if packer.has_plugins else "")


@cache
def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(PACKER),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - this is HCL; values go into a file of variables
    )
    return environment.get_template(TEMPLATE)
