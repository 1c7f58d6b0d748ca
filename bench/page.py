"""What benchmarks share that write a page of docs/results: tables, and sections that keep their place when only one is
measured again."""


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


def write_section(page, head, titles, part, section):
    """Behind `head` come the sections in the order of `titles` ({part: title}), whichever are there. `section` begins
    with its title."""
    sections = sections_of(page)
    sections[titles[part]] = section
    ordered = [sections[title] for title in titles.values() if title in sections]
    page.write_text(head + "".join("## " + text.strip() + "\n\n" for text in ordered).rstrip() + "\n")
