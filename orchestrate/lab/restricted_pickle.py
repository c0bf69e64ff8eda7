"""moto's objects as bytes and back, by pickle restricted to data: reading runs no code of a file's.

A pickle is a program that may call anything that Python can import. Here it may make the objects
that moto's state consists of, without calling their constructors, and values of a named list; all
else is refused before anything of it happens. Why not JSON: ADR 20.
"""

import collections
import datetime
import decimal
import io
import ipaddress
import pickle
import re
import threading
import uuid
from collections.abc import Callable, Mapping
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any, ClassVar

from cryptography.hazmat.primitives.asymmetric.ec import (
    EllipticCurvePrivateKey,
    EllipticCurvePublicKey,
)
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey, RSAPublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

PRIVATE = (RSAPrivateKey, EllipticCurvePrivateKey)
PUBLIC = (RSAPublicKey, EllipticCurvePublicKey)
# Whose classes state is made of. Their instances are filled, never constructed.
OWNERS = ("moto.", "orchestrate.lab.")
# And one of another's, in which S3 keeps the metadata of what is being uploaded.
FILLED = {("requests.structures", "CaseInsensitiveDict")}


class Refused(pickle.UnpicklingError):
    """The bytes ask for what is no data."""


def dumps(held: object) -> bytes:
    buffer = io.BytesIO()
    _Pickler(buffer, pickle.HIGHEST_PROTOCOL).dump(held)
    return buffer.getvalue()


def loads(held: bytes) -> Any:
    """What `dumps` was given. Raises Refused, and whatever other versions' data leads to."""
    return _Unpickler(io.BytesIO(held)).load()


# Functions of ours: pickle names what it calls, and those of a compiled module have no name.
def _private_key(pem: bytes) -> Any:
    return load_pem_private_key(pem, None)


def _public_key(pem: bytes) -> Any:
    return load_pem_public_key(pem)


def _method(owner: object, name: str) -> Any:
    """A method that moto keeps to be called back: one that moto itself wrote, of such an object."""
    function = next((vars(base)[name] for base in type(owner).__mro__ if name in vars(base)), None)
    if not _of_owners(type(owner)) or not isinstance(function, FunctionType):
        raise Refused(f"{name} is no method of moto's")
    if not function.__module__.startswith(OWNERS) or name.startswith("__"):
        raise Refused(f"{name} is no method of moto's")
    return MethodType(function, owner)


# What is called with what the file says. Each makes one value and does nothing else.
VALUES: Mapping[tuple[str, str], Callable[..., Any]] = {
    (one.__module__, one.__qualname__): one
    for one in (
        *(_method, _private_key, _public_key, collections.OrderedDict, collections.defaultdict),
        *(datetime.date, datetime.datetime, datetime.timedelta, datetime.timezone),
        *(ipaddress.IPv4Address, ipaddress.IPv4Network, ipaddress.IPv6Address),
        *(ipaddress.IPv6Network, decimal.Decimal, uuid.UUID, frozenset, set, dict, list),
        re._compile,  # type: ignore[attr-defined]  # how `re` has its patterns pickled
    )
} | {("_thread", "allocate_lock"): threading.Lock, ("threading", "RLock"): threading.RLock}


class _Pickler(pickle.Pickler):
    """Knows how to keep what pickle does not: the keys of KMS, locks that nobody holds."""

    def reducer_override(self, one: object) -> Any:
        if isinstance(one, PRIVATE):
            pem = one.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
            return _private_key, (pem,)
        if isinstance(one, PUBLIC):
            pem = one.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            return _public_key, (pem,)
        if isinstance(one, type(threading.Lock())):
            return threading.Lock, ()
        if isinstance(one, type(threading.RLock())):
            return threading.RLock, ()
        if isinstance(one, MethodType):
            return _method, (one.__self__, one.__name__)
        return NotImplemented


# The steps of Python's reader, by their codes. Each takes the reader.
STEPS: Mapping[int, Any] = pickle._Unpickler.dispatch


def _of_owners(one: type) -> bool:
    named = (one.__module__, one.__qualname__)
    return one.__module__.startswith(OWNERS) or named in FILLED


