"""Lines of the lab's log: one for each message, whatever a caller put into a name or a path."""

import logging

from orchestrate.plain_text import visible

FORM = "%(asctime)s %(name)s %(message)s"


class LogLines(logging.Formatter):
    """Spells out what would end a line or cannot be seen: a host may not write lines of its own.
    The traceback of an exception follows in lines, as always."""

    def __init__(self) -> None:
        super().__init__(FORM)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's name
        record.message = visible(record.message)
        return super().formatMessage(record)
