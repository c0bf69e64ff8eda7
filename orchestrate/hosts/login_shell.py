"""What a login's shell is given, and where in what it prints our answer begins. Pure.

sshd hands a command line to the login's own shell, after that has read its startup files: a tcsh
or a fish reads quotes and line ends unlike sh, and a .bashrc prints, or reads what was sent for us.
So the line has nothing in it that shells read differently, makes /bin/sh take the shell's place,
and that says a mark of ours on both streams before it does anything.
"""

import base64

WORDS = "exec /bin/sh -c 'eval \"$(echo {} | base64 -d)\"'"


def line(command: str, mark: str) -> str:
    """The line for a login's shell that has sh run `command` after it has said `mark`."""
    script = f"echo {mark}\necho {mark} >&2\n{command}\n"
    return WORDS.format(base64.b64encode(script.encode()).decode())


class AfterMark:
    """A stream without all that was said before the mark, which comes alone on a line."""

    def __init__(self, mark: str) -> None:
        self._mark = f"{mark}\n".encode()
        self.before = b""
        self.begun = False

    def take(self, chunk: bytes) -> bytes:
        """What of the next piece of the stream is the answer's."""
        if self.begun:
            return chunk
        before, found, after = (self.before + chunk).partition(self._mark)
        self.before, self.begun = before, bool(found)
        return after
