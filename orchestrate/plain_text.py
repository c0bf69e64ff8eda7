"""Text that others wrote, made fit to be read: no control character reaches a terminal. Pure.

What AWS, a host, a file or a log says may hold an escape sequence that redraws the screen, a line
break that forges a line of ours, or marks that nobody sees and that turn the order of letters. All
of them are shown as Python writes them in a string: `\\x1b`, `\\u202e`.
"""

import re

LONGEST = 80
# A name that may stand inside AWS names, DNS labels (RFC 1123), Kubernetes labels, file names and
# command lines alike.
WORD = r"^[a-z][a-z0-9]*(-[a-z0-9]+)*$"
LONGEST_WORD = 63


def is_word(text: str) -> bool:
    """Whether a text can be such a name."""
    return len(text) <= LONGEST_WORD and re.fullmatch(WORD, text) is not None


def shown(text: object, most: int = LONGEST) -> str:
    """A text from elsewhere on one line, as a sentence of ours can hold it; the end of a long one
    is left out.
    """
    whole = str(text)
    line = visible(whole[: most + 1])
    return line if len(line) <= most else f"{line[: most - 2]} …"


def visible(text: str, keep: str = "") -> str:
    """All of a text, with what can't be seen spelled out but for the characters in `keep`."""
    if text.isprintable():
        return text
    return "".join(letter if letter in keep else _spelled(letter) for letter in text)


def visible_lines(text: str) -> str:
    """The same of a text of several lines: line breaks and tabs stay, and a CR that belongs to a
    line break goes.
    """
    return visible(text.replace("\r\n", "\n"), keep="\n\t")


def _spelled(letter: str) -> str:
    """`str.isprintable` is false of control and format characters, of surrogates, of what Unicode
    doesn't define, and of every space but the plain one.
    """
    return letter if letter.isprintable() else letter.encode("unicode_escape").decode("ascii")
