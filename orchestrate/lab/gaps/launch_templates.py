"""EC2 launch templates: what is theirs, and what is their instances'."""

from collections.abc import Callable
from typing import Any

from moto.ec2.models.launch_templates import LaunchTemplate, LaunchTemplateBackend
from moto.ec2.utils import parse_user_data

from orchestrate.lab.gaps import amends


@amends(LaunchTemplateBackend, "create_launch_template")
def create_launch_template(
    original: Callable[..., Any],
    backend: Any,
    name: str,
    description: str,
    template_data: dict[str, Any],
    tag_spec: dict[str, Any],
) -> Any:
    """A template's own tags are no part of its data.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateLaunchTemplate.html
    (TagSpecification.N). moto copies them there: `aws_launch_template` with default tags would
    lose a `tag_specifications` block, and get a new version, in every plan.
    """
    listed = template_data.get("TagSpecifications", [])
    own = [one for one in listed if one["ResourceType"] != "launch-template"]
    data = {key: value for key, value in template_data.items() if key != "TagSpecifications"}
    return original(
        backend,
        name,
        description,
        {**data, **({"TagSpecifications": own} if own else {})},
        tag_spec,
    )


@amends(LaunchTemplate, "create_version")
def create_version(
    original: Callable[..., Any], template: Any, data: dict[str, Any], description: str
) -> Any:
    """User data is base 64 in every version, or refused.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_RequestLaunchTemplateData.html.
    moto reads it so in the first version only; an `aws_autoscaling_group` that launches from a
    later one, after any change of `aws_launch_template`, ends in an exception.
    """
    said = data.get("UserData")
    parsed = {"UserData": parse_user_data(said)} if isinstance(said, str) else {}
    return original(template, {**data, **parsed}, description)


@amends(LaunchTemplateBackend, "describe_launch_templates")
def describe_launch_templates(
    original: Callable[..., list[Any]], backend: Any, *given: Any, **options: Any
) -> list[Any]:
    """A template has the tags it was given last.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplate.html (TagSet). moto
    answers with those it was made with; `tags_all` of `aws_launch_template` would change with every
    apply once the fleet's tags have.
    """
    found = original(backend, *given, **options)
    for template in found:
        template.tags = template.get_tags()
    return found
