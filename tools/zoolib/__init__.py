"""The zoo of machines: shapes that one Linux machine can show to the ranks of a job.

A shape (shapes.py) is a row of traits (traits.py, limits.py): what is true of the machine. A trait acts on the command's
environment and on the process that becomes the command, so that it holds for any launcher, script or test below; and it
says from what the ranks see (probe.py) whether it holds.
"""
