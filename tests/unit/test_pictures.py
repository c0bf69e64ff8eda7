"""The terminal's picture in the README keeps its columns, whatever font and program draws it."""

import re
from pathlib import Path

PICTURE = Path(__file__).parents[2] / "docs" / "pictures" / "first-apply.svg"


def test_every_word_stands_at_a_place_of_its_own() -> None:
    """A run of words would drift apart in another font, and take its columns along."""
    words = re.findall(r"<text [^>]*>([^<]*)</text>", PICTURE.read_text(encoding="utf-8"))
    assert len(words) > 100
    assert [word for word in words if re.search(r"[\xa0]|&#160;", word)] == []
