from orchestrate.changes import Action, Change, count
from orchestrate.terraform.events import Planned
from orchestrate.terraform.plan import changes
from tests.unit.terraform.streams import recorded


def test_each_action_becomes_a_change_with_its_reason() -> None:
    found = {
        change.address: (change.action, change.reason)
        for change in changes("west", recorded("plan_changes"))
    }
    assert found == {
        'terraform_data.each["a"]': (
            Action.REPLACE,
            "it is tainted: an earlier apply left it half made",
        ),
        'terraform_data.each["b"]': (Action.DESTROY, "its entry is no longer in the fleet"),
        "terraform_data.first": (Action.CHANGE, ""),
        "terraform_data.second": (Action.REPLACE, "AWS cannot change this in place"),
    }


def test_a_destroy_plan_destroys_everything() -> None:
    counted = count(changes("west", recorded("plan_destroy")))
    assert counted == {Action.ADD: 0, Action.CHANGE: 0, Action.REPLACE: 0, Action.DESTROY: 3}


def test_a_clean_plan_has_no_changes() -> None:
    assert changes("west", recorded("plan_clean")) == ()


def test_reads_moves_and_no_ops_are_not_changes() -> None:
    events = [Planned("data.aws_ami.x", "aws_ami", action) for action in ("read", "move", "noop")]
    assert changes("west", events) == ()


def test_a_reason_not_known_yet_is_shown_in_terraforms_words() -> None:
    event = Planned("aws_vpc.this", "aws_vpc", "replace", "because_of_the_moon")
    assert changes("west", [event]) == (
        Change("west", "aws_vpc.this", "aws_vpc", Action.REPLACE, "because of the moon"),
    )
