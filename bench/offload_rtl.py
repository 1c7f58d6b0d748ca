#!/usr/bin/env python3
"""Compares the barrier engine's RTL with its C++ model, counts its gates, and writes docs/results/offload-rtl.md.

    bench/offload_rtl.py BUILD [--patterns 1000] [--nodes 128] [--jobs N] [--page FILE] [--gates FILE]

BUILD is a folder of CMake; what is needed there is built. Two kinds of random patterns, as many of each: one engine, all
outputs in every cycle; and NODES engines in the C++ torus, all transfers of all nodes. 1,000 patterns of 128 nodes take
seven minutes of CPU time, yosys takes one.
"""

import argparse
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import offload_gates
from page import made_by

ROOT = Path(__file__).resolve().parents[1]
STEP = 25  # patterns of one process


def run(program, mode, first, count, nodes):
    words = [str(program), mode, str(first), str(count)] + ([str(nodes)] if mode == "machine" else [])
    result = subprocess.run(words, capture_output=True, text=True)
    if result.returncode not in (0, 1):
        sys.exit(f"{' '.join(words)}: {result.stderr.strip()}")
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    print(f"  {mode}: patterns {first} to {first + count - 1}", file=sys.stderr, flush=True)
    return lines


def run_all(program, mode, arguments):
    with ThreadPoolExecutor(arguments.jobs) as pool:
        parts = pool.map(lambda first: run(program, mode, first, min(STEP, arguments.patterns - first), arguments.nodes),
                         range(0, arguments.patterns, STEP))
        return [line for part in parts for line in part]


def is_equal(line):
    return line["difference"] == "" and line["assertions"] == 0 and line["model_cycles"] == line["rtl_cycles"]


def table(lines):
    rows = ["| DAMQ depth | patterns | equal | cycles | transfers | NACKs | completions |", "|--:|--:|--:|--:|--:|--:|--:|"]
    depths = [(str(depth), [line for line in lines if line["depth"] == depth]) for depth in range(1, 17)]
    for name, group in [*depths, ("**all**", lines)]:
        sums = [sum(line[key] for line in group) for key in ("model_cycles", "transfers", "nacks", "completions")]
        rows.append(f"| {name} | {len(group)} | {sum(map(is_equal, group))} | " + " | ".join(f"{n:,}" for n in sums) + " |")
    return "\n".join(rows)


def kinds(lines):
    """Number of patterns with each property."""
    names = ["barrier", "allreduce", "from memory", "strict", "background", "losses", "window 2"]
    return ", ".join(f"{name} {sum(name in line['what'] for line in lines)}" for name in names)


def page(engines, machines, size, arguments):
    return f"""# The barrier engine's RTL beside its C++ model

{made_by("bench/offload_rtl.py BUILD")}. What is compared, and how, is told in [its page](../offload-rtl.md).

## One engine

{len(engines)} random patterns of 8 descriptors each; every output of the engine in every cycle. Equal: no output differs in any
cycle, and no assertion of the RTL has failed.

{table(engines)}

## {arguments.nodes} engines in a torus

{len(machines)} random patterns; every transfer of every node with its cycle, and every result. They have: {kinds(machines)}.
Equal: no transfer differs, no result, and the number of cycles is the same: a difference of 0, where 1 % was asked for.

{table(machines)}

## Size

{size["yosys"]}, default sizes (4 contexts, 20 rounds of 15 peers, 8 words of payload, 16 entries of the request DAMQ),
mapped to gates of two inputs; a multiplexer is one gate, inverters are not counted. Memories stay memories: there is one
instance per reader, so what three modules read is there three times.

{offload_gates.table(size)}

The largest part is TE: two bits per notification, acknowledged and refused, for the 4 × 20 × 15 notifications that may be
in flight. The search of the DAMQ follows: 16 entries are compared with 15 sources at once. HDQ is {65 * 1024:,} of the memory
bits.
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path, help="a build folder")
    parser.add_argument("--patterns", type=int, default=1000, help="of each kind")
    parser.add_argument("--nodes", type=int, default=128, help="of a machine")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="processes at once")
    parser.add_argument("--page", type=Path, default=ROOT / "docs/results/offload-rtl.md")
    parser.add_argument("--gates", type=Path, help="what offload_gates.py --json has written, instead of measuring again")
    arguments = parser.parse_args()
    if subprocess.run(["cmake", "--build", arguments.build, "--target", "tutti-offload-rtl"],
                      stdout=subprocess.DEVNULL).returncode != 0:
        sys.exit(f"offload_rtl.py: {arguments.build} cannot build tutti-offload-rtl; was verilator there when it was configured?")
    program = arguments.build / "bin/tutti-offload-rtl"
    engines = run_all(program, "engine", arguments)
    machines = run_all(program, "machine", arguments)
    size = json.loads(arguments.gates.read_text()) if arguments.gates else offload_gates.measure("yosys")
    arguments.page.write_text(page(engines, machines, size, arguments))
    different = [line for line in engines + machines if not is_equal(line)]
    for line in different[:10]:
        print(f"pattern {line['pattern']} ({line['what']}): {line['difference'] or 'an assertion'}", file=sys.stderr)
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
