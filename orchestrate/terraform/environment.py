"""The environment Terraform runs in. Pure: the caller's environment and the memory are arguments.

What a variable in the operator's shell could change, without anybody noticing, is taken out: where
a lab run goes, where an AWS run goes, what a command does.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

from orchestrate.target import Target

# A provider's usual peak is 0.61 GB. Collecting garbage four times less often makes it 0.77 GB
# and saves a third of the CPU time (measured with provider 5.100).
RELAXED_COLLECTOR_BYTES = 1_200_000_000

# These change what a command does, or where it keeps its things, behind our back.
UNWANTED = (
    "TF_CLI_ARGS",
    "TF_CLI_CONFIG_FILE",
    "TERRAFORM_CONFIG",
    "TF_DATA_DIR",
    "TF_INPUT",
    "TF_PLUGIN_CACHE_DIR",
    "TF_REATTACH_PROVIDERS",
    "TF_VAR_",
    "TF_WORKSPACE",
)

# Anything shorter stands in ordinary words as well.
SHORTEST_SECRET = 8


def environment(
    caller: Mapping[str, str],
    target: Target,
    *,
    cli_config: Path,
    bytes_each: int,
) -> dict[str, str]:
    """What each terraform process gets, all of it.

    `cli_config` is Terraform's own configuration file, `bytes_each` the memory that each of the
    processes running at once may use.
    """
    kept = {name: value for name, value in caller.items() if not _unwanted(name, caller, target)}
    return {
        **_collector(bytes_each),
        **kept,
        "CHECKPOINT_DISABLE": "1",
        "TF_CLI_CONFIG_FILE": str(cli_config),
        "TF_IN_AUTOMATION": "1",
        "TF_INPUT": "0",
        **(_isolation() if target.name == "lab" else {}),
        **target.environment,
        **({"TF_VAR_ssh_public_key": target.ssh_public_key} if target.ssh_public_key else {}),
    }


def secrets(environment: Mapping[str, str]) -> frozenset[str]:
    """Values that no log, journal or report may show (S9), as they are and as JSON has them.

    They are those of variables whose name says so.
    """
    words = ("SECRET", "TOKEN", "PASSWORD", "PRIVATE_KEY", "PSK")
    values = {
        value
        for name, value in environment.items()
        if len(value) >= SHORTEST_SECRET and any(word in name.upper() for word in words)
    }
    return frozenset(values | {json.dumps(value)[1:-1] for value in values})


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets that happen to be in it."""
    for secret in secrets:
        text = text.replace(secret, "(hidden)")
    return text


def _unwanted(name: str, caller: Mapping[str, str], target: Target) -> bool:
    if name.startswith("AWS_"):
        return target.name == "lab" or name.startswith("AWS_ENDPOINT_URL")
    if name.startswith("TF_LOG"):
        # Debug output shows credentials. It is let through only into a file of the operator's.
        return "TF_LOG_PATH" not in caller
    return name.startswith(UNWANTED)


def _isolation() -> dict[str, str]:
    """A lab run finds no credentials, profile or endpoint but the lab's: it cannot reach AWS."""
    return {
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    }


def _collector(bytes_each: int) -> dict[str, str]:
    return {"GOGC": "400"} if bytes_each >= RELAXED_COLLECTOR_BYTES else {}
