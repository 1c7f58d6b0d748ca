#!/usr/bin/env python3
"""Records that are broken, cut off, hostile, missing or mixed: one clear line each, and the rest is analysed.

    report_files.py TUTTI MAKER

TUTTI is the command, MAKER is bench/recorder_synthetic.py.
"""

import json
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "page"))
from schema import violations  # noqa: E402

TUTTI, MAKER = sys.argv[1:]
RANKS = 8
MUTATIONS = 300


def made(folder):
    subprocess.run([sys.executable, "-B", MAKER, folder, "--ranks", str(RANKS), "--calls", "60", "--slow-rank", "3"],
                   check=True, timeout=60)
    return pathlib.Path(folder)


def report(folder):
    return subprocess.run([TUTTI, "report", str(folder), "--json", "-"], capture_output=True, text=True, errors="replace",
                          check=False, timeout=60)


def rewrite(path, change):
    """The same file with another description."""
    data = path.read_bytes()
    length = struct.unpack_from("<I", data, 12)[0]
    says = json.loads(data[16:16 + length])
    change(says)
    text = json.dumps(says).encode()
    beginning = data[:12] + struct.pack("<I", len(text)) + text
    path.write_bytes(beginning + b" " * (-len(beginning) % 32) + data[(16 + length + 31) // 32 * 32:])


def cut(path):
    path.write_bytes(path.read_bytes()[:-100])


def cut_early(path):
    path.write_bytes(path.read_bytes()[:200])


def other_version(path):
    data = path.read_bytes()
    path.write_bytes(data[:8] + struct.pack("<I", 99) + data[12:])


def empty(path):
    path.write_bytes(b"")


def folder_instead(path):
    path.unlink()
    path.mkdir()


def absent(path):
    path.unlink()


def other_run(path):
    rewrite(path, lambda says: says.update(run=77, started_unix_s=0))


def many_ranks(path):
    rewrite(path, lambda says: says["communicators"][0].update(members=[[0, 1 << 40, 1]]))


def no_such_row(path):
    rewrite(path, lambda says: says["rows"][0].update(place=12345))


def not_text(path):
    data = path.read_bytes()
    path.write_bytes(data[:16] + bytes(range(256)) + data[272:])


def long_description(path):
    data = path.read_bytes()
    path.write_bytes(data[:12] + struct.pack("<I", 0xFFFFFFF0) + data[16:])


def huge_duration(path):
    """Puts 2^54 ns inside MPI into the third record."""
    data = bytearray(path.read_bytes())
    at = (16 + struct.unpack_from("<I", data, 12)[0] + 31) // 32 * 32 + 2 * 32 + 16
    data[at:at + 4] = struct.pack("<I", 28 << 27 | 1 << 26)
    path.write_bytes(data)


DAMAGES = {cut: "is cut off", cut_early: "cut off", other_version: "version 99", empty: "cannot be read|no record",
           folder_instead: "is no file", absent: "rank 2 left no file", other_run: "is of another run",
           many_ranks: "members that are not there", no_such_row: "names what is not there", not_text: "damaged",
           long_description: "cut off|cannot be read", huge_duration: "1 record of"}


def check(condition, what):
    if not condition:
        sys.exit(what)


def nonsense_in(found):
    """Finds impossible values: more waiting and transfer than time, shares beyond the whole, schema violations."""
    totals, parts = found["totals"], found["sites"] + found["nodes"] + found["ranks"]
    if totals["waiting_ns"] + totals["transfer_ns"] > totals["rank_ns"] * 1.01:
        yield f"more waiting and transfer than time: {totals}"
    if any(part[name] > totals["rank_ns"] * 1.01 for part in parts for name in ("waiting_ns", "transfer_ns")):
        yield "a part is more than the whole"
    yield from violations(found)


def mutate(path, draw):
    """Another value of a byte: of a record mostly, which no parser looks at."""
    data = bytearray(path.read_bytes())
    records_at = (16 + struct.unpack_from("<I", data, 12)[0] + 31) // 32 * 32
    at = draw.randrange(records_at, len(data)) if draw.random() < 0.8 else draw.randrange(len(data))
    data[at] ^= draw.randrange(1, 256)
    path.write_bytes(data)


def mutations():
    draw = random.Random(5)
    with tempfile.TemporaryDirectory() as folder:
        path = made(folder) / "calls.2.rec"
        whole = path.read_bytes()
        for number in range(MUTATIONS):
            path.write_bytes(whole)
            mutate(path, draw)
            done = report(folder)
            check(done.returncode == 0, f"mutation {number}: {done.returncode} {done.stderr}")
            bad = list(nonsense_in(json.loads(done.stdout)))
            check(not bad, f"mutation {number}: {bad[:3]}")


def arrivals_without_a_rank():
    with tempfile.TemporaryDirectory() as folder:
        absent(made(folder) / "calls.2.rec")
        pattern, page = pathlib.Path(folder) / "late.txt", pathlib.Path(folder) / "page.html"
        done = subprocess.run([TUTTI, "report", folder, "--arrivals", str(pattern), "--html", str(page)], capture_output=True,
                              text=True, check=False, timeout=60)
        check(done.returncode == 0 and page.exists(), f"arrivals without rank 2: {done.stderr}")
        check("rank 2 left no record" in done.stderr and "rank 2 left no record" in pattern.read_text(), done.stderr)
        lines = [line.split("#")[0].split() for line in pattern.read_text().splitlines() if not line.startswith("#")]
        check(len(lines) == 60 and all(len(line) == RANKS for line in lines), f"arrivals without rank 2: {lines[:3]}")


def main():
    mutations()
    arrivals_without_a_rank()
    with tempfile.TemporaryDirectory() as folder:
        whole = json.loads(report(made(folder)).stdout)
        check(whole["missing"] == [] and whole["run"]["calls"] == 60 and whole["verdicts"][0]["rank"] == 3,
              f"a whole record: {whole['missing']} {whole['run']} {whole['verdicts']}")
        pattern = pathlib.Path(folder) / "late.txt"
        subprocess.run([TUTTI, "report", folder, "--arrivals", str(pattern)], check=True, timeout=60, stdout=subprocess.DEVNULL)
        lines = [line.split("#")[0].split() for line in pattern.read_text().splitlines() if not line.startswith("#")]
        check(len(lines) == 60 and all(len(line) == RANKS and min(map(float, line)) == 0 for line in lines), f"arrivals: {lines[:3]}")
        check(max(lines[-1], key=float) == lines[-1][3], f"rank 3 is late: {lines[-1]}")
        subprocess.run([TUTTI, "simulate", "bcast", "--nodes", str(RANKS), "--calls", "60", "--arrivals", str(pattern)], check=True,
                       timeout=60, stdout=subprocess.DEVNULL)
    for damage, words in DAMAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            damage(made(folder) / "calls.2.rec")
            done = report(folder)
            check(done.returncode == 0, f"{damage.__name__}: {done.returncode} {done.stderr}")
            found = json.loads(done.stdout)
            lines = " ; ".join(found["missing"])
            check(any(word in lines for word in words.split("|")), f"{damage.__name__}: {lines}")
            check(found["run"]["calls"] >= 50, f"{damage.__name__}: only {found['run']['calls']} calls are analysed")
    with tempfile.TemporaryDirectory() as folder:
        for path in made(folder).iterdir():
            empty(path)
        done = report(folder)
        check(done.returncode not in (0, -6, -11) and len(done.stderr.splitlines()) == 1, f"nothing but broken files: {done.stderr}")
        done = report(os.path.join(folder, "nowhere"))
        check(done.returncode not in (0, -6, -11) and len(done.stderr.splitlines()) == 1, f"no folder: {done.stderr}")
    print(f"{len(DAMAGES) + 5} cases, {MUTATIONS} mutations")


main()
