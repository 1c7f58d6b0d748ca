! The collectives through `use mpi`: array arguments of several kinds, MPI_IN_PLACE, a user-defined operator
! in Fortran that is not commutative, derived datatypes, and error codes.
module operators
  use mpi
  implicit none
contains
  ! Joins intervals (first, last) of ranks; (-1, -1) when they are not neighbours in order.
  subroutine join(in, inout, length, type)
    integer, intent(in) :: length, type
    integer, intent(in) :: in(2, length)
    integer, intent(inout) :: inout(2, length)
    integer :: i
    if (type == MPI_DATATYPE_NULL) stop 3
    do i = 1, length
      if (in(2, i) + 1 == inout(1, i)) then
        inout(1, i) = in(1, i)
      else
        inout(:, i) = -1
      end if
    end do
  end subroutine
end module

program fortran_mpi
  use mpi
  use operators
  implicit none
  integer :: ierr, rank, ranks, failures, total
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  failures = 0
  call check_kinds()
  call check_sections()
  call check_operator()
  call check_datatype()
  call check_errors()
  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, ierr)
  if (rank == 0) print '(A, I0)', 'fortran_mpi: failures ', max(total, failures)
  call MPI_Finalize(ierr)
  if (failures > 0) stop 1
contains
  subroutine expect(condition)
    logical, intent(in) :: condition
    if (.not. condition) failures = failures + 1
  end subroutine

  subroutine check_kinds()
    real :: single(1000)
    double precision :: double(1000)
    complex :: pair(10)
    character(len=12) :: word
    integer(kind=8) :: long(5)
    integer :: i
    single = real(rank)
    call MPI_Allreduce(MPI_IN_PLACE, single, 1000, MPI_REAL, MPI_SUM, MPI_COMM_WORLD, ierr)
    call expect(all(single == real(ranks * (ranks - 1) / 2)))
    double = -rank
    call MPI_Allreduce(MPI_IN_PLACE, double, 1000, MPI_DOUBLE_PRECISION, MPI_MIN, MPI_COMM_WORLD, ierr)
    call expect(all(double == -(ranks - 1)))
    pair = cmplx(rank, 1)
    call MPI_Allreduce(MPI_IN_PLACE, pair, 10, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
    call expect(all(pair == cmplx(ranks * (ranks - 1) / 2, ranks)))
    long = [(int(rank, 8) * 2_8**32 + i, i = 1, 5)]
    call MPI_Allreduce(MPI_IN_PLACE, long, 5, MPI_INTEGER8, MPI_MAX, MPI_COMM_WORLD, ierr)
    call expect(all(long == [(int(ranks - 1, 8) * 2_8**32 + i, i = 1, 5)]))
    word = 'nothing'
    if (rank == ranks - 1) word = 'Hello, all!'
    call MPI_Bcast(word, len(word), MPI_CHARACTER, ranks - 1, MPI_COMM_WORLD, ierr)
    call expect(word == 'Hello, all!')
  end subroutine

  ! The compiler passes a contiguous copy of a section with a stride.
  subroutine check_sections()
    integer :: grid(6, 0:ranks), column(6)
    integer :: peer
    grid = -1
    column = rank
    call MPI_Gather(column, 6, MPI_INTEGER, grid(:, 0:ranks - 1), 6, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      do peer = 0, ranks - 1
        call expect(all(grid(:, peer) == peer))
      end do
    end if
    grid = -1
    if (rank == 0) grid(2, :) = 7
    call MPI_Bcast(grid(2, :), ranks + 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr)
    call expect(all(grid(2, :) == 7) .and. all(grid(1, :) == -1))
  end subroutine

  subroutine check_operator()
    integer :: op, type, i
    integer :: mine(2, 300), result(2, 300)
    call MPI_Type_contiguous(2, MPI_INTEGER, type, ierr)
    call MPI_Type_commit(type, ierr)
    call MPI_Op_create(join, .false., op, ierr)
    mine = rank
    call MPI_Allreduce(mine, result, 300, type, op, MPI_COMM_WORLD, ierr)
    call expect(all(result(1, :) == 0) .and. all(result(2, :) == ranks - 1))
    call MPI_Scan(mine, result, 300, type, op, MPI_COMM_WORLD, ierr)
    call expect(all(result(1, :) == 0) .and. all(result(2, :) == rank))
    do i = 0, ranks - 1
      result = -5
      call MPI_Reduce(mine, result, 300, type, op, i, MPI_COMM_WORLD, ierr)
      if (rank == i) call expect(all(result(1, :) == 0) .and. all(result(2, :) == ranks - 1))
    end do
    call MPI_Op_free(op, ierr)
    call MPI_Type_free(type, ierr)
  end subroutine

  ! Rows of a matrix, which Fortran keeps by columns.
  subroutine check_datatype()
    integer :: vector, row
    integer :: matrix(4, 5)
    call MPI_Type_vector(5, 1, 4, MPI_INTEGER, vector, ierr)
    call MPI_Type_create_resized(vector, 0_MPI_ADDRESS_KIND, int(4, MPI_ADDRESS_KIND), row, ierr)
    call MPI_Type_commit(row, ierr)
    matrix = -1
    if (rank == 0) matrix(1:2, :) = 9
    call MPI_Bcast(matrix, 2, row, 0, MPI_COMM_WORLD, ierr)
    call expect(all(matrix(1:2, :) == 9) .and. all(matrix(3:4, :) == -1))
    call MPI_Type_free(row, ierr)
    call MPI_Type_free(vector, ierr)
  end subroutine

  subroutine check_errors()
    integer :: comm, class, data, code
    call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierr)
    data = 1
    call MPI_Bcast(data, 1, MPI_INTEGER, ranks, comm, code)
    call MPI_Error_class(code, class, ierr)
    call expect(class == MPI_ERR_ROOT)
    call MPI_Comm_free(comm, ierr)
  end subroutine
end program
