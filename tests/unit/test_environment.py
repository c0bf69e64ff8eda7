"""What every program gets, with every variable set to something unkind."""

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from orchestrate import environment
from orchestrate.aws.session import Session
from orchestrate.cli.context import adopt
from orchestrate.images import packer
from orchestrate.lab.client import environment as of_lab
from orchestrate.lab.paths import LabFiles
from orchestrate.lab.secret import fresh
from orchestrate.target import Target
from orchestrate.terraform.binary import find_engine
from tests.unit.unkind import ENDPOINTS, UNKIND

CONFIG = Path("/cache/terraform.tfrc")
ENDPOINT = "http://127.0.0.1:5050"
OF_LAB = of_lab(ENDPOINT, "123456789012", LabFiles(Path("/lab")), fresh())
LAB = Target("lab", ENDPOINT, OF_LAB, "ssh-rsa A")
AWS = Target("aws")
KIND = {
    "PATH": "/usr/bin",
    "HOME": "/home/ada",
    "AWS_ACCESS_KEY_ID": "AKIAREAL",
    "AWS_SECRET_ACCESS_KEY": "real",
    "AWS_SESSION_TOKEN": "real",
}
# Of the unkind ones, what is the operator's to say on AWS: all programs get it, in this spelling.
OBEYED = {
    "AWS_CA_BUNDLE": {"AWS_CA_BUNDLE"},
    "AWS_CONFIG_FILE": {"AWS_CONFIG_FILE"},
    "AWS_DEFAULT_PROFILE": {"AWS_PROFILE"},
    "AWS_DEFAULT_REGION": {"AWS_DEFAULT_REGION"},
    "AWS_EC2_METADATA_DISABLED": {"AWS_EC2_METADATA_DISABLED"},
    "AWS_PROFILE": {"AWS_PROFILE"},
    "AWS_REGION": {"AWS_REGION"},
    "AWS_ROLE_ARN": {"AWS_ROLE_ARN"},
    "AWS_SHARED_CREDENTIALS_FILE": {"AWS_SHARED_CREDENTIALS_FILE"},
    "AWS_USE_DUALSTACK_ENDPOINT": {"AWS_USE_DUALSTACK_ENDPOINT"},
    "AWS_USE_FIPS_ENDPOINT": {"AWS_USE_FIPS_ENDPOINT"},
    "AWS_WEB_IDENTITY_TOKEN_FILE": {"AWS_WEB_IDENTITY_TOKEN_FILE"},
    "HTTPS_PROXY": {"HTTPS_PROXY", "https_proxy"},
    "HTTP_PROXY": {"HTTP_PROXY", "http_proxy"},
    "NO_PROXY": {"NO_PROXY", "no_proxy"},
    "REQUESTS_CA_BUNDLE": {"AWS_CA_BUNDLE", "REQUESTS_CA_BUNDLE"},
    "SSL_CERT_FILE": {"AWS_CA_BUNDLE", "SSL_CERT_FILE"},
    "http_proxy": {"HTTP_PROXY", "http_proxy"},
    "https_proxy": {"HTTPS_PROXY", "https_proxy"},
    "no_proxy": {"NO_PROXY", "no_proxy"},
}
# These mean something to other programs of the machine, or to none; they may pass.
HARMLESS = {"ALL_PROXY", "all_proxy", "REQUESTS_CA_BUNDLE", "SSL_CERT_FILE", "LANG"} | {
    name for name in UNKIND if name.startswith("SSH_")
}
# What only another program reads.
_TERRAFORMS = {name for name in UNKIND if name.startswith(("TF_", "TERRAFORM_"))}
_PACKERS = {name for name in UNKIND if name.startswith(("PACKER_", "PKR_VAR_"))}
Made = Callable[[Mapping[str, str], Target], dict[str, str]]


def terraform(caller: Mapping[str, str], target: Target) -> dict[str, str]:
    return environment.terraform(caller, target, cli_config=CONFIG, bytes_each=0)


def ours(caller: Mapping[str, str], target: Target) -> dict[str, str]:
    return environment.for_target(caller, target.name)


OTHERS_OWN: dict[Made, set[str]] = {
    ours: _TERRAFORMS | _PACKERS,
    terraform: _PACKERS,
    environment.packer: _TERRAFORMS,
}


def changed(made: Made, name: str, target: Target) -> set[str]:
    """The variables of a program that become others when this one is set unkindly."""
    kind, unkind = made(KIND, target), made({**KIND, name: UNKIND[name]}, target)
    return {each for each in kind.keys() | unkind if kind.get(each) != unkind.get(each)}


@pytest.mark.parametrize("name", UNKIND)
def test_an_unkind_variable_reaches_all_programs_alike_on_aws_or_none(name: str) -> None:
    for made in (ours, terraform, environment.packer):
        passes = HARMLESS - {*OBEYED} | OTHERS_OWN[made]
        assert changed(made, name, AWS) - passes == OBEYED.get(name, set()), made


