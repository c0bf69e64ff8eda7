"""One YAML file as data that knows its lines. Takes text, reads no file, knows nothing of fleets.

Built on PyYAML's node tree over libyaml; lines are looked up only when a finding needs them. Keys
are always text, also `on:` and `1:`. What `scalars` can't tell the meaning of is refused, and stays
the text that was typed. Every mistake becomes a finding, none an exception.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import yaml

from orchestrate.findings import Finding, Place
from orchestrate.fleet import malformed, scalars
from orchestrate.fleet.scalars import STANDARD

Data = dict[str, object]

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# Python's own limit would come at some hundreds; a fleet file needs six.
DEEPEST = 50
_MERGE = f"{STANDARD}merge"
_COLLECTIONS = {f"{STANDARD}{kind}" for kind in ("map", "seq")}


@dataclass(frozen=True, eq=False)
class Document:
    """A file's data (None where there is none to trust) and what is wrong with it as YAML."""

    file: str
    text: str = field(default="", repr=False)
    data: Data | None = field(default=None, repr=False)
    findings: tuple[Finding, ...] = ()
    _refused: frozenset[int] = frozenset()

    @cached_property
    def _root(self) -> yaml.Node | None:
        # Parsed anew for the few files that have findings: a thousand trees kept alive would
        # cost the garbage collector more than the parsing takes.
        return yaml.compose(self.text, Loader=_LOADER) if self.data is not None else None

    def place(self, *path: str | int) -> Place:
        """The line of the key or list item at `path`, or of the nearest thing around it."""
        line, _ = self._follow(path)
        return Place(self.file, line)

    def typed(self, *path: str | int) -> str:
        """The scalar at `path` as it was typed; that of its key where it has no value."""
        _, node = self._follow(path)
        return str(node.value) if isinstance(node, yaml.ScalarNode) else ""

    def refused(self, *path: str | int) -> bool:
        """Whether the value at `path` already has a finding, so that nobody says more of it."""
        _, node = self._follow(path)
        return node is not None and node.start_mark.index in self._refused

    def _follow(self, path: tuple[str | int, ...]) -> tuple[int, yaml.Node | None]:
        node = self._root
        line = _line(node) if node else 0
        for step in path:
            entry = _entry(node, step)
            if entry is None:
                break
            line, node = entry
        return line, node


def read(text: str, file: str) -> Document:
    """Parse `text`; `file` is how findings name it."""
    found = malformed.conflict(text, file) or malformed.invisible(text, file)
    if found:
        return Document(file, text, findings=(found,))
    try:
        root = yaml.compose(text, Loader=_LOADER)
    except yaml.YAMLError as error:
        return Document(file, text, findings=(malformed.explain(error, text, file),))
    if not isinstance(root, yaml.MappingNode):
        return Document(file, text, findings=(malformed.no_mapping(file),))
    builder = _Builder(file)
    data = builder.mapping(root)
    return Document(file, text, data, tuple(builder.findings), frozenset(builder.refused))


class _Builder:
    """Turns nodes into plain data and collects what YAML allows but nobody means."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Finding] = []
        self.refused: set[int] = set()
        self._open: set[int] = set()
        # By node: what many aliases name is built once, not once for each.
        self._built: dict[int, object] = {}

    def mapping(self, node: yaml.MappingNode) -> Data:
        lines: dict[str, int] = {}
        own: Data = {}
        merged: Data = {}
        for key, value in node.value:
            if key.tag == _MERGE and _MERGE in lines:
                first = f"'<<' appears twice; the first is on line {lines[_MERGE]}"
                self._complain(key, first, "write one: <<: [*first, *second]")
            elif key.tag == _MERGE:
                lines[_MERGE] = _line(key)
                merged = self._merged(value)
            elif not isinstance(key, yaml.ScalarNode):
                self._complain(key, "a key must be a word", "put the list or mapping elsewhere")
            elif key.value in own:
                first = f"key '{key.value}' appears twice; the first is on line {lines[key.value]}"
                self._complain(key, first, "keep one of the two")
            else:
                lines[key.value] = _line(key)
                own[key.value] = self._value(value)
        return {**merged, **own}

    def _merged(self, node: yaml.Node) -> Data:
        parts = node.value if isinstance(node, yaml.SequenceNode) else [node]
        for part in parts:
            if not isinstance(part, yaml.MappingNode):
                self._complain(part, "'<<' takes keys from mappings only", "name one: <<: *anchor")
        values = [self._value(part) for part in reversed(parts)]
        return {k: v for value in values if isinstance(value, dict) for k, v in value.items()}

    def _value(self, node: yaml.Node) -> object:
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node)
        key = id(node)
        if key in self._open:
            self._complain(node, "an alias refers to what it is part of", "write the value out")
            return None
        if len(self._open) >= DEEPEST:
            self._complain(node, "lists and mappings are nested too deep", "close them earlier")
            return None
        if key not in self._built:
            self._open.add(key)
            self._built[key] = self._collection(node)
            self._open.discard(key)
        return self._built[key]

    def _collection(self, node: yaml.Node) -> object:
        if node.tag not in _COLLECTIONS:
            self._complain(node, f"tag '{node.tag}' is not allowed here", "leave the tag out")
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node)
        return [self._value(item) for item in node.value]

    def _scalar(self, node: yaml.ScalarNode) -> object:
        value = scalars.meaning(node)
        if not isinstance(value, scalars.Ambiguous):
            return value
        self._complain(node, value.what, value.fix)
        return str(node.value)

    def _complain(self, node: yaml.Node, what: str, fix: str) -> None:
        self.findings.append(Finding(Place(self.file, _line(node)), what, fix))
        self.refused.add(node.start_mark.index)


def _line(node: yaml.Node) -> int:
    return int(node.start_mark.line) + 1


def _entry(node: yaml.Node | None, step: str | int) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int):
        items = node.value[step : step + 1]
        return (_line(items[0]), items[0]) if items else None
    if isinstance(node, yaml.MappingNode):
        return next(_named(node, str(step)), None)
    return None


def _named(node: yaml.MappingNode, name: str) -> Iterator[tuple[int, yaml.Node]]:
    for key, value in node.value:
        if key.value == name:
            yield _line(key), value
    for key, value in node.value:
        if key.tag == _MERGE:
            parts = value.value if isinstance(value, yaml.SequenceNode) else [value]
            for part in parts:
                if isinstance(part, yaml.MappingNode):
                    yield from _named(part, name)
