"""The checksums that a provider must have: committed in Terraform's own form, checked by it.

https://developer.hashicorp.com/terraform/language/files/dependency-lock
"""

import re
from pathlib import Path

from orchestrate.terraform.roots import TERRAFORM

NAME = ".terraform.lock.hcl"
COMMITTED = TERRAFORM / NAME
# The committed checksums and that of this platform's unpacked copy, beside our own mirror.
KEPT = "providers.lock.hcl"


def before_init(registry: str, cache: Path, committed: Path = COMMITTED) -> str:
    """The content of a root's lock file before `terraform init`.

    "" for a registry that nothing is committed of: OpenTofu's, whose packages are built anew.
    """
    text = _read(committed)
    if f'provider "{registry}/' not in text:
        return ""
    kept = _read(cache / KEPT)
    return kept if checksums(text) <= checksums(kept) else text


def keep(lock_file: Path, cache: Path) -> None:
    """Keep what Terraform wrote as it downloaded: it adds the checksum of what it unpacked."""
    if lock_file.is_file():
        draft = cache / f"{KEPT}.draft"
        draft.write_text(_read(lock_file), encoding="utf-8")
        draft.replace(cache / KEPT)


def checksums(lock_file: str) -> frozenset[str]:
    """All checksums in the content of a lock file, of whichever provider. Pure."""
    return frozenset(re.findall(r'"((?:h1|zh):[^"]+)"', lock_file))


def without_checksums(lock_file: str) -> str:
    """The content of a lock file without the providers' checksums. Pure.

    Where they stand, every single command reads and hashes the whole provider: 0.7 GB, 0.7 s of
    CPU (measured, provider 5.100). `terraform init` has just held it against them.
    """
    return re.sub(r"^ *hashes = \[\n(?: .*\n)*? *\]\n", "", lock_file, flags=re.MULTILINE)


def _read(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.is_file() else ""
