"""A question about the time, and its answer: NTP in its simplest form. Pure.

RFC 5905, section 7.3; a server that is asked keeps nothing of who asked.
"""

import struct

HEADER = struct.Struct("!BBbbII4sQQQQ")
CLIENT, SERVER = 3, 4  # modes
STRATUM = 3  # what AWS's own service says it is
REFERENCE = bytes([169, 254, 169, 122])
PRECISION = -20  # a power of two, in seconds: about a microsecond
DISPERSION = 66  # 1 ms, in units of 2**-16 s
EPOCH_S = 2_208_988_800  # from NTP's first second, in 1900, to Unix's


def answer(query: bytes, received_ns: int, now_ns: int) -> bytes | None:
    """The answer of a synchronised server, None for what is no client's question.

    Times are nanoseconds since 1970: when the question came in, and when the answer goes out.
    """
    if len(query) < HEADER.size:
        return None
    flags, _, poll, *_, asked = HEADER.unpack(query[: HEADER.size])
    version, mode = flags >> 3 & 7, flags & 7
    if mode != CLIENT or not 1 <= version <= 4:
        return None
    return HEADER.pack(
        version << 3 | SERVER,
        STRATUM,
        poll,
        PRECISION,
        0,
        DISPERSION,
        REFERENCE,
        timestamp(received_ns),
        asked,
        timestamp(received_ns),
        timestamp(now_ns),
    )


def timestamp(unix_ns: int) -> int:
    """Seconds since 1900 in the upper 32 bits, their fraction in the lower; both wrap in 2036."""
    seconds, rest = divmod(unix_ns, 10**9)
    return ((seconds + EPOCH_S) % 2**32) << 32 | (rest << 32) // 10**9
