#!/usr/bin/env python3
"""Makes the template of the report's page: one file without external links, with one placeholder for the data.

    bundle.py --modules NODE_MODULES --out report_page.html

NODE_MODULES is the folder that `npm ci --ignore-scripts` made from package.json. The report writer replaces @REPORT@ by
its JSON with each `<` written as \\u003c, so that no string in it can end the script element.
"""

import argparse
import base64
import hashlib
import json
import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PLACE = "@REPORT@"
LIBRARIES = ("d3/dist/d3.min.js", "@observablehq/plot/dist/plot.umd.min.js")  # in the order of their loading
NOT_SHIPPED = {"commander", "iconv-lite", "rw", "safer-buffer"}  # only d3-dsv's commands use them


class Trouble(Exception):
    """An error that the user of the build can correct, in one line."""


def packages(modules):
    """Yields every shipped package below node_modules as (name, folder)."""
    for manifest in sorted([*modules.glob("*/package.json"), *modules.glob("@*/*/package.json")]):
        name = str(manifest.parent.relative_to(modules))
        if name not in NOT_SHIPPED:
            yield name, manifest.parent


def licences(modules):
    """Returns one comment with all licences; a text shared by several packages appears once."""
    users = {}
    for name, folder in packages(modules):
        files = sorted(p for p in folder.iterdir() if p.name.upper().startswith(("LICENSE", "LICENCE")))
        version = json.loads((folder / "package.json").read_text())["version"]
        if not files:
            raise Trouble(f"{name} has no licence file")
        text = files[0].read_text().replace("\r", "").strip()
        users.setdefault(text, []).append(f"{name} {version}")
    parts = [f"{', '.join(names)}\n\n{text}" for text, names in users.items()]
    joined = "\n\n----\n\n".join(parts)
    if "*/" in joined:
        raise Trouble("a licence would end its comment")
    return f"/*! This page contains these packages:\n\n{joined}\n*/"


def page_script():
    """Returns the page's own scripts in one scope; main.js is last because it runs code when it is loaded."""
    files = sorted(HERE.glob("*.js"), key=lambda path: (path.name == "main.js", path.name))
    body = "\n".join(path.read_text() for path in files)
    return f"(() => {{\n\"use strict\";\n{body}}})();"


def script_elements(modules):
    """Returns the script elements, and the CSP hashes that allow only them to run."""
    texts = [licences(modules)]
    for name in LIBRARIES:
        if not (modules / name).is_file():
            raise Trouble(f"{modules} has no {name}; npm ci --ignore-scripts makes it")
        texts.append((modules / name).read_text())
    texts = [f"{texts[0]}\n{texts[1]}", texts[2], page_script()]
    elements, hashes = [], []
    for text in texts:
        text = f"\n{text.strip()}\n"
        if re.search(r"</script|<!--", text, re.IGNORECASE):
            raise Trouble("a script would end its element")
        elements.append(f"<script>{text}</script>")
        hashes.append("'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'")
    return "\n".join(elements), " ".join(hashes)


def template(modules):
    scripts, hashes = script_elements(modules)
    policy = (f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
              "base-uri 'none'; form-action 'none'")
    page = (HERE / "page.html").read_text()
    for place, text in (("@POLICY@", policy), ("@STYLE@", (HERE / "page.css").read_text().strip()), ("@SCRIPTS@", scripts)):
        if page.count(place) != 1:
            raise Trouble(f"page.html has {page.count(place)} places {place}")
        page = page.replace(place, text)
    if page.count(PLACE) != 1:
        raise Trouble(f"the template has {page.count(PLACE)} places {PLACE}")
    return page


def main():
    parser = argparse.ArgumentParser(description="Makes the template of the report's page.")
    parser.add_argument("--modules", type=Path, required=True, help="node_modules that npm ci made")
    parser.add_argument("--out", type=Path, required=True, help="the template to write")
    arguments = parser.parse_args()
    try:
        text = template(arguments.modules.resolve())
    except (Trouble, OSError) as trouble:
        sys.exit(f"bundle.py: {trouble}")
    arguments.out.write_text(text)
    print(f"{arguments.out.name}: {len(text.encode())} bytes")


if __name__ == "__main__":
    main()
