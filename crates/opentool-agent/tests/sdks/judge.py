"""Reads JSON with an SDK's own types and says what does not fit: values that they refuse, members that they do not have."""

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

ADAPTERS = {}


def adapter(kind):
    if kind not in ADAPTERS:
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            ADAPTERS[kind] = TypeAdapter(kind)
        else:
            # Dictionaries with types have no settings of their own; a union around them has.
            ADAPTERS[kind] = TypeAdapter(kind | None, config=ConfigDict(extra="forbid"))
    return ADAPTERS[kind]


def exhaust(value):
    """Items of an `Iterable` are looked at when they are taken."""
    if isinstance(value, dict):
        for member in value.values():
            exhaust(member)
    elif isinstance(value, (list, tuple)) or type(value).__name__ == "ValidatorIterator":
        for item in value:
            exhaust(item)


def unknown(read, raw, place=""):
    """Members of `raw` that a model has no field for."""
    if isinstance(read, BaseModel) and isinstance(raw, dict):
        fields = {}
        for name, field in type(read).model_fields.items():
            for alias in (name, field.alias, field.validation_alias):
                if isinstance(alias, str):
                    fields[alias] = name
        for key, value in raw.items():
            if key in fields:
                yield from unknown(getattr(read, fields[key]), value, f"{place}/{key}")
            else:
                yield f"{place}/{key}: unknown"
    elif isinstance(read, dict) and isinstance(raw, dict):
        for key, value in raw.items():
            yield from unknown(read.get(key), value, f"{place}/{key}")
    elif isinstance(read, list) and isinstance(raw, list):
        for number, (one, value) in enumerate(zip(read, raw)):
            yield from unknown(one, value, f"{place}/{number}")


def complaints(parts):
    """What is wrong with (type, value, place) parts, each as `place: what`."""
    found = []
    for kind, value, start in parts:
        try:
            read = adapter(kind).validate_python(value)
            exhaust(read)
            found += unknown(read, value, start)
        except ValidationError as error:
            for one in error.errors(include_url=False, include_input=False, include_context=False):
                place = "/".join(str(part) for part in one["loc"])
                found.append(f"{start}/{place}: {one['msg']}")
    return found
