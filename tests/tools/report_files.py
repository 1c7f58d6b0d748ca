#!/usr/bin/env python3
"""Records that are broken, cut off, hostile, missing or mixed: one clear line each, and the rest is analysed.

    report_files.py TUTTI MAKER

TUTTI is the command, MAKER is bench/recorder_synthetic.py.
"""

import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

TUTTI, MAKER = sys.argv[1:]
RANKS = 8


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


DAMAGES = {cut: "is cut off", cut_early: "cut off", other_version: "version 99", empty: "cannot be read|no record",
           folder_instead: "is no file", absent: "rank 2 left no file", other_run: "is of another run",
           many_ranks: "members that are not there", no_such_row: "names what is not there", not_text: "damaged",
           long_description: "cut off|cannot be read"}


def check(condition, what):
    if not condition:
        sys.exit(what)


def main():
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
    print(f"{len(DAMAGES) + 4} cases")


main()
