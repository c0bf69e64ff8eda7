"""What cookbooks decide, asked of their libraries in Ruby, all cases of one in one process."""

import json
from pathlib import Path
from typing import Any

from orchestrate import shell

COOKBOOKS = Path(__file__).resolve().parents[2] / "chef" / "cookbooks"


def decide(library: str, expression: str, cases: list[dict[str, Any]]) -> list[Any]:
    """What the expression gives for each case, which it knows as `it`."""
    program = (
        f"require 'json'; JSON.parse(STDIN.read).map {{ |it| {expression} }}.then"
        " { |all| puts JSON.generate(all) }"
    )
    argv = ["ruby", "-W0", "-r", str(COOKBOOKS / library), "-e", program]
    return list(json.loads(shell.run(argv, stdin=json.dumps(cases)).stdout))


HOST = {"place": "cluster-us-west", "gpus": 0}
DRIVER = [
    ("a host with cards", "auto", HOST, 8, False, True),
    ("a host without cards", "auto", HOST, 0, False, False),
    ("the bake of an image", "auto", {"place": None, "gpus": 0}, 0, False, True),
    ("the bake of an image in a container", "auto", {"place": None, "gpus": 0}, 0, True, False),
    ("a host whose cards are dead", "auto", {**HOST, "gpus": 8}, 0, False, True),
    ("a container that should have cards", "auto", {**HOST, "gpus": 8}, 0, True, False),
    ("a container that sees the machine's cards", "auto", HOST, 8, True, False),
    ("whatever is asked for", "always", HOST, 0, True, True),
    ("whatever is refused", "never", HOST, 8, False, False),
]


def pci(folder: Path, cards: int, switches: int = 0) -> str:
    """A folder as /sys/bus/pci/devices, with NVIDIA's devices and another's."""
    classes = [("0x8086", "0x020000"), *[("0x10de", "0x030200")] * cards]
    for number, (vendor, kind) in enumerate([*classes, *[("0x10de", "0x068000")] * switches]):
        device = folder / f"0000:00:{number:02x}.0"
        device.mkdir(parents=True)
        (device / "vendor").write_text(f"{vendor}\n")
        (device / "class").write_text(f"{kind}\n")
    return str(folder)


def test_the_driver_goes_where_cards_are_and_into_images_for_them(tmp_path: Path) -> None:
    cases = [
        {
            "setting": setting,
            "node": node,
            "devices": pci(tmp_path / str(number), cards),
            "container": container,
        }
        for number, (_, setting, node, cards, container, _) in enumerate(DRIVER)
    ]
    expression = (
        "Orchestrate::Gpus.new(it['devices'])"
        ".driver_wanted(it['setting'], it['node'], container: it['container'])"
    )
    answers = decide("nvidia/libraries/gpus.rb", expression, cases)
    found = {case[0]: wanted for case, (wanted, _) in zip(DRIVER, answers, strict=True)}
    assert found == {case[0]: case[-1] for case in DRIVER}
    assert [why for _, why in answers if not why] == []


def test_cards_and_switches_are_told_apart(tmp_path: Path) -> None:
    cases = [{"devices": pci(tmp_path / "a", 8, 6)}, {"devices": pci(tmp_path / "b", 4)}]
    expression = "Orchestrate::Gpus.new(it['devices']).then { |all| [all.count, all.switched?] }"
    assert decide("nvidia/libraries/gpus.rb", expression, cases) == [[8, True], [4, False]]


# Installed packages, the running kernel, and the pair of packages that goes with it.
KERNELS = [
    (["linux-image-cloud-amd64", "linux-image-6.1.0-28-cloud-amd64"], "6.1.0-28-cloud-amd64",
     "cloud-amd64"),
    (["linux-image-aws"], "6.8.0-1015-aws", "aws"),
    (["linux-image-aws-lts-22.04"], "5.15.0-1070-aws", "aws-lts-22.04"),
    (["linux-image-generic-hwe-22.04"], "6.8.0-45-generic", "generic-hwe-22.04"),
    (["linux-image-generic", "linux-image-unsigned-6.8.0"], "6.8.0-45-generic", "generic"),
    ([], "6.1.0-28-amd64", "amd64"),
]  # fmt: skip


def test_kernel_and_headers_are_of_the_line_that_is_installed(tmp_path: Path) -> None:
    cases = []
    for number, (packages, release, _) in enumerate(KERNELS):
        info = tmp_path / str(number)
        info.mkdir()
        for name in packages:
            (info / f"{name}.list").touch()
        cases.append({"info": str(info), "release": release})
    expression = "Orchestrate::KernelPackages.new(it['release'], packages: it['info']).names"
    found = decide("nvidia/libraries/kernel_packages.rb", expression, cases)
    assert found == [[f"linux-image-{line}", f"linux-headers-{line}"] for _, _, line in KERNELS]


