"""Where what takes long to make is kept, outside any checkout, so that clones share it."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """`$ORCHESTRATE_CACHE`, else `orchestrate` in the user's cache (XDG base directories)."""
    given = os.environ.get("ORCHESTRATE_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "orchestrate"
