"""What the lab's API holds, on disk: written soon after each change, read when a daemon starts.

One file: a line of JSON that says who can read it, then moto's backends, together so that what they
share stays shared (`restricted_pickle`). A file of other versions is as good as none.
"""

import json
import logging
import platform
import threading
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from moto.backends import get_backend
from moto.core.base_backend import BackendDict

from orchestrate.lab import own_folder, restricted_pickle

FORMAT = 2
SETTLE_S = 0.5  # a run changes things all the time: what it does meanwhile is written at once
SHARE = 10  # writing takes at most this part of the daemon's time: a tenth

log = logging.getLogger("lab.saved")


def header(slot: int) -> dict[str, Any]:
    """Who can read what is written now: the same moto, Python, and addresses of the same slot."""
    python = ".".join(platform.python_version_tuple()[:2])
    return {"format": FORMAT, "moto": version("moto"), "python": python, "slot": slot}


def write(file: Path, slot: int, held: bytes) -> None:
    """Replace the file in one step by what `dump` gave."""
    own_folder.write(file, json.dumps(header(slot)).encode() + b"\n" + held)


def dump() -> bytes:
    """Everything all services hold now. Call with the API's lock held."""
    instances: list[Any] = vars(BackendDict)["_instances"]
    held = {
        service.service_name: {account: dict(places) for account, places in service.items()}
        for service in instances
    }
    return restricted_pickle.dumps(held)


def restore(file: Path, slot: int) -> bool:
    """Give moto back what was written; False, and nothing done, where it cannot be read."""
    try:
        first, _, held = file.read_bytes().partition(b"\n")
        if json.loads(first) != header(slot):
            log.warning("the saved cloud is of other versions: %s", first.decode())
            return False
        services = restricted_pickle.loads(held)
    except FileNotFoundError:
        return False
    except restricted_pickle.Refused as refused:
        log.error("the saved cloud is refused: %s", refused)
        return False
    except Exception:  # pickle raises whatever the classes of another version make of the data
        log.exception("the saved cloud cannot be read")
        return False
    for name, accounts in services.items():
        for account, places in accounts.items():
            backend: Any = get_backend(name)[account]
            for place, one in places.items():
                backend[place] = one
    log.info("the cloud is as it was")
    return True


class Saver:
    """Writes in a thread of its own, some time after `touch`; `close` writes what is left."""

    def __init__(self, file: Path, slot: int, lock: threading.Lock) -> None:
        self._file, self._slot, self._lock = file, slot, lock
        self._touched = threading.Event()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="saver", daemon=True)
        self._thread.start()

    def touch(self) -> None:
        """Something changed."""
        self._touched.set()

    def close(self) -> None:
        """Write the last changes and end."""
        self._closing.set()
        self._touched.set()
        self._thread.join()

    def _keep(self) -> None:
        while not self._closing.is_set():
            self._touched.wait()
            self._closing.wait(SETTLE_S)
            self._touched.clear()
            begun = time.monotonic()
            self._save()
            self._closing.wait((SHARE - 1) * (time.monotonic() - begun))
        if self._touched.is_set():  # while it rested
            self._save()

    def _save(self) -> None:
        try:
            with self._lock:
                held = dump()
            write(self._file, self._slot, held)
        except Exception:  # the lab goes on; it only will not be remembered
            log.exception("the cloud is not saved")
