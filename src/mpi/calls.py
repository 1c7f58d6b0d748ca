"""The calls that Tutti stands in front of. generate.py turns each row into its C and Fortran entry points.

A row is the name without MPI_ and its parameters as "kind name". Kinds:

  in, out, buffer        the program's data: read, written, or both
  count, counts          element counts (int, or MPI_Count in the large-count variant), one or one per rank
  displacements          in elements (int, or MPI_Aint in the large-count variant)
  byte_displacements     of alltoallw: the same types, in bytes
  datatype, datatypes, op, comm, group, info
  new_info               where a new info object goes
  int, ints              numbers that never grow with the large-count variants
  logical, logicals      int in C, LOGICAL in Fortran
  weights                of a distributed graph: an int array or one of two sentinels
  newcomm                where the new communicator goes
  request                where the request of a nonblocking or persistent call goes
  old_request, requests  that the program waits for or tests
  old_op                 an operator that the program frees
  status, statuses       where statuses go
  flag, index, indices, done_count    what a test has found
  message, new_message   a matched message, and where one goes

`lengths` says how many elements a Fortran array of logicals has, as a C expression over the C parameters; arrays of
requests, statuses and indices have `count`.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Parameter:
    kind: str
    name: str


@dataclass(frozen=True)
class Call:
    name: str
    parameters: tuple
    lengths: dict = field(default_factory=dict)

    @property
    def has_data(self):
        """Does a Fortran compiler see a choice buffer in this call?"""
        return any(p.kind in ("in", "out", "buffer") for p in self.parameters)

    @property
    def has_large_count(self):
        return any(p.kind in ("count", "counts") for p in self.parameters)

    @property
    def function(self):
        """Name of the hand-written function in tutti::mpi."""
        return self.name.lower()


def row(name, text, **lengths):
    words = [entry.split() for entry in text.split(",")]
    return Call(name, tuple(Parameter(kind, word) for kind, word in words), lengths)


COLLECTIVES = [
    row("Barrier", "comm comm"),
    row("Bcast", "buffer buffer, count count, datatype datatype, int root, comm comm"),
    row("Reduce", "in sendbuf, out recvbuf, count count, datatype datatype, op op, int root, comm comm"),
    row("Allreduce", "in sendbuf, out recvbuf, count count, datatype datatype, op op, comm comm"),
    row("Reduce_scatter", "in sendbuf, out recvbuf, counts recvcounts, datatype datatype, op op, comm comm"),
    row("Reduce_scatter_block", "in sendbuf, out recvbuf, count recvcount, datatype datatype, op op, comm comm"),
    row("Scan", "in sendbuf, out recvbuf, count count, datatype datatype, op op, comm comm"),
    row("Exscan", "in sendbuf, out recvbuf, count count, datatype datatype, op op, comm comm"),
    row("Allgather", "in sendbuf, count sendcount, datatype sendtype, out recvbuf, count recvcount, "
                     "datatype recvtype, comm comm"),
    row("Allgatherv", "in sendbuf, count sendcount, datatype sendtype, out recvbuf, counts recvcounts, "
                      "displacements displs, datatype recvtype, comm comm"),
    row("Gather", "in sendbuf, count sendcount, datatype sendtype, out recvbuf, count recvcount, "
                  "datatype recvtype, int root, comm comm"),
    row("Gatherv", "in sendbuf, count sendcount, datatype sendtype, out recvbuf, counts recvcounts, "
                   "displacements displs, datatype recvtype, int root, comm comm"),
    row("Scatter", "in sendbuf, count sendcount, datatype sendtype, out recvbuf, count recvcount, "
                   "datatype recvtype, int root, comm comm"),
    row("Scatterv", "in sendbuf, counts sendcounts, displacements displs, datatype sendtype, out recvbuf, "
                    "count recvcount, datatype recvtype, int root, comm comm"),
    row("Alltoall", "in sendbuf, count sendcount, datatype sendtype, out recvbuf, count recvcount, "
                    "datatype recvtype, comm comm"),
    row("Alltoallv", "in sendbuf, counts sendcounts, displacements sdispls, datatype sendtype, out recvbuf, "
                     "counts recvcounts, displacements rdispls, datatype recvtype, comm comm"),
    row("Alltoallw", "in sendbuf, counts sendcounts, byte_displacements sdispls, datatypes sendtypes, "
                     "out recvbuf, counts recvcounts, byte_displacements rdispls, datatypes recvtypes, comm comm"),
]

# In place of the array that a nonblocking call may read until it has ended, Fortran's wrapper would have a
# converted copy that ends with the call.
NOT_FOR_FORTRAN = {"Ialltoallw", "Alltoallw_init"}

NONBLOCKING = [Call("I" + call.name.lower(), (*call.parameters, Parameter("request", "request")))
               for call in COLLECTIVES]

PERSISTENT = [Call(call.name + "_init",
                   (*call.parameters, Parameter("info", "info"), Parameter("request", "request")))
              for call in COLLECTIVES]

# Calls that block until a message has gone or come; each has a nonblocking form, I….
POINT_TO_POINT = [
    row("Send", "in buf, count count, datatype datatype, int dest, int tag, comm comm"),
    row("Ssend", "in buf, count count, datatype datatype, int dest, int tag, comm comm"),
    row("Rsend", "in buf, count count, datatype datatype, int dest, int tag, comm comm"),
    row("Recv", "out buf, count count, datatype datatype, int source, int tag, comm comm, status status"),
    row("Mrecv", "out buf, count count, datatype datatype, message message, status status"),
]

# Calls that wait, test, look, start or free, written by hand in C.
COMPLETIONS = [
    row("Wait", "old_request request, status status"),
    row("Waitall", "int count, requests requests, statuses statuses"),
    row("Waitany", "int count, requests requests, index index, status status"),
    row("Waitsome", "int count, requests requests, done_count done, indices indices, statuses statuses"),
    row("Test", "old_request request, flag flag, status status"),
    row("Testall", "int count, requests requests, flag flag, statuses statuses"),
    row("Testany", "int count, requests requests, index index, flag flag, status status"),
    row("Testsome", "int count, requests requests, done_count done, indices indices, statuses statuses"),
    row("Request_get_status", "old_request request, flag flag, status status"),
    row("Start", "old_request request"),
    row("Startall", "int count, requests requests"),
    row("Request_free", "old_request request"),
    row("Op_free", "old_op op"),
    row("Probe", "int source, int tag, comm comm, status status"),
    row("Iprobe", "int source, int tag, comm comm, flag flag, status status"),
    row("Mprobe", "int source, int tag, comm comm, new_message message, status status"),
    row("Improbe", "int source, int tag, comm comm, flag flag, new_message message, status status"),
    row("Sendrecv", "in sendbuf, count sendcount, datatype sendtype, int dest, int sendtag, out recvbuf, "
                    "count recvcount, datatype recvtype, int source, int recvtag, comm comm, status status"),
    row("Sendrecv_replace", "buffer buf, count count, datatype datatype, int dest, int sendtag, int source, "
                            "int recvtag, comm comm, status status"),
]

CREATIONS = [
    row("Comm_dup", "comm comm, newcomm newcomm"),
    row("Comm_dup_with_info", "comm comm, info info, newcomm newcomm"),
    row("Comm_split", "comm comm, int color, int key, newcomm newcomm"),
    row("Comm_split_type", "comm comm, int split_type, int key, info info, newcomm newcomm"),
    row("Comm_create", "comm comm, group group, newcomm newcomm"),
    row("Comm_create_group", "comm comm, group group, int tag, newcomm newcomm"),
    row("Cart_create", "comm comm, int ndims, ints dims, logicals periods, logical reorder, newcomm newcomm",
        periods="ndims"),
    row("Cart_sub", "comm comm, logicals remain_dims, newcomm newcomm",
        remain_dims="fortran::cartesian_dimensions(comm)"),
    row("Graph_create", "comm comm, int nnodes, ints index, ints edges, logical reorder, newcomm newcomm"),
    row("Dist_graph_create", "comm comm, int n, ints sources, ints degrees, ints destinations, weights weights, "
                             "info info, logical reorder, newcomm newcomm"),
    row("Dist_graph_create_adjacent", "comm comm, int indegree, ints sources, weights sourceweights, "
                                      "int outdegree, ints destinations, weights destweights, info info, "
                                      "logical reorder, newcomm newcomm"),
    row("Intercomm_merge", "comm comm, logical high, newcomm newcomm"),
]

# Written by hand in C.
INFO = [
    row("Comm_set_info", "comm comm, info info"),
    row("Comm_get_info", "comm comm, new_info info"),
]
