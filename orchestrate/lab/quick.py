"""Makes moto answer about twice as fast, the answers being the same.

Half of the time of a request goes into two questions whose answer never changes while a lab runs:
which services moto has (it lists its own folder) and which actions a service has (it inspects the
class). Each is asked once here.
"""

import functools
import sys

import moto.backends
import moto.core.responses
import moto.core.utils

# Longer than any common request. At Python's 5 ms a thread that waits for the API's lock takes
# the interpreter from the one that holds it, only to go on waiting: half the requests a second.
SWITCH_INTERVAL_S = 0.05


def quicken() -> None:
    """Remember what never changes, and let a request finish before another begins.

    Call it after the gaps are closed: the actions they add must be there to be remembered.
    """
    modules = frozenset(moto.backends.list_of_moto_modules())
    actions = functools.cache(moto.core.utils.method_names_from_class)
    setattr(moto.backends, "list_of_moto_modules", lambda: modules)  # noqa: B010 - not ours to type
    setattr(moto.core.responses, "method_names_from_class", actions)  # noqa: B010
    sys.setswitchinterval(SWITCH_INTERVAL_S)
