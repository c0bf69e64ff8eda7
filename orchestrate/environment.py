"""The environment of every program, decided in one place: our own process with boto3 in it,
Terraform, Packer, pytest and the lab. Pure: the caller's environment is an argument.

Programs read one variable by different rules: boto3 prefers `https_proxy`, Go `HTTPS_PROXY`;
Terraform's provider knows `AWS_ACCESS_KEY`, boto3 doesn't. So that what `status` asks is what
`apply` changes, each gets the same variables, in the one spelling that all read alike; what they
would read differently is dropped, or refused by name. `cli` makes our process's environment
`for_target`, and all others are made from that.
"""

from collections.abc import Mapping
from pathlib import Path

from orchestrate.findings import Finding, Place
from orchestrate.target import Target

Variables = Mapping[str, str]

# A provider's usual peak is 0.61 GB. Collecting garbage four times less often makes it 0.77 GB
# and saves a third of the CPU time (measured with provider 5.100).
RELAXED_COLLECTOR_BYTES = 1_200_000_000

# By the beginnings of their names: what changes how our own and the hosts' tools work, meant for
# something else. Python without asserts passes every suite; in a git hook GIT_DIR names the
# repository of the hook; Ruby and Perl (mmdebstrap) load what RUBYOPT and PERL5OPT name.
FOREIGN = (
    *("PYTHON", "PYTEST_", "GIT_", "RUBY", "GEM_", "BUNDLE_", "PERL5", "LC_", "SYSTEMD_"),
    *("FABRIC_", "INVOKE_", "BOTO_", "BOTOCORE_"),
)
# sh reads BASH_ENV and ENV first, and prints where it went with CDPATH. Under REQUEST_METHOD Go and
# Python take themselves for CGI scripts, and HTTP_PROXY for an attack. tar reads TAR_OPTIONS.
FOREIGN_NAMES = {"BASH_ENV", "ENV", "CDPATH", "LANGUAGE", "REQUEST_METHOD", "SSLKEYLOGFILE"} | {
    "GREP_OPTIONS",
    "POSIXLY_CORRECT",
    "TAR_OPTIONS",
}

