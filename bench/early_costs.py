"""Measures the cost of guards and copies beside the time of the message (paper 002, Fig. 5)."""

import subprocess

from on_cluster import size_text

WIRE_BITS_PER_US = 1000  # 1 Gbit/s
PARTS = ("close", "open", "wake")
TITLE = "Cost of guards and copies (Fig. 5)"
HEAD = """\
µs, median (minimum–maximum) of 41 calls, from 4 MiB on of 11. *Message*: its bytes at 1 Gbit/s. *Copy*: of a send buffer,
into memory of an earlier call. *Close*: what a guard costs the call. *Open*: what it costs the progress thread, unit by unit
and with the guard's end. *Wake*: from the last page's opening until a thread that waits for it goes on. Aligned buffers;
the process has two threads.
"""


def measure(options):
    """{bytes: {(of, part): (median, least, most)}}."""
    output = subprocess.run([options.build / "bin/tutti-guard-costs"], check=True, stdout=subprocess.PIPE, text=True,
                            timeout=300).stdout
    costs = {}
    for line in output.splitlines():
        size, of, part, *us = line.split()
        costs.setdefault(int(size), {})[of, part] = tuple(map(float, us))
    return costs


def message_us(size):
    return size * 8 / WIRE_BITS_PER_US


def with_range(us):
    return "–" if us is None else "{:.1f} ({:.1f}–{:.1f})".format(*us)


def guards(costs):
    return list(dict.fromkeys(of for row in costs.values() for of, _ in row if of != "copy"))


def section(costs):
    names = guards(costs)
    heads = [f"`{name}` {part}" for name in names for part in PARTS]
    lines = [HEAD, "| size | message | copy | " + " | ".join(heads) + " |", "|" + " --- |" * (3 + len(heads))]
    for size, row in costs.items():
        cells = [with_range(row.get((name, part))) for name in names for part in PARTS]
        lines.append(f"| {size_text(size)} | {message_us(size):.0f} | {with_range(row.get(('copy', 'copy')))} | "
                     + " | ".join(cells) + " |")
    return lines


def summary(costs):
    """Sums up the largest message, and the size from which on all parts cost less than the message takes."""
    rows = []
    for name in guards(costs):
        shares = {size: 100 * (row[name, "close"][0] + row[name, "open"][0] + row["copy", "copy"][0]) / message_us(size)
                  for size, row in costs.items() if (name, "close") in row}
        not_worth = max((size for size, share in shares.items() if share >= 100), default=0)
        worth = [size for size in shares if size > not_worth]
        largest = max(shares)
        rows.append(f"| Copy, and guard by `{name}`: of the message's time | {shares[largest]:.0f} % at {size_text(largest)}; "
                    f"{f'less than the message from {size_text(min(worth))} on' if worth else 'not less than the message'} | "
                    "paper: ≤ 40 %, less from 4 KiB on |")
    return rows