def test_the_newest_kernel_decides_whether_headers_are_missing(tmp_path: Path) -> None:
    built = {"6.1.0-9-amd64": True, "6.1.0-28-amd64": False}
    for release, headers in built.items():
        (tmp_path / release / ("build" if headers else "kernel")).mkdir(parents=True)
    cases = [{"modules": str(tmp_path)}, {"modules": str(tmp_path / "none")}]
    expression = (
        "Orchestrate::KernelPackages.new('6.1.0-9-amd64', modules: it['modules'])"
        ".then { |one| [one.headers?, one.running?] }"
    )
    library = "nvidia/libraries/kernel_packages.rb"
    assert decide(library, expression, cases) == [[False, True], [False, False]]
    (tmp_path / "6.1.0-28-amd64" / "build").mkdir()
    assert decide(library, expression, cases[:1]) == [[True, True]]


ADA = {"uid": 2001, "keys": ["ssh-ed25519 AAAA ada"], "admin": True}
ACCOUNTS = ["root", "daemon", "admin", "ada"]
PEOPLE: list[tuple[str, dict[str, Any], str | None, list[str]]] = [
    ("nothing is wrong", {"ada": ADA}, "admin", []),
    ("nobody has a login yet but the image's", {}, "admin", []),
    ("root converges", {}, None, []),
    ("a stranger converges", {"ada": ADA}, "eve", ["'eve' converges this host"]),
    ("without a key", {"ada": {**ADA, "keys": []}}, "ada", ["'ada' converges this host"]),
]


PROBLEMS = "Orchestrate::People.new(it['node']).problems(it['accounts'], it['by'])"


def test_who_converges_can_come_back() -> None:
    cases = [
        {"node": {"login": "admin", "users": users}, "accounts": ACCOUNTS, "by": by}
        for _, users, by, _ in PEOPLE
    ]
    answers = decide("base/libraries/people.rb", PROBLEMS, cases)
    for (case, _, _, wanted), found in zip(PEOPLE, answers, strict=True):
        assert len(found) == len(wanted), case
        for problem, beginning in zip(found, wanted, strict=True):
            assert problem.startswith(beginning), case


# A host's accounts (uid and gid) and groups (gid).
THERE: dict[str, dict[str, Any]] = {
    "users": {"root": (0, 0), "daemon": (1, 1), "admin": (1000, 1000), "ada": (2001, 2001)},
    "groups": {"root": 0, "daemon": 1, "docker": 998, "admin": 1000, "vision": 3000, "ada": 2001,
               "fleet-users": 1990, "fleet-admins": 1991},
}  # fmt: skip
OURS = {"fleet-users": 1990, "fleet-admins": 1991}
# Who is to have a login, what else is so on the host, and what is said.
TAKEOVERS: list[tuple[str, dict[str, int], dict[str, Any], list[str]]] = [
    ("nothing is taken", {"ada": 2001, "grace": 2002}, {}, []),
    ("a person has another number now", {"ada": 2009}, {}, []),
    ("the administrators' group", {"fleet-admins": 2005}, {},
     ["'fleet-admins' is a group of the fleet's own"]),
    ("an account of the system", {"daemon": 2002}, {},
     ["'daemon' is an account of this host (uid 1)"]),
    ("a group of the system", {"docker": 2002}, {}, ["'docker' is a group of this host (gid 998)"]),
    ("a group that people made", {"vision": 2002}, {},
     ["'vision' is a group of this host (gid 3000)"]),
    ("the image's login", {"admin": 2002}, {}, ["'admin' is the login of the image"]),
    ("another image's login", {"ubuntu": 2002}, {"users": {"ubuntu": (1001, 1001)}},
     ["'ubuntu' is an account of this host (uid 1001)"]),
    ("another's numbers", {"grace": 2001}, {},
     ["uid 2001 of 'grace' is that of 'ada'", "gid 2001 of 'grace' is that of the group 'ada'"]),
    ("the number of a group", {"grace": 3000}, {},
     ["gid 3000 of 'grace' is that of the group 'vision'"]),
    ("the numbers of who left", {"grace": 2001}, {"gone": ["ada"]}, []),
    ("the numbers of who was renamed", {"grace": 2001}, {"known": ["ada"]}, []),
    ("somebody who left was called like an account", {}, {"gone": ["daemon"]},
     ["'daemon' left the fleet, but is an account of this host"]),
    ("our group's number is another's", {}, {"groups": {"fleet-admins": None, "x": 1991}},
     ["gid 1991 of the fleet's 'fleet-admins' is that of the group 'x'"]),
    ("our group has another number", {}, {"groups": {"fleet-users": 1005}},
     ["the fleet's group 'fleet-users' has gid 1005"]),
    ("a host of yesterday", {"ada": 2001}, {"groups": {"fleet-users": None, "fleet-admins": None}},
     []),
]  # fmt: skip


def takeover(users: dict[str, int], more: dict[str, Any]) -> dict[str, Any]:
    found = {**THERE["users"], **more.get("users", {})}
    groups = {**THERE["groups"], **more.get("groups", {})}
    node = {
        "login": "admin",
        "users": {name: {**ADA, "uid": uid} for name, uid in users.items()},
        "gone_users": more.get("gone", []),
    }
    return {
        "node": node,
        "known": more.get("known", []),
        "users": {name: {"uid": uid, "gid": gid} for name, (uid, gid) in found.items()},
        "groups": {name: {"gid": gid} for name, gid in groups.items() if gid is not None},
        "ours": OURS,
    }


