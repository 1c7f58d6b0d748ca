"""Whether the calls of a run were served as the column says that shows it. The counts come from the run's own report: a file
of `tutti run --report`, or what `tutti bench --json` has of it for each of its rows ("served").

Counts are {choice: calls}, as in {"native": 3, "ring:steps=4": 40}."""

import json
import pathlib
import sys

NATIVE = "native"


def in_report(file, *collectives):
    return of_report(json.loads(pathlib.Path(file).read_text()), *collectives)


def of_report(report, *collectives):
    """Counts of a report; of these collectives ("bcast", "ibcast"), or of all."""
    served = {}
    for line in report["calls"]:
        if not collectives or line["collective"] in collectives:
            served[line["choice"]] = served.get(line["choice"], 0) + line["calls"]
    return served


def added(*several):
    """Counts of several runs together."""
    total = {}
    for served in several:
        for choice, calls in served.items():
            total[choice] = total.get(choice, 0) + calls
    return total


def early(choice):
    """True for the choice of a call that returned early."""
    return choice.endswith("@early")


def by(name):
    """Predicate for calls by this algorithm: its name ("agent", "hierarchical"), or with parameters ("ring:steps=4")."""
    return lambda choice: choice == name or choice.startswith((name + ":", name + "@"))


def count(served, is_claimed):
    return sum(calls for choice, calls in served.items() if is_claimed(choice))


def require(served, is_claimed, where, claim, least=None):
    """Ends this program where the calls were not served as `claim` says: all of them, or at least `least`. Returns
    "5 of 5"."""
    total, claimed = sum(served.values()), count(served, is_claimed)
    if total == 0 or claimed < (total if least is None else least):
        found = ", ".join(f"{choice} {calls}" for choice, calls in sorted(served.items())) or "no call at all"
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {where}: {claimed} of {total} calls {claim}, as the report of the run says "
                 f"({found}); the page would claim {'all' if least is None else f'{least} at least'}, and is not written")
    return f"{claimed} of {total}"


def is_same_code(served):
    """The MPI's own code served every call."""
    return bool(served) and set(served) == {NATIVE}


def text(served):
    """Number of calls that Tutti's algorithms served, and their names: "40 of 43: ring:steps=4 and 1 more"."""
    if is_same_code(served):
        return "same code"
    others = sorted(((calls, choice) for choice, calls in served.items() if choice != NATIVE), reverse=True)
    if not others:
        return "not known"
    more = f" and {len(others) - 1} more" if others[1:] else ""
    return f"{sum(calls for calls, _ in others)} of {sum(served.values())}: {others[0][1]}{more}"
