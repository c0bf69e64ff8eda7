"""What moto is asked once, and what it is asked again."""

from types import SimpleNamespace
from typing import Any

from orchestrate.lab.quick import remembering


def test_a_member_s_names_are_asked_for_once_per_shape_class_and_key() -> None:
    asked = []

    def ask(_picker: object, context: Any) -> list[str]:
        asked.append((context.shape, context.key))
        return [context.key, context.key.lower(), context.key]

    names = remembering(ask)
    shape, another = object(), object()
    for one, model in ((shape, {}), (shape, {"x": 1}), (another, {}), (shape, [])):
        context: Any = SimpleNamespace(shape=one, obj=model, key="Id")
        assert names(None, context) == ("Id", "id"), "each name once, in order"
    assert asked == [(shape, "Id"), (another, "Id"), (shape, "Id")]
