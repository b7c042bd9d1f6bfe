"""Rules → pages for people. Invariant: every page says what the rule's docstring says, in Markdown and in HTML."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from itertools import pairwise

from markdown_it import MarkdownIt

from evidencedesk.rule import Rule

_FENCE = re.compile(r"[ \t]*(`{3,})(.*)")
_CODE = re.compile(r"ED\d+ ")
_TITLE = re.compile(r'\btitle="([^"]*)"')
# Raw HTML stays text: a page is safe whatever its docs hold.
_MARKDOWN = MarkdownIt("commonmark", {"html": False}).enable("table")
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:46rem;margin:2rem auto;padding:0 1rem;color:#222}"
    "code,pre{font:14px/1.45 ui-monospace,monospace}pre{background:#8881;padding:.7rem;overflow-x:auto}"
    "code[title]::before{content:attr(title);display:block;color:#666;margin-bottom:.4rem}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#1e1e1e}}"
)


def page(rule: Rule) -> str:
    """The page of one rule in Markdown."""
    repairs = " Repairs are offered in the editor." if rule.fix else ""
    return f"# {title(rule)}\n\nSeverity: {rule.severity.value}. Stage: {rule.stage}.{repairs}\n\n{rule.docs}\n"


def title(rule: Rule) -> str:
    """How a rule is named above its page."""
    return f"{rule.code} {rule.name}"


def reference(rules: Iterable[Rule]) -> str:
    """The pages of all rules as one document in Markdown, with a list of them above."""
    rules = list(rules)
    listed = "\n".join(f"- [{title(rule)}](#{rule.code.lower()}-{rule.name}): {rule.summary}" for rule in rules)
    pages = "\n".join(_lowered(page(rule)) for rule in rules)
    return f"# Rules\n\nWritten by `evidencedesk rule --all`.\n\n{listed}\n\n{pages}"


def html(markdown: str, name: str) -> str:
    """A page as one HTML file that needs nothing else."""
    tokens = _MARKDOWN.parse(markdown)
    for before, token in pairwise(tokens):
        if token.type == "fence":
            language, _, rest = token.info.partition(" ")
            token.info = language
            if found := _TITLE.search(rest):
                token.attrSet("title", found[1])
        elif before.type == "heading_open" and _CODE.match(token.content):
            before.attrSet("id", token.content.lower().replace(" ", "-"))
    body = _MARKDOWN.renderer.render(tokens, _MARKDOWN.options, {})
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>{escape(name)}</title>\n'
        f'<meta name="viewport" content="width=device-width">\n<style>{_STYLE}</style>\n</head>\n'
        f"<body>\n{body}</body>\n</html>\n"
    )


def _lowered(markdown: str) -> str:
    """The page with every heading one level deeper; what stands in fences is left alone."""
    lines, mark = [], ""
    for line in markdown.split("\n"):
        fence = _FENCE.match(line)
        if not mark and fence:
            mark = fence[1]
        elif mark and fence and fence[1].startswith(mark) and not fence[2].strip():
            mark = ""
        elif not mark and line.startswith("#"):
            line = f"#{line}"
        lines.append(line)
    return "\n".join(lines)
