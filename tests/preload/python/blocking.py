"""A program in Python that calls blocking collectives only, although mpi4py names all others."""

from array import array

from mpi4py import MPI

COMM = MPI.COMM_WORLD
COUNT = 1 << 14
data = array("i", [COMM.rank]) * (COUNT * COMM.size)
result = array("i", [0]) * (COUNT * COMM.size)
for _ in range(20):
    COMM.Alltoall([data, MPI.INT], [result, MPI.INT])
assert list(result[::COUNT]) == list(range(COMM.size))
if COMM.rank == 0:
    with open("/proc/self/maps", encoding="utf-8") as maps:
        print(f"second_network={int('libtutti-ucx' in maps.read())}")
