"""A lab's own credentials: one secret in its folder, and all that is derived from it.

Who can read the file is the lab's operator, in every account: an account's number is the access
key id of its operator, as the lab has always had it, and the key to it belongs to this lab alone.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field

from orchestrate.errors import LabError
from orchestrate.lab import own_folder
from orchestrate.lab.paths import LabFiles

BYTES = 32
KEY_CHARACTERS = 40  # as many as AWS's have


@dataclass(frozen=True)
class LabSecret:
    """What a lab's owner alone knows. Nothing derived tells anything of it or of its siblings."""

    seed: bytes = field(repr=False)

    @property
    def token(self) -> str:
        """What `/_lab/` asks for."""
        return self._derived("operator")

    def access_key(self, account: str) -> str:
        """The secret access key of the operator of a twelve-digit `account`."""
        return self._derived(f"account {account}")[:KEY_CHARACTERS]

    @property
    def authorization(self) -> dict[str, str]:
        """The header of a request to `/_lab/`."""
        return {"Authorization": f"Bearer {self.token}"}

    def opens(self, authorization: str) -> bool:
        """Whether this is the value of that header."""
        given, own = authorization.encode(), self.authorization["Authorization"].encode()
        return hmac.compare_digest(given, own)

    def _derived(self, purpose: str) -> str:
        return hmac.new(self.seed, purpose.encode(), hashlib.sha256).hexdigest()


def fresh() -> LabSecret:
    """One that nobody has had before."""
    return LabSecret(secrets.token_bytes(BYTES))


def ensure(files: LabFiles) -> LabSecret:
    """The lab's secret, made now if it has none; its folder must be there."""
    if not files.secret.exists():
        own_folder.write(files.secret, fresh().seed.hex() + "\n")
    return read(files)


def read(files: LabFiles) -> LabSecret:
    """The lab's secret. Raises LabError where there is none, or it is somebody else's."""
    try:
        seed = bytes.fromhex(files.secret.read_text())
    except PermissionError as error:
        what, fix = "this lab is another user's", "sudo, or a lab of your own: ORCHESTRATE_LAB_DIR"
        raise LabError(what, where=str(files.secret), fix=fix) from error
    except (FileNotFoundError, ValueError):
        seed = b""
    if len(seed) != BYTES:  # cut short it could be guessed, and all that is derived from it
        fix = "orchestrate lab down && orchestrate lab up"
        raise LabError("the lab's secret is gone", where=str(files.secret), fix=fix)
    return LabSecret(seed)
