"""The map of addresses: parts that add up, symbols to scale, a picture of the same."""

from datetime import date
from ipaddress import IPv4Network
from itertools import pairwise
from xml.etree import ElementTree

from orchestrate.fleet.models import Addresses
from orchestrate.ipam import listing, picture, strips, textmap
from orchestrate.ipam.records import Allocation, Ledger, Resting, ledger_of
from orchestrate.ipam.strips import Strip

ADDRESSES = Addresses.model_validate(
    {
        "pools": {"cloud": {"range": "10.0.0.0/12", "reserved": ["10.0.0.0/15"]}},
        "external": [
            {"range": "10.14.0.0/15", "why": "theirs"},
            {"range": "172.17.0.0/16", "why": "outside every pool"},
        ],
    }
)


def given(key: str, range_: str, inside: str = "") -> Allocation:
    return Allocation(key, IPv4Network(range_), "" if inside else "cloud", inside)


def ledger(*allocations: Allocation, resting: tuple[Allocation, ...] = ()) -> Ledger:
    rests = [Resting(one, date(2026, 11, 1)) for one in resting]
    return ledger_of({one.key: one for one in allocations}, rests)


SMALL = ledger(
    given("a/vpc", "10.2.0.0/16"),
    given("b/vpc", "10.3.0.0/18"),
    given("c/vpc", "10.3.64.0/18"),
    given("d/vpc", "10.5.0.0/17"),
    given("a/private/z1", "10.2.0.0/19", inside="a/vpc"),
    given("a/public/z1", "10.2.32.0/24", inside="a/vpc"),
    resting=(given("old/vpc", "10.4.0.0/16"),),
)


def cloud(of: Ledger = SMALL) -> Strip:
    return strips.pools(ADDRESSES, of)[0]


def test_the_parts_of_a_strip_cover_it_without_gap_or_overlap() -> None:
    parts = cloud().parts
    assert (parts[0].start, parts[-1].stop) == (10 << 24, (10 << 24) + (1 << 20))
    assert all(one.stop == other.start for one, other in pairwise(parts))


def test_totals_count_addresses_by_use() -> None:
    sixteenth = 2**16
    assert cloud().total("given") == 2 * sixteenth
    assert cloud().total("resting") == sixteenth
    assert cloud().total("reserved") == cloud().total("external") == 2 * sixteenth
    assert cloud().total("free") == 9 * sixteenth


def test_the_largest_free_block_is_aligned() -> None:
    # Free is 10.6.0.0 to 10.13.255.255: eight /16 in a row, of which 10.8.0.0/14 is one block.
    assert cloud().largest_free() == 14


def test_a_full_strip_has_no_free_block() -> None:
    assert cloud(ledger(given("a/vpc", "10.0.0.0/12"))).largest_free() is None


def test_a_fixed_range_in_reserved_addresses_shows_as_given() -> None:
    strip = cloud(ledger(given("s/lan/x", "10.0.0.0/16")))
    assert (strip.parts[0].kind, strip.parts[0].label) == ("given", "s")
    assert strip.total("reserved") == 2**16


def test_a_capital_letter_has_its_cell_and_a_small_one_shares_it() -> None:
    drawn = textmap.draw([cloud()])
    assert drawn.splitlines()[:2] == [
        "cloud  10.0.0.0/12  (one cell: a /18, 16,384 addresses)",
        "  10.0.0.0        ////////AAAABC··~~~~DD" + "·" * 34 + "xxxxxxxx",
    ]
    subnets = strips.networks(SMALL, ["a"])[0]
    assert "AAAAAAAA" in textmap.draw([subnets])
    coarse = cloud(ledger(given("a/vpc", "10.2.0.0/28")))
    assert textmap.draw([coarse]).count("a·") == 1


def test_a_cell_of_several_owners_says_so() -> None:
    crowd = ledger(given("a/vpc", "10.2.0.0/28"), given("b/vpc", "10.2.0.16/28"))
    drawn = textmap.draw([cloud(crowd)])
    assert "/+·" in drawn
    assert "+ several" in drawn


def test_the_legend_explains_the_symbols_that_are_used_and_no_others() -> None:
    legend = textmap.draw([cloud()]).splitlines()[-1].split("   ")
    assert [entry.strip() for entry in legend] == [
        "A a", "B b", "C c", "D d", "· free", "/ reserved", "x external", "~ resting",
    ]  # fmt: skip


def test_more_owners_than_letters_share_one_symbol() -> None:
    many = ledger(*(given(f"c{n}/vpc", f"10.{2 + n // 16}.{n % 16 * 16}.0/20") for n in range(27)))
    drawn = textmap.draw([cloud(many)])
    assert "#" in drawn
    assert drawn.splitlines()[-1].strip().startswith("# given")


def test_only_networks_of_the_named_owners_are_drawn() -> None:
    (strip,) = strips.networks(SMALL, ["a", "b"])
    assert strip.name == "a/vpc"
    assert [part.label for part in strip.parts] == ["private/z1", "public/z1", ""]


def test_the_picture_is_to_scale_and_has_a_tooltip_for_every_part() -> None:
    svg = ElementTree.fromstring(picture.draw([cloud()]))
    space = "{http://www.w3.org/2000/svg}"
    groups = {group.findtext(f"{space}title"): group for group in svg.iter(f"{space}g")}
    width = float(groups["given: a  10.2.0.0/16"].find(f"{space}rect").get("width"))  # type: ignore[union-attr,arg-type]
    assert width == picture.WIDTH / 16
    assert "reserved  10.0.0.0/15" in groups
    assert "external: theirs  10.14.0.0/15" in groups


def test_rows_put_a_network_before_its_subnets_and_say_until_when_it_rests() -> None:
    rows = listing.rows(SMALL, {"d/vpc"}, 30)
    assert [row.key for row in rows[:3]] == ["a/vpc", "a/private/z1", "a/public/z1"]
    states = {row.key: (row.state, row.until) for row in rows}
    assert states["d/vpc"] == ("not written", None)
    assert states["old/vpc"] == ("resting", date(2026, 12, 1))
    assert {row.key for row in listing.rows(SMALL, (), 30, ["b", "old"])} == {"b/vpc", "old/vpc"}