@pytest.mark.parametrize("name", UNKIND)
def test_in_a_lab_nothing_unkind_reaches_a_program(name: str) -> None:
    registries = {"HTTPS_PROXY", "https_proxy"}  # outside of the lab
    for made in (terraform, environment.packer):
        assert changed(made, name, LAB) <= HARMLESS | registries | OTHERS_OWN[made], made


@pytest.mark.parametrize("made", [environment.suites, environment.lab, environment.python])
def test_a_python_of_ours_knows_nothing_of_another(made: Callable[..., dict[str, str]]) -> None:
    told = made(UNKIND, Path("/ours"), Path("/more"))
    own = {name: value for name, value in told.items() if name.startswith(("PY", "LC_"))}
    own.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "")
    assert own == {"PYTHONPATH": "/ours:/more", "PYTHONUTF8": "1", "LC_ALL": "C.UTF-8"}
    assert not [name for name in told if name.startswith(("GIT_", "RUBY", "PERL5", "FABRIC_"))]


def test_the_lab_has_nobodys_credentials() -> None:
    told = environment.lab({**UNKIND, "MOTO_ACCOUNT_ID": "1"})
    assert not [name for name in told if name.startswith(("AWS_", "MOTO_"))]


@pytest.mark.parametrize("name", sorted(ENDPOINTS))
def test_an_endpoint_of_the_operators_is_refused_by_name_on_aws_and_unseen_in_a_lab(
    name: str,
) -> None:
    caller = {**KIND, name: UNKIND[name]}
    (found,) = environment.contradictions(caller, "aws")
    assert name in found.what
    assert name in found.fix
    assert environment.contradictions(caller, "lab") == []
    ignored = {**caller, "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}
    assert environment.contradictions(ignored, "aws") == []
    assert name not in environment.for_target(ignored, "aws")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("HTTPS_PROXY", "https_proxy"),
        ("NO_PROXY", "no_proxy"),
        ("AWS_PROFILE", "AWS_DEFAULT_PROFILE"),
        ("AWS_ACCESS_KEY_ID", "AWS_ACCESS_KEY"),
        ("AWS_SESSION_TOKEN", "AWS_SECURITY_TOKEN"),
    ],
)
def test_two_names_for_one_thing_may_not_differ(one: str, other: str) -> None:
    (found,) = environment.contradictions({one: "a", other: "b"}, "aws")
    assert found.what.startswith(f"{one} and {other} differ") or found.what.startswith(
        f"{other} and {one}"
    )
    assert environment.contradictions({one: "a", other: "a"}, "aws") == []
    assert environment.contradictions({one: "a"}, "aws") == []
    assert environment.contradictions({other: "b"}, "aws") == []


def test_all_that_contradicts_itself_is_said_at_once() -> None:
    caller = {"AWS_ENDPOINT_URL": "x", "AWS_ENDPOINT_URL_S3": "y", "no_proxy": "a", "NO_PROXY": "b"}
    assert len(environment.contradictions(caller, "aws")) == 3


def test_a_name_that_only_some_read_becomes_the_one_that_all_read() -> None:
    told = environment.for_target({"AWS_ACCESS_KEY": "A", "AWS_SECRET_KEY": "s"}, "aws")
    assert (told["AWS_ACCESS_KEY_ID"], told["AWS_SECRET_ACCESS_KEY"]) == ("A", "s")


def test_an_empty_variable_is_none() -> None:
    assert "AWS_PROFILE" not in environment.for_target({"AWS_PROFILE": ""}, "aws")


def test_a_lab_run_cannot_reach_aws_whatever_the_operator_has_set() -> None:
    got = terraform({**KIND, **UNKIND}, LAB)
    assert {name: value for name, value in got.items() if name.startswith("AWS_")} == {
        **{name: value for name, value in LAB.environment.items() if name.startswith("AWS_")},
        # For a lab that nobody gave a configuration file of its own.
        "AWS_CONFIG_FILE": "/lab/aws-config",
        "AWS_SHARED_CREDENTIALS_FILE": "/lab/aws-config",
    }
    assert got["HTTP_PROXY"] == got["http_proxy"] == ENDPOINT
    assert got["NO_PROXY"] == got["no_proxy"] == "127.0.0.1"


def test_terraform_is_told_where_its_provider_is_and_not_to_ask() -> None:
    got = terraform({"TF_CLI_CONFIG_FILE": "/nowhere", "TF_INPUT": "1"}, AWS)
    assert got["TF_CLI_CONFIG_FILE"] == str(CONFIG)
    assert (got["TF_INPUT"], got["CHECKPOINT_DISABLE"]) == ("0", "1")


