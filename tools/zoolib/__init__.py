"""The zoo of machines: shapes that one Linux machine can present to the ranks of a job.

A shape (shapes.py) is a tuple of traits (traits.py, limits.py): properties of the machine. A trait acts on the
command's environment and on the process that becomes the command, so that it holds for any launcher, script or test
below. It also checks from the ranks' observations (probe.py) whether it holds.
"""
