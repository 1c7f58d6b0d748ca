"""Failures that end the tool with one line on stderr and a specific exit status."""

EXIT_FAILURE = 1
EXIT_USAGE = 2
EXIT_UNAVAILABLE = 77  # the "skipped" status of automake, CTest and Meson


class VclusterError(Exception):
    """The request cannot be executed; the text has the problem, its location and a remedy."""

    exit_status = EXIT_FAILURE


class UsageError(VclusterError):
    """An argument is wrong."""

    exit_status = EXIT_USAGE


class Unavailable(VclusterError):
    """This machine or user cannot have a virtual cluster; callers may fall back."""

    exit_status = EXIT_UNAVAILABLE


class Interrupted(VclusterError):
    """A signal asked the tool to stop; partial changes are undone."""

    def __init__(self, signal_number):
        super().__init__(f"interrupted by signal {int(signal_number)}")
        self.exit_status = 128 + int(signal_number)
