"""The VPC's resolver: from a DNS message to its answer. Pure; `resolver_server` serves it."""

import dns.exception
import dns.flags
import dns.message
import dns.name
import dns.opcode
import dns.rcode
import dns.rdatatype
import dns.rrset

from orchestrate.lab.names import Names, look_up

SMALLEST_PAYLOAD = 512  # bytes; RFC 1035, 4.2.1


def answer(query: bytes, names: Names, largest: int | None = None) -> bytes | None:
    """The answer to a message, None for what is no query.

    At most `largest` bytes, by default what the client says it takes over UDP: a longer one comes
    without records and asks for TCP. Nothing is forwarded: what the lab does not know is not there.
    """
    try:
        asked = dns.message.from_wire(query)
    except dns.exception.DNSException:
        return None
    if asked.flags & dns.flags.QR:
        return None
    made = dns.message.make_response(asked, recursion_available=True)
    if asked.opcode() != dns.opcode.QUERY or len(asked.question) != 1:
        made.set_rcode(dns.rcode.NOTIMP)
    else:
        _fill(made, names)
    return _wire(made, largest or max(SMALLEST_PAYLOAD, asked.payload))


def _fill(made: dns.message.Message, names: Names) -> None:
    question = made.question[0]
    kind = dns.rdatatype.to_text(question.rdtype)
    found = look_up(question.name.to_text(), kind, names)
    if not found.exists:
        made.set_rcode(dns.rcode.NXDOMAIN)
    for name, kind, records in found.records:
        # Names in values count as whole with or without a last dot.
        made.answer.append(
            dns.rrset.from_text_list(
                name,
                records.ttl_s,
                "IN",
                kind,
                records.values,
                origin=dns.name.root,
                relativize=False,
            )
        )


def _wire(made: dns.message.Message, largest: int) -> bytes:
    try:
        return made.to_wire(max_size=largest)
    except dns.exception.TooBig:
        made.answer.clear()
        made.flags |= dns.flags.TC
        return made.to_wire(max_size=largest)
