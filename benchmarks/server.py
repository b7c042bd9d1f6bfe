"""The language server over stdio: start, save → diagnostics, hovers idle and while evaluating, 500 rapid edits, bytes.

Every save puts a problem into a page or takes it out again, so that the diagnostics that belong to it can be told.
Invariant: after the rapid edits the diagnostics are those of a fresh server, or the benchmark fails.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

from benchmarks.client import Client, Received
from benchmarks.inputs import TODAY, facts_of, folder, input_arguments, sizes
from benchmarks.measure import Clock, Outcome, Target, p95
from benchmarks.processes import children, cpu_seconds_of, memory_mb, written_bytes
from evidencedesk.workspace import Workspace

PROBLEM = "<!-- evidencedesk: ignore ED999 -->"
UNKNOWN_RULE = "ED901"
RAPID = 500
QUIET = 3.0


def main() -> None:
    """Run the benchmark."""
    parser = input_arguments(__doc__ or "", chunks="10000", questions=1000)
    parser.add_argument("--saves", type=int, default=20, help="saves [20]")
    parser.add_argument("--hovers", type=int, default=200, help="hovers while idle [200]")
    options = parser.parse_args()
    outcome = Outcome("server")
    for size in sizes(options):
        with folder(options, size) as root:
            measure(root, options, outcome)
    outcome.write(options.json)


def measure(root: Path, options: argparse.Namespace, outcome: Outcome) -> None:
    """One folder."""
    snapshot = Workspace.open(root, today=TODAY).snapshot
    facts = facts_of(snapshot)
    page = max(snapshot.documents, key=lambda document: len(document.sections))
    path, section = page.path, page.sections[len(page.sections) // 2]
    line = page.text.count("\n", 0, section.span.start)
    del snapshot
    clocks = {name: Clock() for name in ("initialize", "the page's own problems", "all problems", "save → diagnostics")}
    hovers: dict[str, list[float]] = {"hover, idle": [], "hover, evaluating": []}
    with Client(root) as client:
        clocks["initialize"].wall.append(client.initialize())
        begun = time.perf_counter()
        text = client.open(path)
        marked = f"{text.rstrip()}\n\n{PROBLEM}\n"
        client.save(path, marked)
        clocks["the page's own problems"].wall.append(_until_told(client, path, True).at - begun)
        _settle(client)
        clocks["all problems"].wall.append(max(one.at for one in client.received if _publishes(one)) - begun)
        hovers["hover, idle"] += [client.hover(path, line, 3)[0] for _ in range(options.hovers)]

        bytes_sent, bytes_inside = [], []
        engine = children(client.process.pid)
        for number in range(options.saves):
            is_marked = number % 2 == 1
            before, inside = len(client.received), sum(map(written_bytes, engine))
            begun = time.perf_counter()
            client.save(path, _edited(marked if is_marked else text, number))
            told = _until_told(client, path, is_marked)
            clocks["save → diagnostics"].wall.append(told.at - begun)
            client.quiet(0.5)
            bytes_sent.append(float(sum(one.size for one in client.received[before:])))
            bytes_inside.append(float(sum(map(written_bytes, engine)) - inside))
        for number in range(options.saves):
            hovers["hover, evaluating"] += _hover_while_saving(client, path, line, _edited(marked, 100 + number))
        rapid = _rapid_edits(client, path, text, marked)
        processes = {"loop": client.process.pid, **{f"engine {pid}": pid for pid in engine}}
        spent = {name: cpu_seconds_of(pid) for name, pid in processes.items()}
        time.sleep(QUIET)
        idle = {name: (cpu_seconds_of(pid) - spent[name]) * 1000 for name, pid in processes.items()}
        memory = {name: memory_mb(pid) for name, pid in processes.items()}
        final = client.published()
    demand_fresh(root, path, final)

    waited = {name: clock.wall for name, clock in clocks.items()} | hovers
    waited[f"{RAPID} rapid edits → last diagnostics"] = [rapid]
    rows = [[name, _median(times) * 1000, p95(times) * 1000] for name, times in waited.items()]
    outcome.table(facts, ["wall ms", "median", "p95"], rows)
    sizes_sent = {"bytes to the client per save": bytes_sent, "bytes inside per save": bytes_inside}
    outcome.table(facts, ["bytes", "median", "p95"], [[n, _median(v), p95(v)] for n, v in sizes_sent.items()])
    of_process = [[name, idle[name], *memory[name]] for name in processes]
    outcome.table(facts, ["process", f"idle cpu ms in {QUIET:g} s", "MB now", "MB at peak"], of_process)
    ratio = p95(hovers["hover, evaluating"]) / p95(hovers["hover, idle"])
    outcome.target(Target("hover p95 during evaluation against idle:", 3, "times", ratio))


def _median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def _edited(text: str, number: int) -> str:
    """The page with another last sentence, so that its chunks change."""
    return f"{text.rstrip()}\n\nThis page was edited for the {number}th time.\n"


def _settle(client: Client) -> None:
    """Wait until nothing is said and nothing computed for a second."""
    spent = -1.0
    while (now := sum(map(cpu_seconds_of, children(client.process.pid)))) != spent:
        spent = now
        client.quiet(1.0)


def _publishes(one: Received) -> bool:
    return bool(one.message.get("method") == "textDocument/publishDiagnostics")


def _tells(one: Received, uri: str, is_marked: bool) -> bool:
    if not _publishes(one) or one.message["params"]["uri"] != uri:
        return False
    return is_marked == any(found.get("code") == UNKNOWN_RULE for found in one.message["params"]["diagnostics"])


def _until_told(client: Client, path: str, is_marked: bool) -> Received:
    return client.until(lambda one: _tells(one, client.uri(path), is_marked))


def _hover_while_saving(client: Client, path: str, line: int, text: str) -> list[float]:
    """Times of hovers, one after the other, from a save until nothing more is said about the page."""
    known = len(client.received)
    client.save(path, text)
    found: list[float] = []
    end = time.perf_counter() + 0.25
    while time.perf_counter() < end:
        found.append(client.hover(path, line, 3)[0])
        if any(map(_publishes, client.received[known:])):
            break
        time.sleep(0.002)
    client.quiet(0.3)
    return found


def _rapid_edits(client: Client, path: str, text: str, marked: str) -> float:
    """Seconds from the last of many edits, one every two milliseconds, until its diagnostics; then it is saved."""
    client.save(path, text)
    _until_told(client, path, False)
    for number in range(RAPID - 1):
        client.change(path, _edited(text, number))
        time.sleep(0.002)
    begun = time.perf_counter()
    client.save(path, marked)
    seconds = _until_told(client, path, True).at - begun
    _settle(client)
    return seconds


def demand_fresh(root: Path, path: str, final: dict[str, list[dict[str, Any]]]) -> None:
    """Raise SystemExit when a fresh server publishes something else, but for what regressed."""
    with Client(root) as client:
        client.initialize()
        client.open(path)
        _until_told(client, path, True)
        _settle(client)
        expected = client.published()
    for uri in expected.keys() | final.keys():
        one, other = (
            [problem for problem in found.get(uri, []) if not str(problem["code"]).startswith("ED6")]
            for found in (final, expected)
        )
        if one != other:
            raise SystemExit(f"After all edits the diagnostics of {uri} differ from those of a fresh server.")


if __name__ == "__main__":
    main()
