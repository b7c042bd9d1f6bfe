"""A generated help site with labels. Invariant: page n depends on the seed and n alone: a large site holds a smaller.

Shaped like real help pages as the default chunker cuts them: some 30 chunks a page, half of them longer than 340
characters, a Zipfian vocabulary with each page's own topic words, headings, lists, tables and code, and paragraphs that
stand on many pages word for word (three chunks in ten).
"""

from __future__ import annotations

import itertools
import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from evidencedesk.workspace.config import Config
from evidencedesk.workspace.files import Source
from evidencedesk.workspace.reading import read_document

FUNCTION_WORDS = (
    "the of to and a in is you for that it on with as are this be by from can or your if an at not will when have "
    "which all one into then but use only how also do has no more after each any where its what"
)
SYLLABLES = "ba ce dor el fin gra hu il jon ka lem mi nor os pel qua ri sta tun ur vel wi xen yo zam"
VOCABULARY = 40_000
BOILERPLATE = 300
TOPIC_WORDS = 40
SAMPLE = 100
FRONT_MATTER = ("status: current", "audience: public", "lang: en")

# A paragraph that nearly fills a chunk of the default size stands alone in it.
_CHUNK = 398


@dataclass(frozen=True, slots=True)
class Fact:
    """A sentence that can be asked for, and the heading it stands below; `sharp` are its rarer words."""

    heading: str
    sentence: str
    sharp: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Page:
    """One Markdown file. Key: `doc_id`."""

    path: str
    doc_id: str
    text: str
    facts: tuple[Fact, ...]


