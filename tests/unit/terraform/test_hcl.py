"""Values as Terraform writes them; Terraform itself is the judge."""

import json
import os
import re
import subprocess
from base64 import b64decode
from contextlib import nullcontext
from ipaddress import IPv4Network
from pathlib import Path
from unicodedata import normalize

import pytest

from orchestrate.terraform.binary import find_engine
from orchestrate.terraform.hcl import Expression, Value, comment, literal, only_escaped, quoted
from tests.hostile import HOSTILE

TEXTS = [
    *HOSTILE.values(),
    'a "quoted" word',
    '${file("/etc/passwd")}',
    "$${already} $$${thrice} $",
    "%{ if true }yes%{ endif } %%{x} 100%",
    "back\\slash \\n \\${x}",
    "two\nlines\r\n\tand a tab",
    "*/ // # <<EOF",
    "\x00\x1b\x7f\u2028",
    "grüße 你好 🙂 \u200b",
    "",
]


def test_whatever_a_user_writes_stays_text() -> None:
    seen = _evaluated(f"base64encode(jsonencode({on_one_line(TEXTS)}))")
    assert json.loads(b64decode(seen.strip().strip(chr(34)))) == [
        normalize("NFC", re.sub("[\ud800-\udfff]", "\ufffd", text)) for text in TEXTS
    ]


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_template_writes_nothing_as_it_is_that_could_be_more_than_a_word(text: str) -> None:
    harmless = re.fullmatch(r"[\w.-]*", text, re.ASCII)
    with nullcontext() if harmless else pytest.raises(ValueError, match=r"it needs `\| hcl`"):
        assert only_escaped(text) == text
    assert str(only_escaped(comment(text))).isprintable()


def on_one_line(texts: list[str]) -> str:
    """A list, as the console reads it line by line."""
    return "[" + ", ".join(quoted(text) for text in texts) + "]"


def _evaluated(expression: str) -> str:
    argv = [*find_engine(os.environ).argv, "console"]
    environment = {**os.environ, "TF_CLI_CONFIG_FILE": os.devnull, "CHECKPOINT_DISABLE": "1"}
    done = subprocess.run(
        argv, input=expression, capture_output=True, text=True, check=True, env=environment
    )
    return done.stdout


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (0, "0"),
        (IPv4Network("10.0.0.0/8"), '"10.0.0.0/8"'),
        (Expression("module.a.b"), "module.a.b"),
        ([], "[]"),
        ({}, "{}"),
        (("a", 1), '["a", 1]'),
        ({"a": 1}, "{\n    a = 1\n  }"),
        ({"a-b": 1, "c": 2}, '{\n    "a-b" = 1\n    "c"   = 2\n  }'),
        ({"for": 1}, '{\n    "for" = 1\n  }'),
    ],
    ids=str,
)
def test_each_kind_of_value_has_its_literal(value: Value, text: str) -> None:
    assert literal(value) == text


def test_a_value_without_a_literal_is_refused() -> None:
    with pytest.raises(TypeError, match="float"):
        literal(1.5)  # type: ignore[arg-type]


def test_nested_values_are_laid_out_as_terraform_does(tmp_path: Path) -> None:
    value: Value = {
        "a": 1,
        "long_name": "x",
        "nested": {"b": [{"c": 1, "dd": {}}, {"e": None}], "f": False},
        "after": [f"a rather long element, number {number}" for number in range(6)],
        "last": [],
    }
    file = tmp_path / "main.tf"
    file.write_text(f"locals {{\n  value = {literal(value)}\n}}\n", encoding="utf-8")
    argv = [*find_engine(os.environ).argv, "fmt", "-check", "-diff", str(file)]
    environment = {**os.environ, "TF_CLI_CONFIG_FILE": os.devnull}
    done = subprocess.run(argv, capture_output=True, text=True, check=False, env=environment)
    assert (done.returncode, done.stdout) == (0, "")
