"""Whether cookbooks parse, asked of Ruby itself, before any of them reaches a host."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from orchestrate import content, shell
from orchestrate.findings import Finding, Place

_MESSAGE = re.compile(r"^(?P<file>.+?):(?P<line>\d+): (?P<what>.*)$")
_FIX = "correct it; nothing was started"

# ERB turns into Ruby in a process of its own for all templates: starting one is what takes time.
_CHECK = r"""
require "erb"
ARGV.each do |file|
  begin
    text = File.read(file, encoding: "UTF-8")
    first = 1
    if file.end_with?(".erb")
      text = ERB.new(text, trim_mode: "-").src
      first = 0 # ERB puts a line with the encoding before the template's first
    end
    RubyVM::InstructionSequence.compile(text, file, file, first)
  rescue SyntaxError => error
    puts error.message.lines.first
  end
end
"""


def check(root: Path, folders: Iterable[Path]) -> list[Finding]:
    """Every file of Ruby, ERB or JSON below `folders` that doesn't parse; places from `root` on.

    Raises MissingTool where there is no Ruby.
    """
    files = sorted(path for folder in folders for path in content.files(folder))
    code = [str(path) for path in files if path.suffix in {".rb", ".erb"}]
    found = list(_ruby(root, code)) if code else []
    return sorted([*found, *_json(root, [path for path in files if path.suffix == ".json"])])


def _ruby(root: Path, files: list[str]) -> Iterator[Finding]:
    # A template's `<%= yield -%>` and a recipe's constants are warnings, which are not asked for.
    done = shell.run(["ruby", "-W0", "-e", _CHECK, *files], get_it="apt-get install ruby")
    for line in done.stdout.splitlines():
        match = _MESSAGE.match(line)
        if match:
            place = Place(str(Path(match["file"]).relative_to(root)), int(match["line"]))
            yield Finding(place, f"not valid Ruby: {match['what']}", _FIX)


def _json(root: Path, files: list[Path]) -> Iterator[Finding]:
    for path in files:
        try:
            json.loads(path.read_text(encoding="utf-8"))
        except json.JSONDecodeError as error:
            place = Place(str(path.relative_to(root)), error.lineno)
            yield Finding(place, f"not valid JSON: {error.msg}", _FIX)
        except UnicodeDecodeError:
            yield Finding(Place(str(path.relative_to(root))), "not UTF-8", "save it as UTF-8")
