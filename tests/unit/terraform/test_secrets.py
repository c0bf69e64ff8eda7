"""What no log may show."""

from orchestrate.terraform.secrets import hide, secrets


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
