"""EC2 security groups: rules whose other side is a group or a prefix list."""

from collections.abc import Callable, Mapping
from typing import Any

from moto.ec2.models.security_groups import SecurityGroupBackend, SecurityGroupRule

from orchestrate.lab.gaps import amends

RANGES = {"CidrIpv4": "CidrIp", "CidrIpv6": "CidrIpv6"}  # a request's names, and moto's


@amends(SecurityGroupBackend, "create_security_group")
def create_security_group(
    original: Callable[..., Any], backend: Any, *args: Any, **options: Any
) -> Any:
    """A VPC's default group lets its members reach each other.

    https://docs.aws.amazon.com/vpc/latest/userguide/default-security-group.html. Real hosts in it
    depend on that, and `aws_default_security_group` takes the rule away.
    """
    group = original(backend, *args, **options)
    if group.is_default:
        backend.authorize_security_group_ingress(
            group.id, "-1", "-1", "-1", [], source_groups=[{"GroupId": group.id}]
        )
    return group


@amends(SecurityGroupRule, "description")
def description(original: Callable[..., Any], rule: Any) -> str | None:
    """A rule has its description whatever its other side is.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_UserIdGroupPair.html.
    `aws_vpc_security_group_ingress_rule.description` with `referenced_security_group_id`.
    """
    found: str | None = original(rule) or rule.source_group.get("Description")
    return found


@amends(SecurityGroupBackend, "modify_security_group_rules")
def modify_security_group_rules(
    original: Callable[..., Any], backend: Any, group_id: str, rules: Mapping[str, Any]
) -> None:
    """Any rule can be modified: one for all ports needs none, and the other side may be a group.

    https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_SecurityGroupRuleRequest.html.
    A changed `description` of any `aws_vpc_security_group_*_rule`.
    """
    group = backend.get_security_group_by_name_or_id(group_id)
    for rule_id, wanted in rules.items():
        rule = group.get_rule(rule_id) if group else None
        if rule is None:
            original(backend, group_id, {rule_id: wanted})  # moto's own error
        else:
            _modify(backend, rule, wanted)


def _modify(backend: Any, rule: Any, wanted: Mapping[str, Any]) -> None:
    rule.ip_protocol = wanted["IpProtocol"]
    every_port = rule.ip_protocol == "-1"
    rule.from_port = None if every_port else wanted.get("FromPort")
    rule.to_port = None if every_port else wanted.get("ToPort")
    told = {"Description": wanted["Description"]} if wanted.get("Description") else {}
    ranges = {key: wanted[name] for name, key in RANGES.items() if wanted.get(name)}
    rule.ip_range = {**ranges, **told} if ranges else {}
    other = wanted.get("ReferencedGroupId")
    owner = {"OwnerId": backend.account_id, "UserId": backend.account_id}
    rule.source_group = {"GroupId": other, **owner, **told} if other else {}
    rule.prefix_list_id = wanted.get("PrefixListId")
