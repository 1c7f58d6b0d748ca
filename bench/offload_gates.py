#!/usr/bin/env python3
"""How large the barrier engine of rtl/ is: yosys maps it to gates, and counts them, its registers and memory bits.

    bench/offload_gates.py [--yosys PROGRAM] [--json FILE]     about two minutes
    bench/offload_gates.py --check                             only: can it be synthesised at all? Seconds.

Gates have two inputs (AND, OR, XOR, NAND, NOR, a multiplexer counts as one); memories stay memories. The default sizes.
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CHECKS = "be_receive_checks"  # simulation only

# Modules with their own row in the table; others are part of the module that contains them.
PARTS = {
    "be_dispatch": "OF: descriptors, CRC",
    "be_fetch": "SDQ: doorbells, fetch unit",
    "be_receive": "SE: acceptance, rounds, epochs",
    "be_request_damq": "request DAMQ: 16 entries, search",
    "be_combine": "allreduce: passes, whole numbers",
    "be_fadd": "… sum of doubles",
    "be_fcmp": "… minimum, maximum of doubles",
    "be_transmit": "TE: choice, retries, timers",
    "be_completion": "CU: completions",
    "be_plans": "lists of 4 descriptors",
    "be_values": "values of 4 descriptors",
    "be_engine": "FIFOs, contexts",
}
PREPARE = """read_verilog -sv {sources}
hierarchy -check -top be_engine
proc
select -assert-none t:$dlatch t:$adlatch t:$dlatchsr
check -assert
"""
SYNTHESISE = PREPARE + """opt -fast
tee -o {folder}/memory.txt stat -top be_engine
memory -nomap
opt
wreduce
alumacc
opt -fast
techmap
opt -fast
abc -g AND,OR,XOR,NAND,NOR,MUX
opt_clean
tee -o {folder}/gates.txt stat -top be_engine
"""


def module_of(name):
    """be_fifo of $paramod$…\\be_fifo or $paramod\\be_fifo\\WIDTH=…"""
    return re.search(r"\bbe_\w+", name).group(0)


def read_statistics(text):
    """Per module as yosys names it: counts of its own cells, and the modules that it has."""
    modules, current = {}, None
    for line in text.splitlines():
        if line.startswith("=== design hierarchy"):
            break  # sums of what stands above
        if match := re.match(r"=== (\S+) ===", line):
            current = modules.setdefault(match.group(1), {"cells": {}, "memory_bits": 0})
        elif match := re.match(r"\s+Number of memory bits:\s+(\d+)", line):
            current["memory_bits"] = int(match.group(1))
        elif match := re.match(r"\s+([$\\]?\S+)\s+(\d+)$", line):
            current["cells"][match.group(1)] = int(match.group(2))
    return modules


def count(modules, name, owner, totals):
    """Adds up what is below `name`, for whichever part of the table it belongs to."""
    owner = module_of(name) if module_of(name) in PARTS else owner
    row = totals.setdefault(owner, {"gates": 0, "registers": 0, "memory_bits": 0})
    row["memory_bits"] += modules[name]["memory_bits"]
    for cell, number in modules[name]["cells"].items():
        if cell in modules:
            for _ in range(number):
                count(modules, cell, owner, totals)
        elif "DFF" in cell:
            row["registers"] += number
        elif cell.startswith("$_") and cell != "$_NOT_":
            row["gates"] += number


def run(yosys, script):
    result = subprocess.run([yosys, "-q", "-"], input=script, capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(f"offload_gates.py: yosys: {(result.stderr.strip() or result.stdout.strip())[-2000:]}")


def measure(yosys):
    version = subprocess.run([yosys, "-V"], capture_output=True, text=True, check=True).stdout.split("(")[0].strip()
    parts = {}
    with tempfile.TemporaryDirectory() as folder:
        run(yosys, SYNTHESISE.format(sources=sources(), folder=folder))
        for file in ("memory", "gates"):
            count(read_statistics(Path(folder, f"{file}.txt").read_text()), "be_engine", "be_engine",
                  parts.setdefault(file, {}))
    # Memories are counted before they become cells, gates and registers after that.
    rows = [{"part": PARTS[module], "module": module, "gates": parts["gates"][module]["gates"],
             "registers": parts["gates"][module]["registers"],
             "memory_bits": parts["memory"][module]["memory_bits"]} for module in PARTS]
    total = {key: sum(row[key] for row in rows) for key in ("gates", "registers", "memory_bits")}
    return {"yosys": version, "parts": rows, "total": total}


def sources():
    files = sorted(ROOT.glob("rtl/be_*.sv"))
    files = [file for file in files if file.stem not in ("be_pkg", CHECKS)]
    return " ".join(map(str, [ROOT / "rtl/be_pkg.sv", *files]))


def table(size):
    lines = ["| part | gates | registers (bits) | memory bits |", "|---|--:|--:|--:|"]
    for row in [*size["parts"], {"part": "**all**", **size["total"]}]:
        lines.append(f"| {row['part']} | {row['gates']:,} | {row['registers']:,} | {row['memory_bits']:,} |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--yosys", default="yosys", help="the program")
    parser.add_argument("--check", action="store_true", help="read and elaborate only; no latches, no loose ends")
    parser.add_argument("--json", type=Path, help="also write the numbers here")
    arguments = parser.parse_args()
    if arguments.check:
        run(arguments.yosys, PREPARE.format(sources=sources()))
        print("rtl/ can be synthesised")
        return
    size = measure(arguments.yosys)
    if arguments.json:
        arguments.json.write_text(json.dumps(size, indent=2) + "\n")
    print(f"{size['yosys']}, gates of two inputs:\n\n{table(size)}")


if __name__ == "__main__":
    main()
