! Nonblocking collectives from Fortran 2008 (use mpi_f08), at the thread level that is required, with MPI_IN_PLACE and in one array with point-to-point.
program nonblocking_f08
  use mpi_f08
  implicit none
  integer, parameter :: n = 20000
  integer :: rank, size, i, wrong, left, right, from_left, provided, queried
  type(MPI_Request) :: requests(5)
  type(MPI_Status) :: statuses(5)
  integer, allocatable :: data(:), sums(:), blocks(:), mine(:)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided)
  call MPI_Query_thread(queried)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  allocate (data(n), sums(n), blocks(n*size), mine(n))
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  data = -1
  if (rank == size - 1) data = [(i, i=1, n)]
  sums = rank
  mine = rank*3

  call MPI_Ibcast(data, n, MPI_INTEGER, size - 1, MPI_COMM_WORLD, requests(1))
  call MPI_Iallreduce(MPI_IN_PLACE, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2))
  call MPI_Iallgather(mine, n, MPI_INTEGER, blocks, n, MPI_INTEGER, MPI_COMM_WORLD, requests(3))
  call MPI_Irecv(from_left, 1, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(4))
  call MPI_Isend(rank, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(5))
  call MPI_Waitall(5, requests, statuses)

  wrong = count(data /= [(i, i=1, n)]) + count(sums /= size*(size - 1)/2)
  do i = 0, size - 1
    wrong = wrong + count(blocks(i*n + 1:(i + 1)*n) /= i*3)
  end do
  if (provided /= MPI_THREAD_FUNNELED .or. queried /= MPI_THREAD_FUNNELED) wrong = wrong + 1
  if (from_left /= left .or. statuses(4)%MPI_SOURCE /= left) wrong = wrong + 1
  if (requests(1) /= MPI_REQUEST_NULL) wrong = wrong + 1
  call MPI_Ibarrier(MPI_COMM_WORLD, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(a, i0, a)', 'nonblocking_f08: ', wrong, ' wrong'
  call MPI_Finalize()
  if (wrong /= 0) stop 1
end program
