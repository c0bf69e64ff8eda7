import json

from orchestrate.terraform.outputs import Output, from_state

STATE = json.dumps(
    {
        "version": 4,
        "outputs": {
            "vpc_id": {"value": "vpc-1", "type": "string"},
            "key": {"value": "hush", "type": "string", "sensitive": True},
        },
    }
).encode()


def test_outputs_come_from_the_state_sorted_by_name() -> None:
    assert from_state(STATE) == {"key": Output("hush", sensitive=True), "vpc_id": Output("vpc-1")}
    assert list(from_state(STATE)) == ["key", "vpc_id"]


def test_an_empty_state_has_none() -> None:
    assert from_state(b"") == {}
    assert from_state(b'{"version": 4}') == {}


def test_a_sensitive_value_is_in_no_text_of_it() -> None:
    assert "hush" not in f"{from_state(STATE)} {from_state(STATE)['key']}"
