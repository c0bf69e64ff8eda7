from pathlib import Path

import pytest

from orchestrate.target import Target
from orchestrate.terraform.environment import environment, hide, secrets

CONFIG = Path("/cache/terraform.tfrc")
LAB = Target(
    "lab",
    "http://127.0.0.1:5050",
    {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:5050",
        "AWS_ACCESS_KEY_ID": "123456789012",
        "AWS_SECRET_ACCESS_KEY": "lab",
    },
    ssh_public_key="ssh-ed25519 AAAA lab",
)
AWS = Target("aws")
OPERATOR = {
    "PATH": "/usr/bin",
    "HTTPS_PROXY": "http://proxy:3128",
    "AWS_PROFILE": "production",
    "AWS_ACCESS_KEY_ID": "AKIAREAL",
    "AWS_SECRET_ACCESS_KEY": "real",
    "AWS_SESSION_TOKEN": "real",
    "AWS_ENDPOINT_URL": "http://127.0.0.1:4566",
    "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:4567",
}


def made(caller: dict[str, str], target: Target, bytes_each: int = 0) -> dict[str, str]:
    return environment(caller, target, cli_config=CONFIG, bytes_each=bytes_each)


def test_a_lab_run_cannot_reach_aws_whatever_the_operator_has_set() -> None:
    got = made(OPERATOR, LAB)
    aws = {name: value for name, value in got.items() if name.startswith("AWS_")}
    assert aws == {
        **LAB.environment,
        "AWS_CONFIG_FILE": "/dev/null",
        "AWS_SHARED_CREDENTIALS_FILE": "/dev/null",
        "AWS_EC2_METADATA_DISABLED": "true",
    }


def test_an_aws_run_keeps_the_operators_credentials_and_drops_stray_endpoints() -> None:
    got = made(OPERATOR, AWS)
    assert got["AWS_PROFILE"] == "production"
    assert not [name for name in got if name.startswith("AWS_ENDPOINT_URL")]
    assert "AWS_EC2_METADATA_DISABLED" not in got


def test_what_else_the_operator_has_is_kept() -> None:
    assert made(OPERATOR, AWS)["HTTPS_PROXY"] == "http://proxy:3128"


@pytest.mark.parametrize(
    "name", ["TF_CLI_ARGS_plan", "TF_WORKSPACE", "TF_DATA_DIR", "TF_VAR_n", "TF_PLUGIN_CACHE_DIR"]
)
def test_what_would_change_a_command_behind_our_back_is_dropped(name: str) -> None:
    assert name not in made({name: "x"}, AWS)


def test_terraform_is_told_where_its_provider_is_and_not_to_ask() -> None:
    got = made({"TF_CLI_CONFIG_FILE": "/nowhere", "TF_INPUT": "1"}, AWS)
    assert got["TF_CLI_CONFIG_FILE"] == str(CONFIG)
    assert got["TF_INPUT"] == "0"
    assert got["CHECKPOINT_DISABLE"] == "1"


def test_the_key_pair_is_a_variable_of_the_roots() -> None:
    assert made({}, LAB)["TF_VAR_ssh_public_key"] == "ssh-ed25519 AAAA lab"
    assert "TF_VAR_ssh_public_key" not in made({}, AWS)


def test_gos_collector_is_relaxed_only_where_there_is_memory_for_it() -> None:
    assert made({}, AWS, bytes_each=2_000_000_000)["GOGC"] == "400"
    assert "GOGC" not in made({}, AWS, bytes_each=900_000_000)
    assert made({"GOGC": "50"}, AWS, bytes_each=2_000_000_000)["GOGC"] == "50"


def test_debug_output_goes_to_the_operators_own_file_or_nowhere() -> None:
    assert "TF_LOG" not in made({"TF_LOG": "debug"}, AWS)
    assert made({"TF_LOG": "debug", "TF_LOG_PATH": "/tmp/x"}, AWS)["TF_LOG"] == "debug"


def test_values_of_variables_named_like_secrets_are_secrets() -> None:
    found = secrets(
        {
            "AWS_SECRET_ACCESS_KEY": "wJalrXUtnFEMI",
            "TF_VAR_psk": "correct-horse",
            "CI_JOB_TOKEN": "abc",
            "PATH": "/usr/bin:/bin",
        }
    )
    assert found == {"wJalrXUtnFEMI", "correct-horse"}


def test_secrets_are_hidden_in_text_and_in_json() -> None:
    found = secrets({"VPN_PASSWORD": 'say "friend"'})
    assert hide('psk = say "friend"', found) == "psk = (hidden)"
    assert hide(r'{"detail":"say \"friend\" twice"}', found) == '{"detail":"(hidden) twice"}'
