#!/usr/bin/env python3
"""The published schema says what the parser accepts: same keys, same collectives, and the built-in rules, the
examples of docs/selection.md and the rules of tests conform to it.

    rules_schema.py TUTTI        the command, which knows the collectives
"""

import json
import re
import subprocess
import sys

from tree import ROOT, finish

SCHEMA = json.loads((ROOT / "src/select/rules.schema.json").read_text())
TYPES = {"object": dict, "array": list, "string": str, "integer": int, "null": type(None)}
KNOWN = {"$schema", "title", "description", "type", "required", "properties", "additionalProperties", "const", "enum",
         "items", "minItems", "maxItems", "pattern", "minimum", "$ref", "$defs"}


def violations(value, schema, place):
    """The part of JSON Schema that our schema uses; words outside of it are findings themselves."""
    for word in set(schema) - KNOWN:
        yield f"{place}: this test does not know the schema word {word}"
    if "$ref" in schema:
        yield from violations(value, SCHEMA["$defs"][schema["$ref"].rsplit("/", 1)[1]], place)
    wanted = schema.get("type", [])
    names = [wanted] if isinstance(wanted, str) else wanted
    if names and not any(type(value) is TYPES[name] for name in names):
        yield f"{place}: is none of {', '.join(names)}"
    if "const" in schema and value != schema["const"] or "enum" in schema and value not in schema["enum"]:
        yield f"{place}: {value!r} is not allowed"
    if isinstance(value, str) and not re.search(schema.get("pattern", ""), value):
        yield f"{place}: {value!r} does not fit {schema['pattern']}"
    if isinstance(value, int) and value < schema.get("minimum", value):
        yield f"{place}: is too small"
    if isinstance(value, list):
        if not schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)):
            yield f"{place}: has {len(value)} items"
        for number, item in enumerate(value):
            yield from violations(item, schema.get("items", {}), f"{place}[{number}]")
    if isinstance(value, dict):
        for key in schema.get("required", []):
            if key not in value:
                yield f"{place}: {key} is missing"
        for key, item in value.items():
            if key in schema.get("properties", {}):
                yield from violations(item, schema["properties"][key], f"{place}.{key}")
            elif schema.get("additionalProperties") is False:
                yield f"{place}: unknown key {key}"


def parser_keys():
    text = (ROOT / "src/select/rules.cpp").read_text()
    return set(re.findall(r'"(\w+)"', re.search(r"k_rule_keys = \{(.*?)\};", text, re.DOTALL)[1]))


def collectives(command):
    known = json.loads(subprocess.run([command, "info", "--json"], check=True, capture_output=True, text=True).stdout)
    return {row["collective"] for row in known["algorithms"]}


def examples():
    yield "default_rules.json", (ROOT / "src/select/default_rules.json").read_text()
    page = (ROOT / "docs/selection.md").read_text()
    for number, block in enumerate(re.findall(r"```json\n(.*?)```", page, re.DOTALL), 1):
        yield f"docs/selection.md, example {number}", block
    for file in sorted((ROOT / "tests/preload/rules").glob("*.json")):
        yield file.name, file.read_text()
    yield "what agents do", '{"schema": 1, "rules": [{"collective": "bcast", "use": "agent:knomial:radix=2"}]}'


def main(command):
    rule = SCHEMA["$defs"]["rule"]["properties"]
    findings = []
    if set(rule) != parser_keys():
        findings.append(f"the schema has {sorted(rule)}, the parser {sorted(parser_keys())}")
    if set(rule["collective"]["enum"]) != collectives(command):
        findings.append("the schema and the catalogue name different collectives")
    broken = {"schema": 1, "rules": [{"collective": "bcast", "usee": "native"}]}
    if len(list(violations(broken, SCHEMA, "broken"))) != 2:
        findings.append("this test does not see what is wrong with a broken file")
    count = 0
    for name, text in examples():
        count += 1
        findings += violations(json.loads(text), SCHEMA, name)
    finish(findings, f"{count} rules files")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: rules_schema.py TUTTI")
    main(sys.argv[1])
