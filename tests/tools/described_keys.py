"""Tables of scene files as pages show them: which there are, and that each of their keys says what it means."""

from pydantic import BaseModel

from clast.scene_files.complaint import models_in


def tables_in(model: type[BaseModel]) -> set[type[BaseModel]]:
    """A table, and every table in it."""
    found = {model}
    for each in model.model_fields.values():
        for inner in models_in(each.annotation):
            found |= tables_in(inner)
    return found


def assert_keys_have_a_meaning(models: set[type[BaseModel]]) -> None:
    """Each table has a docstring, and each of its keys a sentence and a unit."""
    for model in models:
        assert model.__doc__, model.__name__
        for name, each in model.model_fields.items():
            assert each.description and isinstance(each.json_schema_extra, dict), f"{model.__name__}.{name}"
