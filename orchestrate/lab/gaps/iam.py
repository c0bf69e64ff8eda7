"""IAM: what is not there cannot be taken away, and what is in use stays."""

from collections.abc import Callable
from typing import Any

from moto.iam.exceptions import DeleteConflictException, NotFoundException
from moto.iam.models import IAMBackend

from orchestrate.lab.gaps import amends


@amends(IAMBackend, "remove_role_from_instance_profile")
def remove_role_from_instance_profile(
    original: Callable[..., Any], backend: Any, profile_name: str, role_name: str
) -> None:
    """A role that is not in the profile is no such entity.

    https://docs.aws.amazon.com/IAM/latest/APIReference/API_RemoveRoleFromInstanceProfile.html.
    moto ends with an exception: an `aws_iam_instance_profile` that is destroyed again.
    """
    profile, role = backend.get_instance_profile(profile_name), backend.get_role(role_name)
    if role not in profile.roles:
        what = f"Role {role_name} is not in instance profile {profile_name}."
        raise NotFoundException(what)
    original(backend, profile_name, role_name)


@amends(IAMBackend, "delete_policy")
def delete_policy(original: Callable[..., Any], backend: Any, policy_arn: str) -> None:
    """A policy that is attached, or somebody's boundary, is not deleted, nor one of which another
    version than the default is there.

    https://docs.aws.amazon.com/IAM/latest/APIReference/API_DeletePolicy.html. An order of
    destroying that AWS refuses. moto's own count goes up with each repeated attachment.
    """
    bounded = (*backend.roles.values(), *backend.users.values())
    entities = (*bounded, *backend.groups.values())
    if any(policy_arn in one.managed_policies for one in entities) or any(
        policy_arn == one.permissions_boundary_arn for one in bounded
    ):
        raise DeleteConflictException("Cannot delete a policy attached to entities.")
    if len(backend.get_policy(policy_arn).versions) > 1:
        what = "This policy has more than one version. Before you delete a policy, you must "
        raise DeleteConflictException(f"{what}delete the policy's other versions.")
    original(backend, policy_arn)
