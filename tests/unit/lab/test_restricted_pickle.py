"""What a saved cloud may hold comes back; what would run code is refused before it runs."""

import builtins
import functools
import operator
import os
import pickle
import subprocess
from collections import OrderedDict, defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from ipaddress import IPv4Network
from pathlib import Path
from threading import Lock
from typing import Any

import boto3
import moto.core.utils
import moto.ec2.models
import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from moto import mock_aws
from moto.core.base_backend import BackendDict
from moto.ec2.models.security_groups import SecurityGroup
from moto.ec2.models.vpcs import VPC
from moto.moto_server.threaded_moto_server import ThreadedMotoServer

from orchestrate.lab.restricted_pickle import Refused, dumps, loads


class Calls:
    """Pickled as a call."""

    def __init__(self, called: Callable[..., Any], *arguments: Any) -> None:
        self.call = (called, arguments)

    def __reduce__(self) -> Any:
        return self.call


def _mark(path: Path) -> str:
    return f"touch {path}"


HOSTILE: dict[str, Callable[[Path], object]] = {
    "os.system": lambda mark: Calls(os.system, _mark(mark)),  # noqa: TID251
    "posix.execv": lambda mark: Calls(os.execv, "/usr/bin/touch", ["touch", str(mark)]),
    "eval": lambda mark: Calls(builtins.eval, f"open({str(mark)!r}, 'w')"),
    "exec": lambda mark: Calls(builtins.exec, f"open({str(mark)!r}, 'w')"),
    "__import__": lambda _: Calls(builtins.__import__, "antigravity"),
    "open": lambda mark: Calls(builtins.open, str(mark), "w"),
    "getattr": lambda _: Calls(builtins.getattr, moto.ec2.models.EC2Backend, "__init__"),
    "subprocess": lambda mark: Calls(subprocess.Popen, ["touch", str(mark)]),
    "functools.partial": lambda mark: Calls(functools.partial, os.system, _mark(mark)),  # noqa: TID251
    "operator.attrgetter": lambda _: Calls(operator.attrgetter, "system"),
    "operator.methodcaller": lambda _: Calls(operator.methodcaller, "touch"),
    "a path": lambda mark: Calls(Path.touch, mark),
    "a function of the lab's": lambda mark: Calls(_of_lab(), ["touch", str(mark)]),
    "a class of moto's, constructed": lambda _: Calls(ThreadedMotoServer, "127.0.0.1", 1),
    "a function of moto's": lambda _: Calls(moto.core.utils.iso_8601_datetime_without_milliseconds),
    "a factory that is code": lambda _: defaultdict(os.getcwd),
    "hidden in a value": lambda mark: {"ec2": {"1": [{"x": Calls(os.system, _mark(mark))}]}},  # noqa: TID251
}


def _of_lab() -> Callable[..., Any]:
    from orchestrate import shell

    return shell.run


@pytest.mark.parametrize("make", HOSTILE.values(), ids=HOSTILE)
def test_nothing_that_runs_code_is_read(make: Callable[[Path], object], tmp_path: Path) -> None:
    held = pickle.dumps(make(tmp_path / "ran"), pickle.HIGHEST_PROTOCOL)
    with pytest.raises(Refused):
        loads(held)
    assert list(tmp_path.iterdir()) == []


def _named(module: str, name: str) -> bytes:
    return (
        b"".join(
            pickle.SHORT_BINUNICODE + bytes([len(word)]) + word.encode() for word in (module, name)
        )
        + pickle.STACK_GLOBAL
    )


def _text(word: str) -> bytes:
    return pickle.SHORT_BINUNICODE + bytes([len(word)]) + word.encode()


GROUP = _named("moto.ec2.models.security_groups", "SecurityGroup")
MADE = GROUP + b")" + pickle.NEWOBJ
SERVER = _named("moto.moto_server.threaded_moto_server", "ThreadedMotoServer")
ASSEMBLED = {
    "what a module of moto's imported": _named("moto.core.models", "os.system"),
    "by way of a class": _named("moto.core.base_backend", "BaseBackend.__init__.__globals__"),
    "by moto's name for it": _named("moto.moto_server.threaded_moto_server", "Thread"),
    "a class that is called": SERVER + b")" + pickle.REDUCE,
    "an object made with arguments": GROUP + _text("x") + pickle.TUPLE1 + pickle.NEWOBJ,
    "an object of another's class": _named("collections", "OrderedDict") + b")" + pickle.NEWOBJ,
    "a class's own attributes": GROUP + b"}" + pickle.BUILD,
    "slots, which are set by setattr": MADE + b"N}" + pickle.TUPLE2 + pickle.BUILD,
    "a function's attributes": _named("re", "_compile") + b"}" + pickle.BUILD,
    "items for what is no list": MADE + b"N" + pickle.APPEND,
    "many items for what is no list": MADE + b"(N" + pickle.APPENDS,
    "items for what is no set": MADE + b"(N" + pickle.ADDITEMS,
    "items for what is no mapping": MADE + b"NN" + pickle.SETITEM,
    "a special method of moto's": _named("orchestrate.lab.restricted_pickle", "_method")
    + MADE + _text("__init__") + pickle.TUPLE2 + pickle.REDUCE,
    "a method of no object of moto's": _named("orchestrate.lab.restricted_pickle", "_method")
    + b"]" + _text("append") + pickle.TUPLE2 + pickle.REDUCE,
    "a global by protocol 0": b"cos\nsystem\n",
    "an instance by protocol 0": b"(ios\nsystem\n",
    "an object by protocol 1": b"(" + SERVER + pickle.OBJ,
    "an object with names": SERVER + b")}" + pickle.NEWOBJ_EX,
    "an extension": pickle.EXT1 + b"\x01",
    "somebody else's id": b"N" + pickle.BINPERSID,
}  # fmt: skip


