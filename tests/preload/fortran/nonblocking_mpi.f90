! Nonblocking collectives from Fortran 90 (use mpi), at the thread level that is required, with MPI_IN_PLACE and in one array with point-to-point.
program nonblocking_mpi
  use mpi
  implicit none
  integer, parameter :: n = 20000
  integer :: ierror, rank, size, i, wrong, left, right, from_left, provided, queried
  integer :: requests(5), statuses(MPI_STATUS_SIZE, 5)
  integer, allocatable :: data(:), sums(:), blocks(:), mine(:)

  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierror)
  call MPI_Query_thread(queried, ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  allocate (data(n), sums(n), blocks(n*size), mine(n))
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  data = -1
  if (rank == size - 1) data = [(i, i=1, n)]
  sums = rank
  mine = rank*3

  call MPI_Ibcast(data, n, MPI_INTEGER, size - 1, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Iallreduce(MPI_IN_PLACE, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2), ierror)
  call MPI_Iallgather(mine, n, MPI_INTEGER, blocks, n, MPI_INTEGER, MPI_COMM_WORLD, requests(3), ierror)
  call MPI_Irecv(from_left, 1, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(4), ierror)
  call MPI_Isend(rank, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(5), ierror)
  call MPI_Waitall(5, requests, statuses, ierror)

  wrong = count(data /= [(i, i=1, n)]) + count(sums /= size*(size - 1)/2)
  do i = 0, size - 1
    wrong = wrong + count(blocks(i*n + 1:(i + 1)*n) /= i*3)
  end do
  if (provided /= MPI_THREAD_FUNNELED .or. queried /= MPI_THREAD_FUNNELED) wrong = wrong + 1
  if (from_left /= left .or. statuses(MPI_SOURCE, 4) /= left) wrong = wrong + 1
  if (any(requests /= MPI_REQUEST_NULL)) wrong = wrong + 1
  call MPI_Ibarrier(MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, i0, a)', 'nonblocking_mpi: ', wrong, ' wrong'
  call MPI_Finalize(ierror)
  if (wrong /= 0) stop 1
end program
