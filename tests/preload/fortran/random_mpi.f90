! Per-thread state of the run-time library: random numbers, units, cpu_time.
program random_mpi
  use mpi
  implicit none
  integer :: ierr, rank, all
  integer :: good
  real(8) :: x(100), first, last
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call cpu_time(first)
  call random_number(x)
  good = merge(1, 0, minval(x) >= 0 .and. maxval(x) < 1 .and. maxval(x) > minval(x))
  call MPI_Allreduce(good, all, 1, MPI_INTEGER, MPI_MIN, MPI_COMM_WORLD, ierr)
  call random_number(x)
  call cpu_time(last)
  if (last < first) all = 0
  if (rank == 0) print '(a, i0)', 'random numbers ', all
  call MPI_Finalize(ierr)
end program
