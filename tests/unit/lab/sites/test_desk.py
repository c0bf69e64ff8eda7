"""An order for sites is whole and understood, or refused in words."""

import json
from collections.abc import Sequence

import pytest

from orchestrate.lab.sites.desk import answer, no_sites
from orchestrate.lab.sites.models import Site
from orchestrate.plain_text import is_word
from tests.hostile import HOSTILE

EMPTY = {
    "name": "site-sf",
    "login": "admin",
    "public": "203.0.113.7",
    "gateway": "sf-gw1",
    "lans": [],
    "racks": [],
}


def test_an_order_names_all_the_sites_there_should_be() -> None:
    ordered: list[Sequence[Site]] = []

    assert answer(ordered.append, json.dumps({"sites": [EMPTY]}).encode())[0] == 200
    assert [site.name for site in ordered[0]] == ["site-sf"]


def test_half_an_order_changes_nothing() -> None:
    ordered: list[Sequence[Site]] = []
    for body in (b"", b"{}", b'{"sites": [{}]}', b'{"sites": [{"name": "x", "public": "1"}]}'):
        code, told = answer(ordered.append, body)
        assert (code, told["error"][:14]) == (400, "not understood")
    assert ordered == []


def test_a_lab_without_hosts_has_no_racks() -> None:
    code, told = answer(no_sites, json.dumps({"sites": [EMPTY]}).encode())
    assert (code, told["error"]) == (400, "the lab has no real hosts, so no racks")
    assert answer(no_sites, b'{"sites": []}')[0] == 200


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_names_that_are_no_words_are_refused(text: str) -> None:
    lan = {"name": "servers", "cidr": "10.64.0.0/20", "gateway": "10.64.0.1"}
    rack = {"name": "sf-gw1", "lan": "servers", "address": "10.64.0.2"}
    whole = {**EMPTY, "lans": [lan], "racks": [rack]}
    odd = [
        *({**whole, key: text} for key in ("name", "login", "gateway")),
        {**whole, "lans": [{**lan, "name": text}]},
        *({**whole, "racks": [{**rack, key: text}]} for key in ("name", "lan")),
    ]
    for site in odd:
        ordered: list[Sequence[Site]] = []
        code, told = answer(ordered.append, json.dumps({"sites": [site]}).encode())
        assert (code, bool(ordered)) == ((200, True) if is_word(text) else (400, False))
        assert str(told.get("error", "")).isprintable()
