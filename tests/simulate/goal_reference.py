"""An interpreter of GOAL under LogGOPS, written from the published rules and docs/simulation.md, without a look at ours.

Times are whole picoseconds, costs per byte whole femtoseconds. One rank on each node, one CPU, no wildcards: what schedules
export.
"""

import heapq
import re
from collections import defaultdict, deque

OPERATION = re.compile(r"(?:(\w+): )?(?:(send|recv) (\d+)b (?:to|from) (\d+) tag (\d+)|calc (\d+))$")


class Costs:
    def __init__(self, machine):
        network = machine["network"]
        self.latency = round(network["latency_ns"] * 1000)
        self.overhead = round(network["overhead_ns"] * 1000)
        self.overhead_fs = round(network["overhead_ns_per_byte"] * 1_000_000)
        self.gap = round(network["gap_ns"] * 1000)
        self.gap_fs = round(network["ns_per_byte"] * 1_000_000)
        self.eager = network["eager_bytes"]

    def cpu(self, size):
        return self.overhead + max(size - 1, 0) * self.overhead_fs // 1000

    def wire(self, size):
        return max(size - 1, 0) * self.gap_fs // 1000


class Rank:
    def __init__(self):
        self.operations = []  # (kind, size or nanoseconds, peer, tag)
        self.labels = {}
        self.then = defaultdict(list)
        self.waits = []
        self.ready = []  # heap of (urgency, order, operation)
        self.busy = False
        self.arrivals = 0
        self.done = 0
        self.end = 0
        self.out_free = self.in_free = 0


def read(path):
    ranks, rank = [], None
    for line in open(path):
        line = line.strip()
        if line.startswith("num_ranks"):
            ranks = [Rank() for _ in range(int(line.split()[1]))]
        elif line.startswith("rank"):
            rank = ranks[int(line.split()[1])]
        elif found := OPERATION.match(line):
            label, kind, size, peer, tag, ns = found.groups()
            rank.labels.setdefault(label, len(rank.operations))
            rank.operations.append((kind, int(size), int(peer), int(tag)) if kind else ("calc", int(ns), None, None))
            rank.waits.append(0)
        elif " requires " in line:
            after, before = (rank.labels[word] for word in line.split(" requires "))
            rank.then[before].append(after)
            rank.waits[after] += 1
        elif line not in ("", "}"):
            raise ValueError(line)
    return ranks


def matches(ranks):
    """The n-th send from a to b with a tag meets the n-th receive of b from a with it."""
    receives, partner = defaultdict(deque), {}
    for number, rank in enumerate(ranks):
        for index, (kind, _, peer, tag) in enumerate(rank.operations):
            if kind == "recv":
                receives[peer, number, tag].append(index)
    for number, rank in enumerate(ranks):
        for index, (kind, _, peer, tag) in enumerate(rank.operations):
            if kind == "send":
                other = receives[number, peer, tag].popleft()
                partner[number, index], partner[peer, other] = (peer, other), (number, index)
    return partner


class Simulation:
    def __init__(self, ranks, costs):
        self.ranks, self.costs, self.partner = ranks, costs, matches(ranks)
        self.events, self.count = [], 0
        self.state = defaultdict(str)  # of a receive: posted, asked, here; of a send: invited

    def at(self, time, what, *arguments):
        self.count += 1
        heapq.heappush(self.events, (time, self.count, what, arguments))

    def run(self):
        for number in range(len(self.ranks)):
            self.at(0, self.begin, number)
        while self.events:
            self.now, _, what, arguments = heapq.heappop(self.events)
            what(*arguments)
        assert all(rank.done == len(rank.operations) for rank in self.ranks), "the program does not come to an end"
        return [rank.end for rank in self.ranks]

    def begin(self, number):
        for index, waits in enumerate(self.ranks[number].waits):
            if waits == 0:
                self.make_ready(number, index)
        self.work(number)

    def push(self, number, urgency, index):
        rank = self.ranks[number]
        rank.arrivals += 1
        heapq.heappush(rank.ready, (urgency, rank.arrivals if urgency == 0 else index, index))

    def make_ready(self, number, index):
        kind = self.ranks[number].operations[index][0]
        if kind == "recv":
            before, self.state[number, index] = self.state[number, index], "posted"
            if before:
                self.state[number, index] = before + "+"
                self.push(number, 0, index)
        else:
            self.push(number, 1 if kind == "send" else 2, index)

    def complete(self, number, index):
        rank = self.ranks[number]
        rank.done += 1
        rank.end = self.now
        for after in rank.then[index]:
            rank.waits[after] -= 1
            if rank.waits[after] == 0:
                self.make_ready(number, after)

    def work(self, number):
        rank, costs = self.ranks[number], self.costs
        if rank.busy or not rank.ready:
            return
        rank.busy = True
        index = heapq.heappop(rank.ready)[2]
        kind, size, *_ = rank.operations[index]
        if kind == "recv":  # it may have room for more
            sender, send = self.partner[number, index]
            size = self.ranks[sender].operations[send][1]
        state = self.state[number, index]
        if kind == "calc":
            self.at(self.now + size * 1000, self.worked, number, index, True)
        elif kind == "recv":
            asked = state == "asked+"
            self.at(self.now + (costs.overhead if asked else costs.cpu(size)), self.received, number, index, asked)
        elif state == "invited":
            self.inject(number, index, size, True)
            self.at(self.now + costs.overhead, self.worked, number, index, False)
        elif size <= costs.eager:
            self.inject(number, index, size, False)
            self.at(self.now + costs.cpu(size), self.worked, number, index, True)
        else:
            self.at(self.now + costs.overhead, self.asked, number, index)

    def inject(self, number, index, size, tells):
        rank = self.ranks[number]
        begin = max(self.now + self.costs.overhead, rank.out_free)
        rank.out_free = begin + self.costs.gap + self.costs.wire(size)
        if tells:
            self.at(rank.out_free, self.sent, number, index)
        self.at(begin + self.costs.latency, self.come_in, *self.partner[number, index], size)

    def come_in(self, number, index, size):
        rank = self.ranks[number]
        begin = max(self.now, rank.in_free)
        rank.in_free = begin + self.costs.gap + self.costs.wire(size)
        self.at(begin + self.costs.wire(size), self.arrive, number, index, "here")

    def arrive(self, number, index, what):
        waiting = self.state[number, index] == "posted"
        self.state[number, index] = what + ("+" if waiting else "")
        if waiting:
            self.push(number, 0, index)
            self.work(number)

    def worked(self, number, index, is_complete):
        self.ranks[number].busy = False
        if is_complete:
            self.complete(number, index)
        self.work(number)

    def asked(self, number, index):
        self.at(self.now + self.costs.latency, self.arrive, *self.partner[number, index], "asked")
        self.worked(number, index, False)

    def received(self, number, index, asked):
        if asked:
            self.state[number, index] = "posted"
            self.at(self.now + self.costs.latency, self.invited, *self.partner[number, index])
        self.worked(number, index, not asked)

    def invited(self, number, index):
        self.state[number, index] = "invited"
        self.push(number, 0, index)
        self.work(number)

    def sent(self, number, index):
        self.complete(number, index)
        self.work(number)


def finish_times(path, machine):
    """The finish time of each rank, in picoseconds."""
    return Simulation(read(path), Costs(machine)).run()
