"""A stack's outputs, read from its state: no Terraform call is needed for them. Pure."""

from dataclasses import dataclass

from orchestrate.terraform.state import parse


@dataclass(frozen=True)
class Output:
    """One output. A sensitive value is kept out of every text this class makes (S9)."""

    value: object
    sensitive: bool = False

    def __repr__(self) -> str:
        return "Output(sensitive)" if self.sensitive else f"Output({self.value!r})"

    __str__ = __repr__


def from_state(state: bytes) -> dict[str, Output]:
    """The outputs in a state file's JSON, sorted by name; none if the state is empty.

    Raises `state.Unreadable`.
    """
    outputs = parse(state).get("outputs", {})
    return {
        name: Output(told["value"], bool(told.get("sensitive", False)))
        for name, told in sorted(outputs.items())
    }
