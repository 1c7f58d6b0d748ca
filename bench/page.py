"""Shared by benchmarks that write a page of docs/results: tables, and sections that keep their position when only one
is measured again."""

import datetime
import pathlib
import platform
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def commit():
    """The one that is checked out, "-dirty" where files differ from it: others than results, which are what is written."""
    def git(*words):
        return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True, check=False).stdout.strip()
    changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs/results")
    return git("describe", "--always", "--exclude", "*") + ("-dirty" if changed else "") or "unknown"


def made_by(command):
    """Describes how a page was made. tests/meta/results.py requires it in each page."""
    return f"Made by `{command}` on {datetime.date.today().isoformat()}, commit {commit()}, kernel {platform.release()}"


def with_options(command, parser, options, *names):
    """`command` with those of these options that are not as they come: fewer repetitions, say."""
    for name in names:
        value = getattr(options, name)
        if value != parser.get_default(name):
            command += f" --{name}" + ("" if value is True else f" {value}")
    return command


def table(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)]) + "\n"


def cells_of(section):
    """The rows of the one table in a section, without its head."""
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def sections_of(page):
    """{title: text, which begins with the title}."""
    texts = page.read_text().split("\n## ")[1:] if page.exists() else []
    return {text.split("\n")[0]: text for text in texts}


def write_section(page, head, titles, part, text, command):
    """Behind `head` come the sections in the order of `titles` ({part: title}), whichever are there. Each says when it was
    made."""
    sections = sections_of(page)
    sections[titles[part]] = f"{titles[part]}\n\n{made_by(command)}.\n\n{text}"
    ordered = [sections[title] for title in titles.values() if title in sections]
    page.write_text(head + "".join("## " + text.strip() + "\n\n" for text in ordered).rstrip() + "\n")
