"""The files shown in a rule's docs. Invariant: fences are read as CommonMark does, longer ones holding shorter ones."""

from __future__ import annotations

import re
from pathlib import Path

_FENCE = re.compile(r"(?P<mark>`{3,})(?P<info>.*)")
_TITLE = re.compile(r'title="(?P<title>[^"]+)"')


def example_files(docs: str, heading: str) -> dict[str, bytes]:
    """Path → content of every titled fence under `## heading`."""
    files: dict[str, bytes] = {}
    section, mark, info, body = "", "", "", []
    for line in docs.split("\n"):
        fence = _FENCE.fullmatch(line)
        if not mark and fence:
            mark, info, body = fence["mark"], fence["info"], []
        elif mark and fence and fence["mark"].startswith(mark) and not fence["info"].strip():
            title = _TITLE.search(info)
            if section == heading and title:
                files[title["title"]] = _content(body, escaped='encoding="escaped"' in info)
            mark = ""
        elif mark:
            body.append(line)
        elif line.startswith("## "):
            section = line[3:].strip()
    return files


def headings(docs: str) -> list[str]:
    """The `## ` headings of the docs, those in fences left out."""
    found, mark = [], ""
    for line in docs.split("\n"):
        fence = _FENCE.fullmatch(line)
        if fence and not mark:
            mark = fence["mark"]
        elif fence and fence["mark"].startswith(mark) and not fence["info"].strip():
            mark = ""
        elif not mark and line.startswith("## "):
            found.append(line[3:].strip())
    return found


def write(files: dict[str, bytes], folder: Path) -> Path:
    """Write the files below `folder` and return it."""
    for name, content in files.items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
    return folder


def _content(lines: list[str], escaped: bool) -> bytes:
    text = "\n".join(lines) + "\n"
    return text.encode("ascii").decode("unicode_escape").encode("latin-1") if escaped else text.encode("utf-8")
