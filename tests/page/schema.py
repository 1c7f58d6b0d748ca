"""The part of JSON Schema (draft 7) that src/record/report.schema.json uses, so that tests need no package for it."""

import json
from pathlib import Path

SCHEMA = json.loads((Path(__file__).resolve().parents[2] / "src/record/report.schema.json").read_text())
KNOWN = {"$schema", "title", "description", "definitions", "type", "required", "properties", "additionalProperties",
         "const", "enum", "items", "minItems", "maxItems", "maxLength", "minimum", "maximum", "$ref"}
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "number": (int, float), "boolean": bool}


def has_type(value, name):
    """JSON's true is no number, though Python's is."""
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def violations(value, schema=SCHEMA, place="report"):
    for word in set(schema) - KNOWN:
        yield f"{place}: this test does not know the schema word {word}"
    if "$ref" in schema:
        yield from violations(value, SCHEMA["definitions"][schema["$ref"].rsplit("/", 1)[1]], place)
    if "type" in schema and not has_type(value, schema["type"]):
        yield f"{place}: is no {schema['type']}"
        return
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is not allowed"
    if "minimum" in schema and value < schema["minimum"] or "maximum" in schema and value > schema["maximum"]:
        yield f"{place}: {value} is out of range"
    if isinstance(value, str) and len(value) > schema.get("maxLength", len(value)):
        yield f"{place}: is too long"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{place}: has {len(value)} items"
        for number, item in enumerate(value):
            yield from violations(item, schema.get("items", {}), f"{place}[{number}]")
    if isinstance(value, dict):
        for name in schema.get("required", ()):
            if name not in value:
                yield f"{place}: {name} is missing"
        properties = schema.get("properties", {})
        for name, item in value.items():
            if name in properties:
                yield from violations(item, properties[name], f"{place}.{name}")
            elif schema.get("additionalProperties", True) is False:
                yield f"{place}: {name} is unknown"
