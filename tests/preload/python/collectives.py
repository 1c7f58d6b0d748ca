"""The collectives from Python: mpi4py opens the MPI library itself, after the program has started.

Pickled objects (lower-case methods) and buffers (upper-case methods), in place, with derived datatypes and
a user-defined operator. Needs no numpy.
"""

import sys
from array import array

import mpi4py

mpi4py.rc.thread_level = "funneled"
from mpi4py import MPI  # noqa: E402

COMM = MPI.COMM_WORLD
RANK = COMM.Get_rank()
SIZE = COMM.Get_size()
FAILURES = []


def expect(name, got, wanted):
    if got != wanted:
        FAILURES.append(f"rank {RANK}: {name}: {got} instead of {wanted}")


def check_objects():
    for root in range(SIZE):
        thing = {"from": root, "list": list(range(root, 300))}
        expect("bcast", COMM.bcast(thing if RANK == root else None, root=root), thing)
        wanted = [(rank, "x" * rank) for rank in range(SIZE)]
        expect("gather", COMM.gather((RANK, "x" * RANK), root=root), wanted if RANK == root else None)
        shares = [[rank] * (rank + 1) for rank in range(SIZE)]
        expect("scatter", COMM.scatter(shares if RANK == root else None, root=root), [RANK] * (RANK + 1))
        expect("reduce", COMM.reduce([RANK], root=root), list(range(SIZE)) if RANK == root else None)
    expect("allgather", COMM.allgather(str(RANK)), [str(rank) for rank in range(SIZE)])
    expect("alltoall", COMM.alltoall([(RANK, peer) for peer in range(SIZE)]), [(peer, RANK) for peer in range(SIZE)])
    expect("allreduce", COMM.allreduce(RANK, op=MPI.MAX), SIZE - 1)
    # Joining strings is not commutative.
    expect("scan", COMM.scan(str(RANK % 10)), "".join(str(rank % 10) for rank in range(RANK + 1)))
    expect("exscan", COMM.exscan(str(RANK % 10)) or "", "".join(str(rank % 10) for rank in range(RANK)))


def check_buffers(count):
    data = array("i", [RANK] * count)
    sums = array("i", [0] * count)
    COMM.Allreduce([data, MPI.INT], [sums, MPI.INT])
    expect("Allreduce", set(sums), {SIZE * (SIZE - 1) // 2})
    COMM.Allreduce(MPI.IN_PLACE, [data, MPI.INT], op=MPI.MAX)
    expect("Allreduce in place", set(data), {SIZE - 1})
    everything = array("i", [-1] * (count * SIZE))
    COMM.Allgather([array("i", [RANK] * count), MPI.INT], [everything, MPI.INT])
    expect("Allgather", list(everything), [rank for rank in range(SIZE) for _ in range(count)])
    outgoing = array("i", [RANK * 1000 + peer for peer in range(SIZE) for _ in range(count)])
    COMM.Alltoall([outgoing, MPI.INT], [everything, MPI.INT])
    expect("Alltoall", list(everything), [peer * 1000 + RANK for peer in range(SIZE) for _ in range(count)])
    for root in range(SIZE):
        data = array("d", [root + i if RANK == root else -1 for i in range(count)])
        COMM.Bcast([data, MPI.DOUBLE], root=root)
        expect("Bcast", list(data), [root + i for i in range(count)])
    COMM.Barrier()


def check_uneven_shares():
    counts = [rank % 3 * 5 for rank in range(SIZE)]
    places = [sum(counts[:rank]) for rank in range(SIZE)]
    mine = array("i", [RANK] * counts[RANK])
    everything = array("i", [-1] * sum(counts))
    COMM.Allgatherv([mine, MPI.INT], [everything, counts, places, MPI.INT])
    expect("Allgatherv", list(everything), [rank for rank in range(SIZE) for _ in range(counts[rank])])


def check_operator():
    def keep_left(left, result, _datatype):
        memoryview(result)[:] = left

    operator = MPI.Op.Create(keep_left, commute=False)
    mine = array("i", [RANK + 5] * 20)
    result = array("i", [0] * 20)
    COMM.Allreduce([mine, MPI.INT], [result, MPI.INT], op=operator)
    expect("user operator", list(result), [5] * 20)
    operator.Free()


def check_datatype():
    column = MPI.INT.Create_vector(4, 1, 3).Commit()
    data = array("i", [RANK] * 12)
    COMM.Bcast([data, 1, column], root=SIZE - 1)
    wanted = [SIZE - 1 if i % 3 == 0 else RANK for i in range(12)]
    expect("derived datatype", list(data), wanted)
    column.Free()


def check_error():
    comm = COMM.Dup()
    try:
        comm.Bcast([array("i", [0]), MPI.INT], root=SIZE)
        expect("error class", None, MPI.ERR_ROOT)
    except MPI.Exception as error:
        expect("error class", error.Get_error_class(), MPI.ERR_ROOT)
    comm.Free()


def main():
    expect("thread level", MPI.Query_thread(), MPI.THREAD_FUNNELED)
    check_objects()
    for count in (1, 7, 3000):
        check_buffers(count)
    check_uneven_shares()
    check_operator()
    check_datatype()
    check_error()
    failures = [text for share in COMM.allgather(FAILURES) for text in share]
    if RANK == 0:
        print("\n".join(failures) or "mpi4py: all collectives are right", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
