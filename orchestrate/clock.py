"""The only reader of the wall clock, so that pure modules take their time as an argument."""

from datetime import UTC, date, datetime


def now() -> datetime:
    """The time now, in UTC, to the second: what journals and run names are made of."""
    return datetime.now(UTC).replace(microsecond=0)


def today() -> date:
    """Today's date in UTC."""
    return now().date()