def test_nothing_is_taken_over_that_is_on_a_host_for_something_else() -> None:
    people = "Orchestrate::People.new(it['node'], known: it['known'])"
    load = f"require '{COOKBOOKS}/base/libraries/people.rb'"
    expression = (
        f"{load}; Orchestrate::Takeover.new({people}, it['users'], it['groups'], it['ours'])"
        ".problems"
    )
    cases = [takeover(users, more) for _, users, more, _ in TAKEOVERS]
    answers = decide("base/libraries/takeover.rb", expression, cases)
    for (case, _, _, wanted), found in zip(TAKEOVERS, answers, strict=True):
        assert len(found) == len(wanted), f"{case}: {found}"
        for problem, beginning in zip(found, wanted, strict=True):
            assert problem.startswith(beginning), case


def test_a_host_that_nobody_could_log_in_to_is_refused() -> None:
    node = {"login": "ubuntu", "users": {"grace": {**ADA, "admin": False}}}
    case = {"node": node, "accounts": ACCOUNTS, "by": None}
    [[problem]] = decide("base/libraries/people.rb", PROBLEMS, [case])
    assert problem.startswith("nobody could log in")


def test_whoever_left_may_not_be_the_login() -> None:
    node = {"login": "admin", "users": {}, "gone_users": ["admin", "bob"]}
    expression = "Orchestrate::People.new(it).gone"
    assert decide("base/libraries/people.rb", expression, [node]) == [["bob"]]


def test_whoever_is_merely_deleted_from_the_fleet_has_left_too() -> None:
    node = {"login": "admin", "users": {"ada": ADA}, "gone_users": ["bob"]}
    expression = "Orchestrate::People.new(it, known: %w(ada eve admin bob)).gone"
    assert decide("base/libraries/people.rb", expression, [node]) == [["bob", "eve"]]


def test_keys_of_nobody_are_found(tmp_path: Path) -> None:
    for name in ("ada", "admin", "bob"):
        (tmp_path / name).write_text("ssh-ed25519 AAAA\n")
    node = {"login": "admin", "users": {"ada": ADA}, "folder": str(tmp_path)}
    expression = "Orchestrate::People.new(it).stale_keys(it['folder'])"
    assert decide("base/libraries/people.rb", expression, [node]) == [[str(tmp_path / "bob")]]


def test_the_home_of_who_may_more_than_others_is_on_the_hosts_own_disk() -> None:
    node = {
        "login": "admin",
        "users": {
            "ada": ADA,
            "grace": {**ADA, "admin": False},
            "vera": {**ADA, "admin": False, "verifier": True},
        },
    }
    expression = "Orchestrate::People.new(it).then { |all| all.all.map { |one| all.home(one) } }"
    found = decide("base/libraries/people.rb", expression, [node])
    assert found == [["/var/home/ada", "/home/grace", "/var/home/vera"]]


def test_homes_are_mounted_while_somebody_looks_and_folders_of_all_from_the_boot_on() -> None:
    expression = (
        f"require '{COOKBOOKS}/base/libraries/running_kernel.rb';"
        "Orchestrate::SharedFolder.new('/x', source: 'y', type: it['type'])"
        ".then { |one| [one.mount_text.include?('WantedBy'), one.automount_text.include?('Idle')] }"
    )
    cases = [{"type": "access-point"}, {"type": "nfs4"}]
    found = decide("storage_client/libraries/shared_folder.rb", expression, cases)
    assert found == [[False, True], [True, False]]


def test_a_mount_is_called_as_systemd_calls_it() -> None:
    names = {
        "/home": "home",
        "/results": "results",
        "/srv/data": "srv-data",
        "/data-sets": r"data\x2dsets",
        "/mnt/a b": r"mnt-a\x20b",
    }
    expression = "Orchestrate::SharedFolder.new(it['path']).unit"
    cases = [{"path": path} for path in names]
    answers = decide("storage_client/libraries/shared_folder.rb", expression, cases)
    assert dict(zip(names, answers, strict=True)) == names


def test_what_a_process_may_do_is_read_from_its_capabilities(tmp_path: Path) -> None:
    # Of root on a machine, and of root in one of systemd-nspawn's containers.
    masks = {"000001ffffffffff": True, "00000000fcecbfff": False}
    for mask in masks:
        (tmp_path / mask).write_text(f"Name:\truby\nCapEff:\t{mask}\n")
    kernel = "Orchestrate::RunningKernel"
    expression = f"{kernel}.allowed?({kernel}::SYS_MODULE, it['status'])"
    cases = [{"status": str(tmp_path / mask)} for mask in masks]
    assert decide("base/libraries/running_kernel.rb", expression, cases) == list(masks.values())