def test_terraform_keeps_what_it_logs_in_to_registries_with() -> None:
    assert terraform({"TF_TOKEN_example_com": "t"}, AWS)["TF_TOKEN_example_com"] == "t"


def test_the_key_pair_is_a_variable_of_the_roots() -> None:
    assert terraform({}, LAB)["TF_VAR_ssh_public_key"] == "ssh-rsa A"
    assert "TF_VAR_ssh_public_key" not in terraform({}, AWS)


def test_gos_collector_is_relaxed_only_where_there_is_memory_for_it() -> None:
    def made(caller: Mapping[str, str], bytes_each: int) -> dict[str, str]:
        return environment.terraform(caller, AWS, cli_config=CONFIG, bytes_each=bytes_each)

    assert made({}, 2_000_000_000)["GOGC"] == "400"
    assert "GOGC" not in made({}, 900_000_000)
    assert made({"GOGC": "50"}, 2_000_000_000)["GOGC"] == "50"


def test_debug_output_goes_to_the_operators_own_file_or_nowhere() -> None:
    assert "TF_LOG" not in terraform({"TF_LOG": "debug"}, AWS)
    assert terraform({"TF_LOG": "debug", "TF_LOG_PATH": "/tmp/x"}, AWS)["TF_LOG"] == "debug"


def test_a_labs_packer_reaches_its_endpoint_without_a_proxy() -> None:
    assert "HTTP_PROXY" not in environment.packer({}, LAB)
    assert environment.packer({"HTTP_PROXY": "p"}, AWS)["HTTP_PROXY"] == "p"


@pytest.fixture
def process() -> Any:
    """This process's environment, given back when the test is over."""
    before = dict(os.environ)
    yield adopt
    adopt(before)


def client(target: Target, caller: Mapping[str, str], service: str) -> Any:
    """A boto3 client as a command makes it that was called so."""
    adopt(environment.for_target(caller, target.name))
    return getattr(Session(target), service)("us-west-2")


@pytest.mark.parametrize("name", UNKIND)
def test_boto3_asks_where_terraform_acts(process: object, name: str) -> None:
    """Against the lab: its endpoint, its credentials, no proxy, whatever is set."""
    for service in ("s3", "sts"):
        made = client(LAB, {**os.environ, name: UNKIND[name]}, service)
        assert made.meta.endpoint_url == ENDPOINT
        assert made._request_signer._credentials.access_key == "123456789012"
        assert not made.meta.config.proxies
        assert made.meta.config.retries["total_max_attempts"] == 16


@pytest.mark.parametrize(
    "name", [name for name in UNKIND if name not in OBEYED or "PROXY" in name.upper()]
)
def test_boto3_asks_aws_itself(process: object, name: str) -> None:
    """On AWS what isn't refused by name leaves boto3 where Terraform is: at AWS's own endpoints."""
    caller = {**KIND, name: UNKIND[name], "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS": "true"}
    for service, host in (("s3", "s3.us-west-2"), ("sts", "sts.us-west-2")):
        made = client(AWS, caller, service)
        assert made.meta.endpoint_url == f"https://{host}.amazonaws.com"
        assert made._request_signer._credentials.access_key == "AKIAREAL"


def test_an_endpoint_in_aws_own_configuration_counts_for_none(
    process: object, tmp_path: Path
) -> None:
    config = tmp_path / "config"
    config.write_text("[default]\nendpoint_url = http://127.0.0.1:9\n")
    made = client(AWS, {**KIND, "AWS_CONFIG_FILE": str(config)}, "s3")
    assert made.meta.endpoint_url == "https://s3.us-west-2.amazonaws.com"
    # Terraform's SDK is told the same: docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints
    assert terraform(KIND, AWS)["AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"] == "true"


def program(folder: Path, name: str, text: str) -> dict[str, str]:
    (folder / name).write_text(f"#!/bin/sh\n{text}\n")
    (folder / name).chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin"}


def test_the_engines_probe_takes_no_arguments_from_the_environment(tmp_path: Path) -> None:
    says = '[ -z "${TF_CLI_ARGS:-}${TF_CLI_ARGS_version:-}" ] && echo Terraform v1.11.4'
    caller = program(tmp_path, "terraform", says)
    unkind = {
        "TF_CLI_ARGS": "-nonsense",
        "TF_CLI_ARGS_version": "-json",
        "TF_CLI_CONFIG_FILE": "/no",
    }
    assert find_engine({**caller, **unkind}).version == (1, 11, 4)


def test_packers_probe_logs_nothing(tmp_path: Path) -> None:
    caller = program(tmp_path, "packer", '[ -z "${PACKER_LOG:-}" ] && echo Packer v1.11.2')
    assert packer.find({**caller, "PACKER_LOG": "1"}).version == (1, 11, 2)
