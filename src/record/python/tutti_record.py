"""Reads the files that TUTTI_RECORD writes for one run (format: docs/recorder.md).

    import tutti_record
    for rank in tutti_record.read("folder"):
        for call in rank.calls():
            print(rank.number, call.collective, call.place["function"], call.arrival_ns, call.inside_ns)

Needs only Python 3.9. Times are in nanoseconds of the clock of the rank's machine; rank.common_ns() converts them to
the common clock of all ranks.
"""

import json
import pathlib
import struct
from typing import Iterator, NamedTuple, Optional

MAGIC, VERSION = b"TUTTIREC", 1
RECORD = struct.Struct("<QIIIIII")
UNKNOWN, NO_ROOT = 0xFFFFFFFF, 0xFFFFFFFF
DIGITS = 27


class Damaged(ValueError):
    """The file is not a record of Tutti, or is incomplete."""


class Call(NamedTuple):
    arrival_ns: int
    sequence: int                # among the calls of its communicator, or the starts of its request
    inside_ns: Optional[int]     # time of the program in it; None: pending at the end of the run, or end not observed
    whole_ns: Optional[int]      # until the operation ended
    bytes: int
    root: Optional[int]          # rank of the communicator
    collective: str
    interface: str               # "blocking", "nonblocking", "persistent"
    choice: str                  # what served it
    place: dict                  # "module", "function", "offset"
    communicator: dict           # "name", "rank", "members" as runs of [first, count, step]


def _number(packed):
    return None if packed == UNKNOWN else (packed & ((1 << DIGITS) - 1)) << (packed >> DIGITS)


class Wait(NamedTuple):
    """A wait for a message, or in another call that waits for ranks."""
    arrival_ns: int
    inside_ns: Optional[int]
    call: str                    # one of MESSAGES
    peer: Optional[int]          # rank of the communicator; None: unknown
    communicator: dict


MESSAGES = ("send", "recv", "sendrecv", "probe", "wait", "other", "poll")


class Rank:
    """The file of one rank."""

    def __init__(self, path):
        self.path = pathlib.Path(path)
        with self.path.open("rb") as file:
            beginning = file.read(16)
            if len(beginning) < 16 or beginning[:8] != MAGIC:
                raise Damaged(f"{path}: is no record of Tutti")
            version, length = struct.unpack_from("<II", beginning, 8)
            if version != VERSION:
                raise Damaged(f"{path}: has version {version} of the format, not {VERSION}")
            text = file.read(length)
        try:
            self.description = json.loads(text)
            self.number = self.description["rank"]
        except (ValueError, KeyError, TypeError) as error:
            raise Damaged(f"{path}: has a damaged description: {error}") from None
        self._begin = (16 + length + RECORD.size - 1) // RECORD.size * RECORD.size

    def calls(self) -> Iterator[Call]:
        """The calls of collectives."""
        says = self.description
        for (arrival_ns, _, sequence, inside, whole, size, root), of in self._records():
            if of["collective"] not in MESSAGES:
                yield Call(arrival_ns, sequence, _number(inside), _number(whole), _number(size) or 0,
                           None if root == NO_ROOT else root, of["collective"], of["interface"], of["choice"],
                           says["places"][of["place"]], says["communicators"][of["communicator"]])

    def waits(self) -> Iterator[Wait]:
        """The waits for messages. The waits of one call that waits for several messages have the same times."""
        says = self.description
        for (arrival_ns, _, _, inside, _, _, peer), of in self._records():
            if of["collective"] in MESSAGES:
                yield Wait(arrival_ns, _number(inside), of["collective"], None if peer == NO_ROOT else peer,
                           says["communicators"][of["communicator"]])

    def _records(self):
        """Yields the unpacked fields and the row of each record."""
        says = self.description
        with self.path.open("rb") as file:
            file.seek(self._begin)
            for _ in range(says["records"]):
                words = file.read(RECORD.size)
                if len(words) < RECORD.size:
                    raise Damaged(f"{self.path}: is cut off")
                numbers = RECORD.unpack(words)
                if numbers[1] >= len(says["rows"]):
                    raise Damaged(f"{self.path}: a record has no row")
                yield numbers, says["rows"][numbers[1]]

    def common_ns(self, at_ns):
        """Converts a time of this machine to the common clock, by linear interpolation between the clock comparisons."""
        samples = sorted(self.description["clock"], key=lambda sample: sample["at_ns"])
        if not samples:
            return at_ns
        before = max((s for s in samples if s["at_ns"] <= at_ns), key=lambda s: s["at_ns"], default=samples[0])
        after = min((s for s in samples if s["at_ns"] > at_ns), key=lambda s: s["at_ns"], default=before)
        if after["at_ns"] <= before["at_ns"] or at_ns < before["at_ns"]:
            return at_ns + before["offset_ns"]
        part = (at_ns - before["at_ns"]) / (after["at_ns"] - before["at_ns"])
        return at_ns + before["offset_ns"] + int(part * (after["offset_ns"] - before["offset_ns"]))


def read(folder):
    """Returns the ranks of a run in increasing order."""
    return sorted((Rank(path) for path in pathlib.Path(folder).glob("calls.*.rec")), key=lambda rank: rank.number)