class _Unpickler(pickle._Unpickler):
    """pickle's own, in Python, whose every step can be looked at; with fewer steps."""

    dispatch: ClassVar[dict[int, Any]] = {}  # filled below
    stack: list[Any]
    metastack: list[list[Any]]

    def find_class(self, module: str, name: str) -> Any:
        if value := VALUES.get((module, name)):
            return value
        if module.startswith(OWNERS) or (module, name) in FILLED:
            found = super().find_class(module, name)
            # Not what a module has imported: that is another's.
            if isinstance(found, type) and (found.__module__, found.__qualname__) == (module, name):
                return found
        raise Refused(f"{module}.{name} is not among what a saved cloud may hold")

    def _refuse(self) -> None:
        raise Refused("a step that a saved cloud does not need")

    def _call(self) -> None:
        """REDUCE: call what is named with arguments."""
        if not any(self.stack[-2] is value for value in VALUES.values()):
            raise Refused(f"{self.stack[-2]!r} is not to be called")
        STEPS[pickle.REDUCE[0]](self)

    def _instance(self) -> None:
        """NEWOBJ: an object of a class, not constructed."""
        kind, arguments = self.stack[-2:]
        if not isinstance(kind, type) or not _of_owners(kind):
            raise Refused(f"{kind!r} is no class of moto's")
        # Python's own makes a string of letters; moto's, which notes what there is, takes nothing.
        if arguments and not isinstance(kind.__new__, BuiltinFunctionType):
            raise Refused(f"{kind!r} takes no arguments")
        STEPS[pickle.NEWOBJ[0]](self)

    def _fill(self) -> None:
        """BUILD: give an object its attributes, or as its class's `__setstate__` does."""
        state, filled = self.stack.pop(), self.stack[-1]
        kind = type(filled)
        if isinstance(filled, type) or not _of_owners(kind) or not isinstance(state, dict):
            raise Refused(f"{filled!r} is not filled by a saved cloud")
        # The class's alone: one among the attributes would be anything that can be called.
        if set_state := getattr(kind, "__setstate__", None):
            set_state(filled, state)
        else:
            vars(filled).update(state)

    def _collect(self, code: int, kind: type) -> None:
        """Put items into a collection: other objects' `append` and `extend` are code."""
        holder = self.stack if code in DEPTH else self.metastack[-1]
        if not isinstance(holder[DEPTH.get(code, -1)], kind):
            raise Refused(f"{kind.__name__} expected")
        STEPS[code](self)


# How far below the top of the stack is what takes one item; many follow a mark.
DEPTH = {pickle.APPEND[0]: -2, pickle.SETITEM[0]: -3}
COLLECTIONS = {
    **dict.fromkeys((pickle.APPEND[0], pickle.APPENDS[0]), list),
    **dict.fromkeys((pickle.SETITEM[0], pickle.SETITEMS[0]), dict),
    pickle.ADDITEMS[0]: set,
}
PLAIN = (
    "PROTO FRAME STOP MARK NONE NEWTRUE NEWFALSE BININT BININT1 BININT2 LONG1 LONG4 BINFLOAT "
    "SHORT_BINUNICODE BINUNICODE BINUNICODE8 SHORT_BINBYTES BINBYTES BINBYTES8 BYTEARRAY8 "
    "EMPTY_TUPLE TUPLE1 TUPLE2 TUPLE3 TUPLE EMPTY_LIST EMPTY_DICT EMPTY_SET FROZENSET MEMOIZE "
    "BINGET LONG_BINGET POP POP_MARK STACK_GLOBAL"
)


def _collecting(code: int, kind: type) -> Callable[[_Unpickler], None]:
    return lambda reading: reading._collect(code, kind)


_Unpickler.dispatch.update(
    {
        **dict.fromkeys(range(256), _Unpickler._refuse),
        **{code: STEPS[code] for code in (getattr(pickle, name)[0] for name in PLAIN.split())},
        **{code: _collecting(code, kind) for code, kind in COLLECTIONS.items()},
        pickle.REDUCE[0]: _Unpickler._call,
        pickle.NEWOBJ[0]: _Unpickler._instance,
        pickle.BUILD[0]: _Unpickler._fill,
    }
)
