"""The command line of tools/vcluster."""

import argparse
import json
import os
import re
import signal
import sys

from . import cluster as clusters
from . import compiled, job, launch, network
from .errors import Interrupted, UsageError, VclusterError

_EPILOG = """\
exit status: the program's own for run, exec and with; 0 done; 1 failed; 2 wrong arguments;
77 not possible here (no root, no namespaces, a tool is missing); 128+N ended by signal N.
Guide: docs/howto/virtual-cluster.md"""


def main(arguments):
    """Runs one subcommand and returns the exit status of the process."""
    before, separator, after = _split(arguments)
    options = _parser().parse_args(before)
    options.command = after
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        if bool(separator) != options.takes_command or (separator and not after):
            raise UsageError("the command to run goes after '--'" if options.takes_command
                             else f"'{options.subcommand}' takes no command after '--'")
        clusters.require_privileges()
        return options.function(options) or 0
    except (VclusterError, OSError) as error:
        print(f"vcluster: {error}", file=sys.stderr)
        return getattr(error, "exit_status", 1)


def _interrupt(number, _frame):
    raise Interrupted(number)


def _split(arguments):
    if "--" not in arguments:
        return arguments, "", []
    at = arguments.index("--")
    return arguments[:at], "--", arguments[at + 1:]


def _up(options):
    made = clusters.create(options.name, options.nodes, options.rate)
    print(f"vcluster: '{made.name}' is up: {made.node_count} nodes "
          f"{made.node_names[0]} … {made.node_names[-1]}, {made.rate}, {made.subnet.cidr}")


def _down(options):
    clusters.destroy(options.name)


def _rate(options):
    with clusters.locked():
        found = clusters.find(options.name)
        network.set_rate(found.namespaces, options.rate)
        found.rate = options.rate
        found.save()


def _status(options):
    with clusters.locked():
        reports = [_report(c) for c in clusters.clusters() if options.name in (None, c.name)]
    if options.name is not None and not reports:
        raise VclusterError(f"there is no cluster '{options.name}'")
    if options.json:
        print(json.dumps(reports, indent=1))
        return
    for report in reports:
        print(f"{report['name']}: {report['state']}, {len(report['nodes'])} nodes, "
              f"rate {report['rate']}, {report['subnet']}, {report['job_count']} running jobs")
        for row in report["nodes"]:
            print(f"  {row['host']:<26} {row['address']:<15}", end="")
            print(f" sent {row['sent_bytes']:>12} B  received {row['received_bytes']:>12} B"
                  f"  dropped {row['dropped_packets']}" if "sent_bytes" in row else "")


def _report(cluster):
    alive = cluster.is_alive()
    nodes = [{"host": host, "address": cluster.subnet.node(i)}
             for i, host in enumerate(cluster.node_names)]
    if alive:
        for row, counted in zip(nodes, network.counters(cluster.namespaces)):
            row.update(counted)
    return {"name": cluster.name, "state": "up" if alive else "crashed", "rate": cluster.rate,
            "subnet": cluster.subnet.cidr, "keeper_pid": cluster.keeper_pid,
            "job_count": len(cluster.live_jobs()), "nodes": nodes}


def _run(options):
    mpi = options.mpi or launch.detect_mpi(options.command[0])
    with clusters.locked():
        found = clusters.find(options.name)
    rank_count = options.ranks or options.ppn * found.node_count
    return _launch(options, launch.mpirun(mpi, rank_count, dict(options.env), options.command))


def _exec(options):
    return _launch(options, options.command)


def _with(options):
    options.name = options.name or f"with-{os.getpid()}"
    clusters.create(options.name, options.nodes, options.rate, ephemeral=True)
    try:
        return _launch(options, options.command)
    finally:
        with clusters.signals_held():
            clusters.destroy(options.name, missing_ok=True)  # it may have been removed with `down`


