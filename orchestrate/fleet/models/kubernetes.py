"""The Kubernetes part of a cluster or site."""

from pydantic import Field

from orchestrate.fleet.models.base import Model
from orchestrate.fleet.shapes import Whole


class Kubernetes(Model):
    """How large the pod and service ranges of a cluster or site are."""

    pods_prefix: Whole = Field(default=16, ge=12, le=20)
    """The pod range's length in bits."""
    services_prefix: Whole = Field(default=20, ge=16, le=24)
    """The service range's length in bits."""