@pytest.mark.parametrize("step", ASSEMBLED.values(), ids=ASSEMBLED)
def test_no_way_around_by_hand_leads_to_code(step: bytes) -> None:
    with pytest.raises(Refused):
        loads(pickle.PROTO + b"\x04" + step + pickle.STOP)


def test_an_attribute_does_not_become_the_way_to_fill_an_object() -> None:
    """Python's own reader would call an attribute `__setstate__` at the second BUILD."""
    planted = MADE + b"}" + _text("__setstate__") + SERVER + pickle.SETITEM + pickle.BUILD
    made = loads(pickle.PROTO + b"\x04" + planted + b"}" + pickle.BUILD + pickle.STOP)

    assert isinstance(made, SecurityGroup)


def test_what_moto_holds_comes_back() -> None:
    key = generate_private_key(SECP256R1())
    vpc: Any = VPC.__new__(VPC)
    group: Any = SecurityGroup.__new__(SecurityGroup)
    vars(vpc).update(cidr=IPv4Network("10.0.0.0/16"), made=datetime.now(UTC), itself=vpc)
    vars(group).update(vpc=vpc, tell=group.get_tags, lock=Lock(), kinds=defaultdict(dict))
    order = OrderedDict(a={1, 2}, b=(b"x", 1.5, None))
    held = {"vpc": vpc, "group": group, "order": order, "k": key}

    back = loads(dumps(held))

    assert back["vpc"].itself is back["group"].vpc is back["vpc"]
    assert back["vpc"].made == vpc.made
    assert back["group"].tell.__self__ is back["group"]
    assert back["group"].kinds["new"] == {}
    assert back["order"] == order
    assert back["k"].private_numbers() == key.private_numbers()


def test_the_services_of_a_fleet_come_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each by itself, so that one which does not is named."""
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    with mock_aws():
        client: Any = boto3.client
        _build({name: client(name, "us-west-2") for name in BUILT})
        services = {one.service_name: one for one in vars(BackendDict)["_instances"]}
        for name in BUILT:
            held = {account: dict(places) for account, places in services[name].items()}
            back = loads(dumps(held))
            assert back.keys() == held.keys() != set(), name


BUILT = ("ec2", "iam", "s3", "route53", "efs", "kms")


def _build(aws: dict[str, Any]) -> None:
    """Some of everything that a cluster has, and what is only half done."""
    ec2, s3, efs = aws["ec2"], aws["s3"], aws["efs"]
    vpc = ec2.create_vpc(CidrBlock="10.0.0.0/16")["Vpc"]["VpcId"]
    subnet = ec2.create_subnet(VpcId=vpc, CidrBlock="10.0.1.0/24")["Subnet"]["SubnetId"]
    image = ec2.describe_images()["Images"][0]["ImageId"]
    ec2.run_instances(ImageId=image, MinCount=1, MaxCount=1, SubnetId=subnet)
    address = ec2.allocate_address(Domain="vpc")["AllocationId"]
    ec2.create_nat_gateway(SubnetId=subnet, AllocationId=address)
    aws["iam"].create_role(RoleName="role", AssumeRolePolicyDocument="{}")
    aws["iam"].create_instance_profile(InstanceProfileName="profile")
    s3.create_bucket(Bucket="bucket", CreateBucketConfiguration={"LocationConstraint": "us-west-2"})
    s3.put_object(Bucket="bucket", Key="key", Body=b"body", Metadata={"a": "b"})
    s3.create_multipart_upload(Bucket="bucket", Key="half", Metadata={"a": "b"})
    aws["route53"].create_hosted_zone(Name="example.org.", CallerReference="1")
    system = efs.create_file_system(CreationToken="token")["FileSystemId"]
    efs.create_mount_target(FileSystemId=system, SubnetId=subnet)
    efs.create_access_point(FileSystemId=system, ClientToken="token")
    for spec, usage in (("SYMMETRIC_DEFAULT", "ENCRYPT_DECRYPT"), ("RSA_2048", "SIGN_VERIFY")):
        aws["kms"].create_key(KeySpec=spec, KeyUsage=usage)
