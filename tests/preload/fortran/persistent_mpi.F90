! Persistent collectives from Fortran 90 (use mpi), one of them in place, in one array with point-to-point.
#ifdef HAVE_MPIX
#define MPI_Barrier_init MPIX_Barrier_init
#define MPI_Bcast_init MPIX_Bcast_init
#define MPI_Allreduce_init MPIX_Allreduce_init
#define MPI_Allgatherv_init MPIX_Allgatherv_init
#endif
program persistent_mpi
  use mpi
#ifdef HAVE_MPIX
  use mpi_ext
#endif
  implicit none
  integer, parameter :: n = 5000
  integer :: ierror, rank, size, i, round, wrong, left, right, from_left, sent
  integer :: requests(6), statuses(MPI_STATUS_SIZE, 6)
  integer, allocatable :: data(:), sums(:), blocks(:), mine(:), counts(:), places(:)

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  allocate (data(n), sums(n), blocks(n*size), mine(n), counts(size), places(size))
  left = modulo(rank - 1, size)
  right = modulo(rank + 1, size)
  counts = n
  places = [((i - 1)*n, i=1, size)]

  call MPI_Bcast_init(data, n, MPI_INTEGER, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, requests(1), ierror)
  call MPI_Allreduce_init(MPI_IN_PLACE, sums, n, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, requests(2), ierror)
  call MPI_Allgatherv_init(mine, n, MPI_INTEGER, blocks, counts, places, MPI_INTEGER, MPI_COMM_WORLD, MPI_INFO_NULL, &
                           requests(3), ierror)
  call MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, requests(4), ierror)
  call MPI_Recv_init(from_left, 1, MPI_INTEGER, left, 4, MPI_COMM_WORLD, requests(5), ierror)
  call MPI_Send_init(sent, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(6), ierror)

  wrong = 0
  do round = 1, 5
    data = -1
    if (rank == size - 1) data = [(i + round, i=1, n)]
    sums = rank + round
    mine = rank*3 + round
    sent = rank + round
    if (round > 3) then
      do i = 1, 6
        call MPI_Start(requests(i), ierror)
      end do
    else
      call MPI_Startall(6, requests, ierror)
    end if
    call MPI_Waitall(6, requests, statuses, ierror)
    wrong = wrong + count(data /= [(i + round, i=1, n)]) + count(sums /= size*(size - 1)/2 + size*round)
    do i = 0, size - 1
      wrong = wrong + count(blocks(i*n + 1:(i + 1)*n) /= i*3 + round)
    end do
    if (from_left /= left + round .or. statuses(MPI_SOURCE, 5) /= left) wrong = wrong + 1
  end do
  do i = 1, 6
    call MPI_Request_free(requests(i), ierror)
  end do
  if (any(requests /= MPI_REQUEST_NULL)) wrong = wrong + 1
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, i0, a)', 'persistent_mpi: ', wrong, ' wrong'
  call MPI_Finalize(ierror)
  if (wrong /= 0) stop 1
end program
