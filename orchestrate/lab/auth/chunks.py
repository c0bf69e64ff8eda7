"""Bodies that are signed chunk by chunk, as S3 takes them. Pure.

https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html and, with a checksum at the
end, https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Iterator

from orchestrate.lab.auth.signed import Signed

SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD"
SIGNED_WITH_TRAILER = f"{SIGNED}-TRAILER"
HEAD = re.compile(rb"([0-9a-fA-F]+);chunk-signature=([0-9a-f]{64})\r\n")
TRAILER_SIGNATURE = re.compile(rb"x-amz-trailer-signature:([0-9a-f]{64})\s*\Z")
NOTHING = hashlib.sha256(b"").hexdigest()

Sign = Callable[[str], str]


def all_signed(body: bytes, kind: str, claim: Signed, sign: Sign) -> bool:
    """Whether every chunk is signed, in this order, up to the empty one, and what follows that.

    `sign` makes the signature of a text in the scope of `claim`.
    """
    before, at = claim.signature, 0
    while head := HEAD.match(body, at):
        size, given = int(head[1], 16), head[2].decode()
        chunk, at = body[head.end() : head.end() + size], head.end() + size
        text = _text("PAYLOAD", claim, before, NOTHING, hashed(chunk))
        if len(chunk) < size or not hmac.compare_digest(sign(text), given):
            return False
        before = given
        if not size:
            return kind == SIGNED or _trailer_signed(body[at:], claim, before, sign)
        at += len(b"\r\n")
    return False


def _trailer_signed(trailer: bytes, claim: Signed, before: str, sign: Sign) -> bool:
    given = TRAILER_SIGNATURE.search(trailer)
    if not given:
        return False
    lines = b"".join(_lines(trailer[: given.start()]))
    text = _text("TRAILER", claim, before, hashed(lines))
    return hmac.compare_digest(sign(text), given[1].decode())


def _lines(trailer: bytes) -> Iterator[bytes]:
    for line in trailer.split(b"\n"):
        if stripped := line.strip():
            yield stripped + b"\n"


def hashed(content: bytes) -> str:
    """As signatures have it."""
    return hashlib.sha256(content).hexdigest()


def _text(what: str, claim: Signed, before: str, *hashes: str) -> str:
    return "\n".join([f"AWS4-HMAC-SHA256-{what}", claim.stamp, claim.scope, before, *hashes])
