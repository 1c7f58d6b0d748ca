"""The command line of tools/zoo."""

import argparse
import os
import shutil
import signal
import sys

from vclusterlib import launch
from vclusterlib.errors import EXIT_FAILURE, UsageError, VclusterError

from . import jobs, limits
from .shapes import SHAPES, shape_of
from .traits import Links

_EPILOG = """\
Shapes can be joined: link_1gbit+descriptors64. Exit status: the command's own for run; 0 done; 1 failed; 2 wrong
arguments; 77 this machine or user cannot have the shape. Guide: docs/howto/zoo.md"""
_TOOL = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "zoo")


def main(arguments):
    """Runs one subcommand and returns the exit status of the process."""
    at = arguments.index("--") if "--" in arguments else len(arguments)
    options = _parser().parse_args(arguments[:at])
    options.command = arguments[at + 1:]
    try:
        if bool(options.command) != options.takes_command:
            raise UsageError("the command to run goes after '--'" if options.takes_command
                             else f"'{options.subcommand}' takes no command after '--'")
        return options.function(options) or 0
    except (VclusterError, OSError) as error:
        print(f"zoo: {error}", file=sys.stderr)
        return getattr(error, "exit_status", EXIT_FAILURE)


def _list(options):
    for shape in SHAPES.values():
        if options.brief:
            print(shape.name, shape.ranks)
            continue
        try:
            shape.require()
            here = ""
        except VclusterError as error:
            here = str(error)
        print(f"{shape.name:14} {shape.ranks:3} ranks  {shape.summary}" + (f" – not here: {here}" if here else ""))


def _run(options):
    shape = shape_of(options.shape)
    shape.require()
    links = shape.trait(Links)
    if links and not options.inside:
        # Runs the tool again on the cluster's head: the cluster needs what filters and limits forbid.
        words = links.words() + [_TOOL, "run", "--inside", options.shape, "--", *options.command]
        os.execvp(words[0], words)
    environment = jobs.environment_in(shape)
    quota = shape.trait(limits.Quota)
    if quota is None:
        _become(shape, options.command, environment)
    with quota.group() as folder:
        return _run_in_group(folder, shape, options.command, environment)


def _become(shape, command, environment):
    for trait in shape.traits:
        trait.enter()
    try:
        os.execvpe(command[0], command, environment)
    except OSError as error:
        raise VclusterError(f"cannot run '{command[0]}': {error.strerror}") from None


def _run_in_group(folder, shape, command, environment):
    """Waits for the command, forwards signals, and returns its exit status."""
    child = os.fork()
    if child == 0:
        try:
            limits.join(folder)
            _become(shape, command, environment)
        except (VclusterError, OSError) as error:
            print(f"zoo: {error}", file=sys.stderr)
        finally:
            os._exit(127)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda sign, _: os.kill(child, sign))
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    return code if code >= 0 else 128 - code


def _mpis(options):
    found = [name for name, mpi in launch.MPIS.items() if any(shutil.which(one) for one in mpi.launchers)]
    chosen = [name for name in found if options.mpi in (None, name)]
    if not chosen:
        raise UsageError(f"{options.mpi or 'no MPI'} is not installed")
    return chosen


def _check(options):
    """Starts ranks in the shape and checks their observations."""
    shape, status = shape_of(options.shape), 0
    shape.require()
    for mpi in _mpis(options):
        faults = jobs.faults_of(shape, mpi)
        status |= bool(faults)
        print(f"{shape.name} {mpi}: " + ("; ".join(faults) or "holds"), flush=True)
    return status


def _compare(options):
    """Runs a program natively and under Tutti, in several shapes."""
    status = 0
    mpi = options.mpi or launch.detect_mpi(options.command[0])
    for name in options.shapes.split(","):
        shape = shape_of(name)
        try:
            shape.require()
        except VclusterError as error:
            print(f"{name} {mpi}: skipped, {error}", flush=True)
            continue
        job = jobs.Job(shape, mpi, options.ranks or shape.ranks)
        native = job.run(options.command, options.seconds)
        tutti = job.run(options.command, options.seconds, under=[options.tutti, "run", "--"])
        same = (native.status, native.lines(options.mask)) == (tutti.status, tutti.lines(options.mask))
        status |= not same
        print(f"{name} {mpi}: {'same' if same else 'DIFFERS'}; native {native.said()}; Tutti {tutti.said()}", flush=True)
        if not same:
            print("\n".join(f"    {who}: {line}" for who, run in (("native", native), ("Tutti", tutti)) for line in run.last()),
                  flush=True)
    return status


def _parser():
    parser = argparse.ArgumentParser(prog="zoo", description="One machine in the shapes of many.", epilog=_EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    subparsers = parser.add_subparsers(dest="subcommand", required=True, metavar="SUBCOMMAND")

    def add(name, function, summary, takes_command=False):
        sub = subparsers.add_parser(name, help=summary, description=summary)
        sub.set_defaults(function=function, takes_command=takes_command)
        return sub

    listed = add("list", _list, "names the shapes, and says which cannot be had here")
    listed.add_argument("--brief", action="store_true", help="names and ranks only, for scripts")
    run = add("run", _run, "runs any command in a shape: run SHAPE -- COMMAND", True)
    run.add_argument("shape", metavar="SHAPE")
    run.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    check = add("check", _check, "asks ranks of each MPI whether the shape holds")
    check.add_argument("shape", metavar="SHAPE")
    check.add_argument("--mpi", choices=sorted(launch.MPIS), help="only this one")
    compare = add("compare", _compare, "a program natively and under Tutti: compare SHAPE,SHAPE -- PROGRAM ARGUMENTS", True)
    compare.add_argument("shapes", metavar="SHAPES")
    compare.add_argument("--mpi", choices=sorted(launch.MPIS), help="needed where PROGRAM is not linked with an MPI itself")
    compare.add_argument("-n", dest="ranks", type=int, help="ranks (default: what the shape is made for)")
    compare.add_argument("--seconds", type=int, default=120, help="limit of each run (default: %(default)s)")
    compare.add_argument("--mask", default="", metavar="REGEX", help="what of the output may differ, like '_s=[0-9.]+'")
    compare.add_argument("--tutti", default="tutti", help="the command, like build/release/bin/tutti")
    return parser