class Site:
    """The pages of one seed, made as they are asked for."""

    def __init__(self, seed: int = 7) -> None:
        self._seed = seed
        chance = random.Random(f"{seed}:words")
        syllables = SYLLABLES.split()
        made = ("".join(chance.choices(syllables, k=chance.choice((2, 2, 3, 3, 4)))) for _ in range(4 * VOCABULARY))
        self._words = [*FUNCTION_WORDS.split(), *itertools.islice(dict.fromkeys(made), VOCABULARY)]
        self._odds = list(itertools.accumulate(1 / (rank + 2.7) for rank in range(len(self._words))))
        topic = self._topic(chance)
        self._boilerplate = [self._filled(chance, topic) for _ in range(BOILERPLATE)]
        self._boilerplate_odds = list(itertools.accumulate(1 / (rank + 5) for rank in range(BOILERPLATE)))

    def pages(self, chunks: int) -> list[Page]:
        """Pages of about so many chunks under the default settings."""
        sample: list[Page] = []
        counted = 0
        while counted < chunks and len(sample) < SAMPLE:
            sample.append(self.page(len(sample)))
            counted += count_chunks(sample[-1])
        wanted = round(len(sample) * chunks / counted) if len(sample) == SAMPLE else len(sample)
        return [*sample, *(self.page(number) for number in range(SAMPLE, wanted))]

    def page(self, number: int) -> Page:
        """Page `number`, from 0."""
        chance = random.Random(f"{self._seed}:{number}")
        topic = self._topic(chance)
        title = " ".join(chance.sample(topic, 2)).title()
        doc_id = f"page-{number:05}"
        lines = ["---", f"id: {doc_id}", f"title: {title}", *FRONT_MATTER, "---", ""]
        lines += [f"# {title}", "", self._paragraph(chance, topic)[0], ""]
        facts: list[Fact] = []
        for place in range(chance.randint(6, 16)):
            heading = f"{chance.choice(topic)} {' '.join(chance.sample(topic, 2))} {place + 1}".capitalize()
            lines += [f"{'##' if place % 3 == 0 else '###'} {heading}", ""]
            if chance.random() < 0.34:
                count = chance.randint(1, 5)
                for text in chance.choices(self._boilerplate, cum_weights=self._boilerplate_odds, k=count):
                    lines += [text, ""]
                continue
            for kind in chance.choices("ppppltc", k=chance.randint(1, 3)):
                if kind == "p":
                    text, fact = self._paragraph(chance, topic)
                    facts.append(Fact(heading, *fact))
                    lines += [text, ""]
                else:
                    block = {"l": self._list, "t": self._table, "c": self._code}[kind]
                    lines += [*block(chance, topic), ""]
        path = f"docs/part-{number // 100:03}/{doc_id}.md"
        return Page(path, doc_id, "\n".join(lines), tuple(facts))

    def _topic(self, chance: random.Random) -> list[str]:
        return [self._words[chance.randrange(400, len(self._words))] for _ in range(TOPIC_WORDS)]

    def _sentence_words(self, chance: random.Random, topic: Sequence[str], size: int) -> list[str]:
        chosen = chance.choices(self._words, cum_weights=self._odds, k=size)
        for place in chance.sample(range(size), max(1, size // 5)):
            chosen[place] = chance.choice(topic)
        return chosen

    def _sentence(self, chance: random.Random, topic: Sequence[str]) -> str:
        text = " ".join(self._sentence_words(chance, topic, chance.randint(6, 20)))
        return f"{text[0].upper()}{text[1:]}{chance.choice(('.', '.', '.', ':', '!'))}"

    def _paragraph(self, chance: random.Random, topic: Sequence[str]) -> tuple[str, tuple[str, tuple[str, ...]]]:
        """A paragraph, and one sentence of it with its rarer words."""
        plain = [self._sentence(chance, topic) for _ in range(chance.randint(2, 5))]
        asked = chance.choice(plain)
        common = set(self._words[:400])
        sharp = tuple(dict.fromkeys(word for word in re.findall(r"[a-z]+", asked.lower()) if word not in common))
        see = f" See [{chance.choice(topic)}](#top) or `{chance.choice(topic)}`."
        marked = [text if text == asked or chance.random() < 0.7 else text + see for text in plain]
        return "\n".join(marked), (asked, sharp)

    def _filled(self, chance: random.Random, topic: Sequence[str]) -> str:
        """A paragraph of the size of a chunk."""
        text = ""
        while len(text) < _CHUNK:
            text += f"{self._sentence(chance, topic)} "
        return text[: _CHUNK - chance.randrange(6)].strip()

    def _list(self, chance: random.Random, topic: Sequence[str]) -> list[str]:
        return [f"- {self._sentence(chance, topic)}" for _ in range(chance.randint(3, 7))]

    def _table(self, chance: random.Random, topic: Sequence[str]) -> list[str]:
        head = f"| {' | '.join(chance.sample(topic, 3))} |"
        rows = [
            f"| {chance.choice(topic)} | `{chance.choice(topic).upper()}-{chance.randrange(10_000)}` | "
            f"{' '.join(self._sentence_words(chance, topic, 6))} |"
            for _ in range(chance.randint(3, 9))
        ]
        return [head, "| --- | --- | --- |", *rows]

    def _code(self, chance: random.Random, topic: Sequence[str]) -> list[str]:
        calls = (chance.sample(topic, 2) for _ in range(chance.randint(2, 8)))
        return ["```sh", *(f"{one}.{other}({chance.randrange(1_000)})" for one, other in calls), "```"]


def count_chunks(page: Page) -> int:
    """How many chunks the default settings make of a page."""
    return len(read_document(Source(page.path, page.text), Config()).chunks)


def labels(pages: Sequence[Page], count: int, seed: int = 7) -> list[dict[str, object]]:
    """Labels spread over the pages: each asks for a sentence by some of its words; one in twenty has no answer."""
    chance = random.Random(f"{seed}:labels")
    facts = [(page, fact) for page in pages for fact in page.facts if len(fact.sharp) > 1]
    found: list[dict[str, object]] = []
    for number, place in enumerate(_spread(len(facts), count)):
        page, fact = facts[place]
        asked = chance.sample(fact.sharp, min(len(fact.sharp), chance.randint(2, 5)))
        question = f"{chance.choice(('How do I', 'What is', 'When can you', 'Where is'))} {' '.join(asked)}?"
        label: dict[str, object] = {"id": f"q{number:04}", "question": question}
        if number % 20 == 19:
            question = f"Who sold {fact.sharp[0]} to Mars in year {number}?"
            found.append({**label, "question": question, "answerable": False})
        else:
            section = f"{page.doc_id}#{fact.heading}"
            found.append({**label, "gold": [{"section": section, "evidence": fact.sentence, "grade": 2}]})
    return found


def _spread(total: int, count: int) -> Iterator[int]:
    """`count` places among `total`, evenly; fewer when there are fewer."""
    return (total * number // count for number in range(count)) if count < total else iter(range(total))


def write_site(folder: Path, chunks: int, questions: int, seed: int = 7) -> None:
    """Write pages of about so many chunks, and `labels.json` with so many labels, into a folder."""
    pages = Site(seed).pages(chunks)
    for page in pages:
        path = folder / page.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.text, encoding="utf-8", newline="")
    text = json.dumps(labels(pages, questions, seed), ensure_ascii=False, indent=1)
    (folder / "labels.json").write_text(text, encoding="utf-8")