def _launch(options, command):
    library = compiled.locate("vcluster_shim")
    with clusters.locked():
        found = clusters.find(options.name)
    if options.node is not None:
        if options.node >= found.node_count:
            raise UsageError(f"cluster '{found.name}' has nodes 0 to {found.node_count - 1}")
        command = [job.AGENT, found.node_names[options.node], "exec", *map(_quote, command)]
    environment = launch.environment(os.environ, found, options.ppn, options.nap)
    files = launch.host_files(found, options.ppn)
    return job.run(found.name, command, environment, library, files)


def _quote(word):
    return "'" + word.replace("'", "'\\''") + "'"


def _parser():
    parser = argparse.ArgumentParser(
        prog="vcluster", description="Network namespaces as the nodes of a small cluster.",
        epilog=_EPILOG, formatter_class=argparse.RawDescriptionHelpFormatter)
    subparsers = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")

    def add(name, function, summary, takes_command=False, default_name=clusters.DEFAULT_NAME):
        sub = subparsers.add_parser(name, help=summary, description=summary)
        sub.set_defaults(function=function, takes_command=takes_command, node=None)
        sub.add_argument("--name", type=_checked(clusters.check_name), default=default_name,
                         help="which cluster (default: %(default)s)")
        return sub

    up = add("up", _up, "make a cluster")
    _add_shape(up)
    run = add("run", _run, "run an MPI program on the nodes: run … -- PROGRAM ARGS", True)
    run.add_argument("--mpi", choices=sorted(launch.MPIS), help="default: what PROGRAM links")
    run.add_argument("-n", dest="ranks", type=_count, help="ranks (default: ppn on every node)")
    run.add_argument("--env", type=_assignment, action="append", default=[], metavar="K=V",
                     help="environment variable for the ranks only")
    _add_job(run)
    execute = add("exec", _exec, "run a command on the head, mpirun ready: exec … -- COMMAND", True)
    execute.add_argument("--node", type=int, metavar="I", help="run it on node I instead")
    _add_job(execute)
    combined = add("with", _with, "up, exec and always down: with 4 … -- COMMAND", True, None)
    _add_shape(combined)
    _add_job(combined)
    rate = add("rate", _rate, "change the rate of every link")
    rate.add_argument("rate", type=_checked(network.parse_rate), metavar="RATE")
    status = add("status", _status, "list clusters, nodes and traffic", default_name=None)
    status.add_argument("--json", action="store_true")
    add("down", _down, "remove a cluster and what runs on it")
    return parser


def _add_shape(parser):
    parser.add_argument("nodes", type=_node_count, metavar="NODES")
    parser.add_argument("--rate", type=_checked(network.parse_rate), default="1gbit",
                        help="of each link, as tc writes it, or none (default: %(default)s)")


def _add_job(parser):
    parser.add_argument("--ppn", type=_count, default=2, help="ranks per node (default: 2)")
    nap = parser.add_mutually_exclusive_group()
    nap.add_argument("--native-nap", dest="nap", action="store_const", const=launch.DEFAULT_NAP,
                     help="waiting ranks sleep (default)")
    nap.add_argument("--no-nap", dest="nap", action="store_const", const="off",
                     help="waiting ranks spin, as the MPI came")
    parser.set_defaults(nap=_checked(_nap)(os.environ.get("VCLUSTER_NAP", launch.DEFAULT_NAP)))


def _checked(check):
    """Makes an argparse type of a function that raises UsageError."""
    def convert(text):
        try:
            return check(text)
        except UsageError as error:
            raise argparse.ArgumentTypeError(str(error)) from None
    return convert


def _nap(text):
    if text != "off" and not re.fullmatch(r"[1-9]\d{0,8},\d{1,6}", text):
        raise UsageError(f"VCLUSTER_NAP='{text}' is neither CALLS,MICROSECONDS nor off")
    return text


def _count(text):
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"'{text}' is not a positive number")
    return int(text)


def _node_count(text):
    if _count(text) > clusters.MAX_NODES:
        raise argparse.ArgumentTypeError(f"at most {clusters.MAX_NODES} nodes")
    return int(text)


def _assignment(text):
    key, equals, value = text.partition("=")
    if not equals or not re.fullmatch(r"[A-Za-z_]\w*", key):
        raise argparse.ArgumentTypeError(f"'{text}' is not KEY=VALUE")
    return key, value
