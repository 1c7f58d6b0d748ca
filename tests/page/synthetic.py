#!/usr/bin/env python3
"""Reports of runs that never were, for the test of the page; every one conforms to src/record/report.schema.json.

    synthetic.py NAME            print one of: slow_rank large hostile empty missing
    synthetic.py --check [FILE]  say whether all of them, or a report in a file, conform
"""

import json
import random
import sys
from pathlib import Path

from schema import violations

MICROSECOND = 1_000
MILLISECOND = 1_000_000
COLLECTIVES = ("bcast", "allreduce", "reduce", "alltoall", "allgather", "barrier", "scatterv", "gatherv")
PLACES = ("solve", "exchange_halo", "residual", "load_balance", "write_checkpoint", "setup_mesh", "norm", "update")
HOSTILE = "</script><img src=x onerror=\"window.wasHostile=1\"><b>'\"&amp; \u202eabc\u0000"


def histogram(spreads, bins=24):
    """Bins of equal width, the last one closed."""
    most = max(spreads) + 1
    width = -(-most // bins)
    counts = [0] * bins
    for spread in spreads:
        counts[spread // width] += 1
    return [{"from_ns": i * width, "to_ns": (i + 1) * width, "calls": count} for i, count in enumerate(counts)]


def decades(spreads):
    """Bins that double, as a recorder with little memory keeps them."""
    edges = [0] + [MICROSECOND << i for i in range(28)]
    pairs = [(a, b, sum(a <= s < b for s in spreads)) for a, b in zip(edges, edges[1:])]
    used = [i for i, pair in enumerate(pairs) if pair[2]]
    return [{"from_ns": a, "to_ns": b, "calls": n} for a, b, n in pairs[used[0]:used[-1] + 1]]


def spans(total, most):
    """Splits as evenly as possible into at most `most` spans."""
    groups = min(total, most)
    edges = [total * i // groups for i in range(groups + 1)]
    return [{"first": a, "last": b - 1} for a, b in zip(edges, edges[1:])]


def lateness_of(random_source, rank, call, slow):
    """A slow rank is late in most calls; all have some noise, and now and then the machine stumbles."""
    late = int(abs(random_source.gauss(0, 180 * MICROSECOND)))
    if rank == slow and call % 9:
        late += int(random_source.gauss(12, 1.1) * MILLISECOND)
    if random_source.random() < 0.004:
        late += int(random_source.uniform(1, 5) * MILLISECOND)
    return max(late, 0)


def arrival_and_heat(random_source, ranks, calls, slow, has_heat):
    rows, columns = spans(ranks, 256), spans(calls, 128 if has_heat else 16)
    sampled = [[lateness_of(random_source, rank, column["first"], slow) for column in columns] for rank in range(ranks)]
    arrival = {"ranks": list(range(ranks)),
               "mean_ns": [sum(line) // len(line) for line in sampled],
               "most_ns": [max(line) for line in sampled]}
    worst = max(range(len(columns)), key=lambda c: max(line[c] for line in sampled))
    first = min(line[worst] for line in sampled)
    arrival["worst_call"] = {"sequence": columns[worst]["first"], "arrival_ns": [line[worst] - first for line in sampled]}
    heat = {"rows": rows, "columns": columns,
            "lateness_ns": [[max(sampled[rank][c] for rank in range(row["first"], row["last"] + 1))
                             for c in range(len(columns))] for row in rows]}
    spreads = [max(line[c] for line in sampled) - min(line[c] for line in sampled) for c in range(len(columns))]
    return arrival, heat if has_heat else None, spreads


def choices_of(random_source, collective, calls):
    names = ("native", "chain:segment=16K", "binomial", "ring")
    count = random_source.randint(1, 3)
    return [{"choice": names[i], "reason": "rule 3: early ranks start first" if i else f"no rule matches {collective}",
             "calls": calls // count, "median_transfer_ns": random_source.randint(20, 900) * MICROSECOND}
            for i in range(count)]


def site(number, ranks, calls, slow, weight, has_arrival=True, has_heat=True):
    random_source = random.Random(number)
    collective = COLLECTIVES[number % len(COLLECTIVES)]
    place = PLACES[number % len(PLACES)]
    result = {"site": number, "place": f"{place} ({place}.c:{40 + 17 * number})", "module": "asp", "collective": collective,
              "interface": ("blocking", "blocking", "nonblocking", "persistent")[number % 4],
              "communicator": "MPI_COMM_WORLD" if number % 3 else f"row communicator {number}", "ranks": ranks,
              "least_bytes": 0 if collective == "barrier" else 1024 << number % 4,
              "most_bytes": 0 if collective == "barrier" else 4096 << number % 8,
              "calls": calls, "judged_calls": calls - number % 3}
    sampled = ranks if has_arrival else 8  # parts that are not shown are only computed roughly
    arrival, heat, spreads = arrival_and_heat(random_source, sampled, calls, slow, has_heat)
    ordered = sorted(spreads)
    result |= {"waiting_ns": int(sum(spreads) * weight * max(1, ranks - 1) / 3) + 1,
               "transfer_ns": int(calls * ranks * random_source.uniform(0.05, 0.9) * MILLISECOND * weight),
               "hidden_ns": calls * ranks * 30 * MICROSECOND if result["interface"] == "nonblocking" else 0,
               "spread": {"median_ns": ordered[len(ordered) // 2], "p90_ns": ordered[len(ordered) * 9 // 10],
                          "most_ns": ordered[-1], "histogram": decades(spreads) if number % 2 else histogram(spreads)}}
    blamed = sorted(range(sampled), key=lambda r: -arrival["mean_ns"][r])[:10]
    result["late_ranks"] = [{"rank": rank, "calls": max(1, calls * 9 // 10 // (1 + 5 * i)),
                             "caused_ns": arrival["mean_ns"][rank] * calls // 2} for i, rank in enumerate(blamed)]
    if slow is not None and number % 4 == 0:
        result["cause"] = {"text": f"rank {slow} computes 12.0 ms longer than others after allreduce (a.c:10)", "rank": slow,
                           "gap_ns": 31 * MILLISECOND, "typical_gap_ns": 19 * MILLISECOND, "after_site": max(0, number - 1)}
    if has_arrival:
        result["arrival"] = arrival
    if heat:
        result["heat"] = heat
    result["choices"] = choices_of(random_source, collective, calls)
    return result


def timeline(nodes, bins, slow_node):
    random_source = random.Random(7)
    lines = []
    for node in range(nodes):
        is_slow = node == slow_node
        waiting = [min(0.9, max(0, random_source.gauss(0.06 if is_slow else 0.34, 0.05) * (0.4 if b < bins / 8 else 1)))
                   for b in range(bins)]
        transfer = [max(0, random_source.gauss(0.09, 0.02)) for _ in range(bins)]
        lines.append({"node": node, "waiting": [round(min(x, 1), 4) for x in waiting],
                      "transfer": [round(min(x, 0.1), 4) for x in transfer]})
    return {"bin_ns": 310 * MILLISECOND, "nodes": lines}


def people(ranks, nodes, slow):
    random_source = random.Random(11)
    per_node = ranks // nodes
    lines = [{"rank": rank, "node": rank // per_node,
              "waiting_ns": int(random_source.gauss(9, 0.7) * 1000) * MILLISECOND if rank != slow else 700 * MILLISECOND,
              "transfer_ns": int(random_source.gauss(3, 0.2) * 1000) * MILLISECOND,
              "caused_ns": 41_000 * MILLISECOND if rank == slow else int(abs(random_source.gauss(0, 0.9)) * 1000) * MILLISECOND,
              "late_calls": 820 if rank == slow else random_source.randint(0, 60),
              "relative_score": 0.61 if rank == slow else round(random_source.uniform(0.93, 1.0), 3),
              "individual_score": 0.58 if rank == slow else round(random_source.uniform(0.9, 1.0), 3),
              "dropped": 0, "is_missing": False} for rank in range(ranks)]
    groups = [[line for line in lines if line["node"] == node] for node in range(nodes)]
    return lines, [{"node": node, "host": f"n{node}", "ranks": per_node, "clock_error_ns": 700 + 130 * node,
                    "caused_ns": sum(p["caused_ns"] for p in group), "waiting_ns": sum(p["waiting_ns"] for p in group),
                    "transfer_ns": sum(p["transfer_ns"] for p in group),
                    "relative_score": min(p["relative_score"] for p in group),
                    "individual_score": min(p["individual_score"] for p in group)} for node, group in enumerate(groups)]


def selection():
    random_source = random.Random(3)
    lines = []
    for collective, choice in (("bcast", "chain:segment=16K"), ("allreduce", "ring"), ("alltoall", "pairwise"),
                               ("reduce", "binomial"), ("gatherv", "native")):
        for size in (1024, 65536, 4 << 20):
            native = random_source.randint(40, 200) * size // 1024 * MICROSECOND // 8 + 9000
            median = native if choice == "native" else int(native * random_source.uniform(0.5, 1.15))
            line = {"collective": collective, "bytes": size, "ranks": 8, "choice": choice,
                    "reason": "measured in this run, 8 tries of each", "calls": 100, "median_ns": median,
                    "won_ns": (native - median) * 100}
            if collective != "gatherv":
                line["native_median_ns"] = native
            lines.append(line)
    return lines


def report(ranks, nodes, sites, slow, **changes):
    lines, node_lines = people(ranks, nodes, slow)
    waiting = sum(line["waiting_ns"] for line in lines)
    transfer = sum(line["transfer_ns"] for line in lines)
    elapsed = 62_000 * MILLISECOND
    result = {
        "schema": 1,
        "run": {"program": "asp", "mpi": "MPICH Version: 4.0.2", "ranks": ranks, "nodes": nodes,
                "started": "2026-11-26T10:00:00Z", "elapsed_ns": elapsed, "recorded_ns": elapsed, "ended": "finalized", "calls": sum(s["calls"] for s in sites),
                "records": sum(s["calls"] * s["ranks"] for s in sites), "dropped": 0, "sampled_every": 1,
                "clock_error_ns": 1100, "job": "4711"},
        "what_to_do": [
            f"Look at rank {slow} on node n{slow // (ranks // nodes)}: it comes last in 91 % of the calls and causes 83 % of all waiting.",
            "It computes 12.0 ms longer than the others between allreduce (a.c:10) and solve (solve.c:40).",
            "If it were as fast as the others, the run would take about 49 s instead of 62 s."],
        "verdicts": [{"kind": "slow_rank", "text": f"Rank {slow} causes most of the waiting.", "rank": slow,
                      "node": slow // (ranks // nodes), "site": 0, "share": 0.83},
                     {"kind": "wrong_algorithm", "text": "The broadcast of 4 MiB would be faster as a chain.", "site": 0,
                      "share": 0.07}],
        "totals": {"waiting_ns": waiting, "transfer_ns": transfer, "hidden_ns": sum(s["hidden_ns"] for s in sites),
                   "messages_ns": 0, "messages_waiting_ns": 0, "rank_ns": elapsed * ranks, "without_lateness_ns": 49_000 * MILLISECOND, "unjudged_calls": 4},
        "nodes": node_lines, "ranks": lines, "timeline": timeline(nodes, 200, slow // (ranks // nodes)), "sites": sites,
        "selection": selection(), "chain": ["libdarshan.so"], "missing": [],
        "notes": ["Summed time is not wall time: eight ranks that wait one second wait eight seconds.",
                  "Lateness below the clock error of 1.1 µs is not judged.",
                  "Waiting in a rooted collective is what the root or the leaves cannot avoid without the data."]}
    return result | changes


def slow_rank():
    return report(8, 4, [site(number, 8, 900 - 60 * number, 3, 3 / (1 + number) ** 2) for number in range(12)], slow=3)


def large():
    """The largest possible report: only the worst sites have arrivals, and only the worst of those a heat map."""
    sites = [site(number, 1024, 2000 - number, 517, 5 / (1 + number), has_arrival=number < 60, has_heat=number < 8)
             for number in range(300)]
    return report(1024, 64, sites, slow=517)


def with_hostile_text(value):
    """Replaces every string, except the values of an enumeration, by one that would run if it were taken as HTML."""
    if isinstance(value, dict):
        return {name: item if name in ("kind", "interface") else with_hostile_text(item) for name, item in value.items()}
    if isinstance(value, list):
        return [with_hostile_text(item) for item in value]
    return HOSTILE if isinstance(value, str) else value


def hostile():
    return with_hostile_text(report(8, 4, [site(number, 8, 50, 3, 1) for number in range(3)], slow=3))


def empty():
    """A program that called no collective."""
    result = report(2, 1, [], slow=0, what_to_do=["The program called no collective, so there is nothing to speed up."],
                    verdicts=[{"kind": "nothing_wrong", "text": "There was no call."}],
                    timeline={"bin_ns": 0, "nodes": []}, selection=[], chain=[], notes=[])
    result |= {"nodes": [], "ranks": [], "totals": dict.fromkeys(result["totals"], 0)}
    del result["run"]["job"]
    return result


def missing():
    result = report(8, 4, [site(number, 8, 300, 3, 1, has_heat=False) for number in range(3)], slow=3,
                    missing=["rank 5: there is no file", "rank 6: the file ends early"])
    result["ranks"][5] |= {"is_missing": True, "waiting_ns": 0, "transfer_ns": 0, "caused_ns": 0, "late_calls": 0}
    result["ranks"][6]["dropped"] = 120
    result["run"] |= {"dropped": 120, "sampled_every": 4}
    del result["selection"][1]["native_median_ns"], result["selection"][1]["won_ns"]
    for name in ("bytes", "median_ns", "won_ns"):
        del result["selection"][2][name]
    for line in result["sites"]:
        for name in ("ranks", "mean_ns", "most_ns"):
            del line["arrival"][name][5]
        del line["arrival"]["worst_call"]
    return result


REPORTS = {function.__name__: function for function in (slow_rank, large, hostile, empty, missing)}


def check(reports):
    findings = [f"{name}: {finding}" for name, value in reports.items() for finding in violations(value)]
    print("\n".join(findings[:20] + [f"{len(reports)} reports: {len(findings)} findings"]))
    return 1 if findings else 0


def main(arguments):
    if arguments and arguments[0] in REPORTS:
        json.dump(REPORTS[arguments[0]](), sys.stdout, separators=(",", ":"), ensure_ascii=False)
        return 0
    if arguments[:1] == ["--check"]:
        files = {name: json.loads(Path(name).read_text()) for name in arguments[1:]}
        return check(files or {name: function() for name, function in REPORTS.items()})
    print(__doc__)
    return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
