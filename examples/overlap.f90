! A sum over all ranks that goes on while the program computes, from Fortran.
!
!   mpif90 PREFIX/include/tutti/tutti.f90 overlap.f90 -ltutti-mpich -o overlap && mpirun -n 4 ./overlap
program overlap
  use mpi
  use tutti
  implicit none
  integer, parameter :: n = 50000, rounds = 10
  integer :: ierror, rank, size, round, i
  integer(TUTTI_REQUEST_KIND) :: request
  real(8) :: sums(n), work, expected
  logical :: is_done

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  call tutti_init(ierror)
  call check(ierror)
  call tutti_hint('calls', '10', ierror)
  call check(ierror)
  call tutti_allreduce_init(MPI_IN_PLACE, sums, n, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, request, ierror)
  call check(ierror)

  work = 0
  do round = 1, rounds
    sums = rank + round
    call tutti_start(request, ierror)
    call check(ierror)
    do i = 1, n
      work = work + sqrt(real(i, 8))
    end do
    ! It may have ended by now; if not, there is nothing else to do.
    call tutti_test(request, is_done, ierror)
    call check(ierror)
    if (.not. is_done) call tutti_wait(request, ierror)
    call check(ierror)
    expected = size*(size - 1)/2.0d0 + size*round
    if (any(sums /= expected)) then
      print '(a, i0)', 'overlap: a sum is wrong in round ', round
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end if
  end do

  call tutti_request_free(request, ierror)
  call check(ierror)
  call tutti_finalize(ierror)
  call check(ierror)
  if (rank == 0 .and. work > 0) print '(a, f0.1)', 'overlap: the last sum is ', sums(n)
  call MPI_Finalize(ierror)

contains

  subroutine check(code)
    integer, intent(in) :: code
    integer :: ignored
    if (code == TUTTI_SUCCESS) return
    print '(a)', 'overlap: '//tutti_last_error()//' ('//tutti_error_string(code)//')'
    call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
  end subroutine

end program
