! Buffers, graphs, addresses and communicators made without waiting, through the module mpi.
program graphs_mpi
  use mpi
  implicit none
  integer :: ierr, rank, size, i, x, y, n, nodes(4), comm, graph, req, status(MPI_STATUS_SIZE)
  integer(kind=1), save :: buffer(10000)
  integer(kind=MPI_ADDRESS_KIND) :: one, two
  integer :: idx(16), edges(32), src(1), dst(1), indeg, outdeg
  logical :: weighted
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  call MPI_Buffer_attach(buffer, 10000, ierr)
  x = rank
  call MPI_Bsend(x, 1, MPI_INTEGER, mod(rank + 1, size), 0, MPI_COMM_WORLD, ierr)
  call MPI_Recv(y, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
  call MPI_Buffer_detach(buffer, n, ierr)
  print *, rank, 'buffer', y, n
  src = mod(rank + size - 1, size)
  dst = mod(rank + 1, size)
  call MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, src, MPI_UNWEIGHTED, 1, dst, &
    MPI_UNWEIGHTED, MPI_INFO_NULL, .false., graph, ierr)
  call MPI_Dist_graph_neighbors_count(graph, indeg, outdeg, weighted, ierr)
  call MPI_Neighbor_allgather(rank, 1, MPI_INTEGER, idx, 1, MPI_INTEGER, graph, ierr)
  print *, rank, 'graph', indeg, outdeg, weighted, idx(1)
  call MPI_Dist_graph_neighbors(graph, 1, src, MPI_UNWEIGHTED, 1, dst, MPI_UNWEIGHTED, ierr)
  print *, rank, 'neighbours', src, dst
  call MPI_Comm_free(graph, ierr)
  do i = 1, size
    idx(i) = i
    edges(i) = mod(i, size)
  end do
  call MPI_Graph_create(MPI_COMM_WORLD, size, idx, edges, .false., graph, ierr)
  call MPI_Graph_neighbors_count(graph, rank, n, ierr)
  call MPI_Graph_neighbors(graph, rank, 1, nodes, ierr)
  print *, rank, 'old graph', n, nodes(1)
  call MPI_Comm_free(graph, ierr)
  one = MPI_Aint_add(4_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND)
  two = MPI_Aint_diff(4_MPI_ADDRESS_KIND, 8_MPI_ADDRESS_KIND)
  print *, rank, 'aint', one, two
  call MPI_Comm_idup(MPI_COMM_WORLD, comm, req, ierr)
  call MPI_Wait(req, MPI_STATUS_IGNORE, ierr)
  call MPI_Comm_size(comm, n, ierr)
  print *, rank, 'idup', n
  call MPI_Comm_free(comm, ierr)
  call MPI_Finalize(ierr)
end program graphs_mpi
