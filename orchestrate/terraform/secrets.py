"""Values that no log, journal or report may show, found in the environment. Pure."""

import json
from collections.abc import Iterable, Mapping

# Anything shorter stands in ordinary words as well.
SHORTEST_SECRET = 8


def secrets(environment: Mapping[str, str]) -> frozenset[str]:
    """Values that no log, journal or report may show (S9), as they are and as JSON has them.

    They are those of variables whose name says so.
    """
    words = ("SECRET", "TOKEN", "PASSWORD", "PRIVATE_KEY", "PSK")
    values = {
        value
        for name, value in environment.items()
        if len(value) >= SHORTEST_SECRET and any(word in name.upper() for word in words)
    }
    return frozenset(values | {json.dumps(value)[1:-1] for value in values})


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text without the secrets that happen to be in it."""
    for secret in secrets:
        text = text.replace(secret, "(hidden)")
    return text
