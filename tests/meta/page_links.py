"""Links of a page of the documentation."""

import re

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)\s]*)?\)")


def links_of(page):
    """Those to files, relative to the page's folder."""
    return [target for target, _ in LINK.findall(page.read_text()) if "://" not in target and not target.startswith("mailto:")]


def broken_links(page):
    return [target for target in links_of(page) if not (page.parent / target).exists()]
