"""What AWS, hosts and files say, printed: it moves no cursor, makes no link, and stops nothing."""

import io
import re

import pytest
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from orchestrate.cli import live
from orchestrate.cli.terminal import Terminal
from orchestrate.cli.timed_lines import TimedLines
from tests.hostile import HOSTILE

STRANGE = pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
# What rich itself sends: colours, and what moves a progress display.
OURS = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def printed(*things: object, **options: object) -> str:
    out = Tty()
    terminal = Terminal(file=out, force_terminal=True, color_system="truecolor", width=200)
    terminal.print(*things, **options)  # type: ignore[arg-type]
    return out.getvalue()


def is_harmless(sent: str) -> bool:
    """Whether a terminal that gets this does no more than show letters in colours."""
    letters = OURS.sub("", sent).replace("\n", "").replace("\t", "")
    return letters.isprintable()


@STRANGE
@pytest.mark.parametrize("kind", [str, escape, Text], ids=["as markup", "escaped", "as a text"])
def test_what_others_wrote_is_letters(text: str, kind: type[str]) -> None:
    sent = printed(kind(text))
    assert is_harmless(sent)
    assert "]8;" not in sent.replace("\\x1b]8;", "")


@STRANGE
def test_so_it_is_in_tables(text: str) -> None:
    table = Table("a", "b", title=Text(text), box=None)
    table.add_row(text, escape(text))
    table.add_row(Text(text), "end")
    assert is_harmless(printed(table))


def test_escaped_text_comes_out_as_it_was_written() -> None:
    for text in ("[red]cpu[/red]", "[/]", "[link=http://example.net]cpu[/link]", ":bomb:"):
        assert printed(escape(text)) == f"{text}\n"


def test_a_link_that_somebody_made_is_none() -> None:
    assert "http" not in printed("[link=http://example.net]cpu[/link]")
    assert printed("[red]cpu[/red]").startswith("\x1b[31m")


@STRANGE
def test_beside_a_bar_it_is_letters_too(text: str) -> None:
    out = Tty()
    console = Terminal(file=out, force_terminal=True, width=120)
    with live.bars(
        "{task.description}", count=True, last="{task.fields[doing]}", console=console
    ) as bars:
        bars.add_task(escape(text), total=2, doing=escape(text))
        bars.refresh()
    assert is_harmless(out.getvalue().replace("\r", ""))


@STRANGE
def test_without_a_terminal_a_step_is_one_line(text: str) -> None:
    lines: list[str] = []
    TimedLines(write=lines.append).say(text, about=text)
    assert lines[0].endswith("\n")
    assert lines[0][:-1].isprintable()