# Who one is on AWS, and by which way: what boto3, the provider and Packer read alike. Others tune
# one of them (AWS_MAX_ATTEMPTS, AWS_RETRY_MODE, AWS_DATA_PATH), and a misspelt one breaks it.
IDENTITY = {
    "AWS_ACCESS_KEY_ID",
    "AWS_CA_BUNDLE",
    "AWS_CONFIG_FILE",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_DEFAULT_REGION",
    "AWS_EC2_METADATA_DISABLED",
    "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    "AWS_PROFILE",
    "AWS_REGION",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_SDK_LOAD_CONFIG",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_SHARED_CREDENTIALS_FILE",
    "AWS_USE_DUALSTACK_ENDPOINT",
    "AWS_USE_FIPS_ENDPOINT",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
}
# Names that some read and others don't, and the one that all do.
ALIASES = {
    "AWS_ACCESS_KEY": "AWS_ACCESS_KEY_ID",
    "AWS_DEFAULT_PROFILE": "AWS_PROFILE",
    "AWS_SECRET_KEY": "AWS_SECRET_ACCESS_KEY",
    "AWS_SECURITY_TOKEN": "AWS_SESSION_TOKEN",
    "REQUESTS_CA_BUNDLE": "AWS_CA_BUNDLE",
    "SSL_CERT_FILE": "AWS_CA_BUNDLE",
}
# Of two such, these are taken one for the other by somebody; a difference is a mistake.
TAKEN_FOR_EACH_OTHER = {
    name: other for name, other in ALIASES.items() if other != "AWS_CA_BUNDLE"
} | {name.lower(): name for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")}
ENDPOINT = "AWS_ENDPOINT_URL"
# So Terraform's S3 backend has called them before.
OLD_ENDPOINTS = {f"AWS_{service}_ENDPOINT" for service in ("DYNAMODB", "IAM", "S3", "SSO", "STS")}
NO_ENDPOINTS = "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"


def steady(caller: Variables) -> dict[str, str]:
    """What any program of ours gets, whatever the target: UTF-8, and nothing `FOREIGN`."""
    kept = {
        name: value
        for name, value in caller.items()
        if not name.startswith(FOREIGN) and name not in FOREIGN_NAMES
    }
    return {**kept, "LC_ALL": "C.UTF-8"}


def for_target(caller: Variables, target: str) -> dict[str, str]:
    """What every program that speaks to the target's API gets; boto3 reads no more than this.

    On AWS the caller's identity and proxies, each in the spellings that all read; for a lab
    nothing of AWS at all, as a lab's clients are given its own.
    """
    kept = steady(caller)
    ours = {name: value for name, value in kept.items() if not name.startswith("AWS_")}
    if target == "lab":
        return ours
    return {**ours, **_proxies(kept), **_identity(kept), NO_ENDPOINTS: "true"}


def contradictions(caller: Variables, target: str) -> list[Finding]:
    """What is set so that programs would act on different things; a lab obeys none of it."""
    if target == "lab":
        return []
    named = {name for name in caller if name.startswith(ENDPOINT)} | OLD_ENDPOINTS
    endpoints = sorted(name for name in named if caller.get(name))
    heeded = caller.get(NO_ENDPOINTS, "").lower() != "true"
    found = [_endpoint(name) for name in endpoints if heeded]
    for one, other in TAKEN_FOR_EACH_OTHER.items():
        if caller.get(one) and caller.get(other) and caller[one] != caller[other]:
            what = f"{other} and {one} differ, and not all programs prefer the same"
            found.append(Finding(Place("environment"), what, "unset one of them"))
    return found


def terraform(
    caller: Variables, target: Target, *, cli_config: Path, bytes_each: int
) -> dict[str, str]:
    """What each terraform process gets, all of it.

    `cli_config` is Terraform's own configuration file, `bytes_each` the memory that each of the
    processes running at once may use.
    """
    return {
        **({"GOGC": "400"} if bytes_each >= RELAXED_COLLECTOR_BYTES else {}),
        **terraform_alone(for_target(caller, target.name)),
        "TF_CLI_CONFIG_FILE": str(cli_config),
        **(_isolation() if target.name == "lab" else {}),
        **target.environment,
        **({"TF_VAR_ssh_public_key": target.ssh_public_key} if target.ssh_public_key else {}),
    }


def terraform_alone(caller: Variables) -> dict[str, str]:
    """What a terraform gets that is asked its version, or to fetch a provider.

    Of its own variables only those by which it reaches registries: others change what a command
    does (TF_CLI_ARGS), or where it keeps its things, behind our back.
    """
    kept = {name: value for name, value in steady(caller).items() if _tells(name, caller)}
    return {**kept, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1", "TF_INPUT": "0"}


def packer(caller: Variables, target: Target) -> dict[str, str]:
    """What each packer process gets.

    Packer's own endpoint variables differ from the SDK's, so the endpoint is a variable of the
    template, and no proxy is needed on the way there.
    """
    proxies = ("HTTP_PROXY", "http_proxy") if target.name == "lab" else ()
    given = {**for_target(caller, target.name), **target.environment}
    return packer_alone({name: value for name, value in given.items() if name not in proxies})


def packer_alone(caller: Variables) -> dict[str, str]:
    """What a packer gets that is asked its version: of its own, only where its plugins are."""
    kept = {
        name: value
        for name, value in steady(caller).items()
        if not name.startswith(("PACKER_", "PKR_VAR_")) or name in PACKERS_PLUGINS
    }
    return {**kept, "CHECKPOINT_DISABLE": "1"}


PACKERS_PLUGINS = {"PACKER_CONFIG_DIR", "PACKER_GITHUB_API_TOKEN", "PACKER_PLUGIN_PATH"}


def python(caller: Variables, *folders: Path) -> dict[str, str]:
    """What a Python of ours gets that finds its modules in these folders, and in no others."""
    return {**steady(caller), "PYTHONPATH": ":".join(map(str, folders)), "PYTHONUTF8": "1"}


def suites(caller: Variables, *folders: Path) -> dict[str, str]:
    """What the pytest of `verify` gets: other plugins cost time and may want a say."""
    return {**python(caller, *folders), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}


def lab(caller: Variables, *folders: Path) -> dict[str, str]:
    """What the lab's daemon gets; it is the cloud, and needs nobody's credentials or mocks."""
    kept = {name: value for name, value in caller.items() if not name.startswith(("AWS_", "MOTO_"))}
    return python(kept, *folders)


def _tells(name: str, caller: Variables) -> bool:
    if name.startswith("TF_LOG"):
        # Debug output shows credentials. It is let through only into a file of the operator's.
        return "TF_LOG_PATH" in caller
    kept = name.startswith(("TF_TOKEN_", "TF_REGISTRY_"))
    return kept or not name.startswith(("TF_", "TERRAFORM_CONFIG", "TOFU_"))


def _isolation() -> dict[str, str]:
    """A lab run finds no credentials, profile or endpoint but the lab's: it cannot reach AWS."""
    return {
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_EC2_METADATA_DISABLED": "true",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
    }


def _identity(kept: Variables) -> dict[str, str]:
    """The caller's, without empty ones: an empty AWS_PROFILE is none to Go, an error to boto3."""
    own = {name: value for name, value in kept.items() if name in IDENTITY and value}
    others = {ALIASES[name]: kept[name] for name in reversed(ALIASES) if kept.get(name)}
    return {**others, **own}


def _proxies(kept: Variables) -> dict[str, str]:
    """Each in capital and small letters, whichever it was set in."""
    found: dict[str, str] = {}
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"):
        if value := kept.get(name) or kept.get(name.lower()):
            found |= {name: value, name.lower(): value}
    return found


def _endpoint(name: str) -> Finding:
    what = f"{name} is set, but a run against AWS uses AWS's own endpoints"
    fix = f"unset {name} (or the shell is set for a lab: use --target lab)"
    return Finding(Place("environment"), what, fix)
