! The collectives through `use mpi_f08`: typed handles, ierror left out, MPI_IN_PLACE, MPI_BOTTOM,
! MPI_STATUS_IGNORE, and a user-defined operator.
module operators_f08
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
contains
  ! Not commutative: keeps the operand of the lower ranks.
  subroutine keep_left(in, inout, length, type)
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: type
    integer, pointer :: left(:), result(:)
    if (type == MPI_DATATYPE_NULL) stop 3
    call c_f_pointer(in, left, [length])
    call c_f_pointer(inout, result, [length])
    result = left
  end subroutine
end module

program fortran_mpi_f08
  use mpi_f08
  use operators_f08
  implicit none
  integer :: rank, ranks, failures, total, root
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  failures = 0
  do root = 0, ranks - 1
    call check_rooted(root)
  end do
  call check_gathers()
  call check_exchanges()
  call check_reductions()
  call check_operator()
  call check_bottom()
  call check_status()
  call MPI_Barrier(MPI_COMM_WORLD)
  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD)
  if (rank == 0) print '(A, I0)', 'fortran_mpi_f08: failures ', max(total, failures)
  call MPI_Finalize()
  if (failures > 0) stop 1
contains
  subroutine expect(condition)
    logical, intent(in) :: condition
    if (.not. condition) failures = failures + 1
  end subroutine

  subroutine check_rooted(root)
    integer, intent(in) :: root
    integer :: data(100), sum(100), all_data(100 * ranks), ierror
    data = merge(root + 7, -1, rank == root)
    call MPI_Bcast(data, 100, MPI_INTEGER, root, MPI_COMM_WORLD)
    call expect(all(data == root + 7))
    data = rank
    sum = -1
    call MPI_Reduce(data, sum, 100, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD, ierror)
    call expect(ierror == MPI_SUCCESS)
    if (rank == root) call expect(all(sum == ranks * (ranks - 1) / 2))
    if (rank == root) then
      call MPI_Reduce(MPI_IN_PLACE, data, 100, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD)
      call expect(all(data == ranks * (ranks - 1) / 2))
    else
      call MPI_Reduce(data, sum, 100, MPI_INTEGER, MPI_SUM, root, MPI_COMM_WORLD)
    end if
    data = rank
    if (rank == root) then
      all_data(100 * rank + 1:100 * rank + 100) = rank
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_data, 100, MPI_INTEGER, root, MPI_COMM_WORLD)
      call expect_shares(all_data)
      call MPI_Scatter(all_data, 100, MPI_INTEGER, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, MPI_COMM_WORLD)
    else
      call MPI_Gather(data, 100, MPI_INTEGER, all_data, 100, MPI_INTEGER, root, MPI_COMM_WORLD)
      data = -1
      call MPI_Scatter(all_data, 100, MPI_INTEGER, data, 100, MPI_INTEGER, root, MPI_COMM_WORLD)
      call expect(all(data == rank))
    end if
  end subroutine

  subroutine expect_shares(all_data)
    integer, intent(in) :: all_data(100, 0:ranks - 1)
    integer :: peer
    do peer = 0, ranks - 1
      call expect(all(all_data(:, peer) == peer))
    end do
  end subroutine

  subroutine check_gathers()
    integer :: mine(100), all_data(100 * ranks), counts(ranks), places(ranks), i
    mine = rank
    all_data = -1
    call MPI_Allgather(mine, 100, MPI_INTEGER, all_data, 100, MPI_INTEGER, MPI_COMM_WORLD)
    call expect_shares(all_data)
    counts = 100
    places = [(100 * i, i = 0, ranks - 1)]
    all_data = -1
    all_data(100 * rank + 1:100 * rank + 100) = rank
    call MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all_data, counts, places, MPI_INTEGER, MPI_COMM_WORLD)
    call expect_shares(all_data)
    call MPI_Gatherv(mine, 100, MPI_INTEGER, all_data, counts, places, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call MPI_Scatterv(all_data, counts, places, MPI_INTEGER, mine, 100, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call expect(all(mine == rank))
  end subroutine

  subroutine check_exchanges()
    integer :: outgoing(ranks), incoming(ranks), ones(ranks), places(ranks), bytes(ranks), expected(ranks), i
    type(MPI_Datatype) :: types(ranks)
    outgoing = [(1000 * rank + i, i = 0, ranks - 1)]
    expected = [(1000 * i + rank, i = 0, ranks - 1)]
    ones = 1
    places = [(i, i = 0, ranks - 1)]
    bytes = 4 * places
    types = MPI_INTEGER
    call MPI_Alltoall(outgoing, 1, MPI_INTEGER, incoming, 1, MPI_INTEGER, MPI_COMM_WORLD)
    call expect(all(incoming == expected))
    incoming = -1
    call MPI_Alltoallv(outgoing, ones, places, MPI_INTEGER, incoming, ones, places, MPI_INTEGER, MPI_COMM_WORLD)
    call expect(all(incoming == expected))
    incoming = -1
    call MPI_Alltoallw(outgoing, ones, bytes, types, incoming, ones, bytes, types, MPI_COMM_WORLD)
    call expect(all(incoming == expected))
    call MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, outgoing, 1, MPI_INTEGER, MPI_COMM_WORLD)
    call expect(all(outgoing == expected))
  end subroutine

  subroutine check_reductions()
    double precision :: mine(50 * ranks), result(50)
    integer :: counts(ranks)
    mine = rank + 1
    result = 0
    call MPI_Allreduce(mine, result, 50, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(result == ranks * (ranks + 1) / 2))
    result = rank + 1
    call MPI_Allreduce(MPI_IN_PLACE, result, 50, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD)
    call expect(all(result == ranks))
    call MPI_Scan(mine, result, 50, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(result == (rank + 1) * (rank + 2) / 2))
    call MPI_Exscan(mine, result, 50, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    if (rank > 0) call expect(all(result == rank * (rank + 1) / 2))
    counts = 50
    call MPI_Reduce_scatter(mine, result, counts, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(result == ranks * (ranks + 1) / 2))
    call MPI_Reduce_scatter_block(mine, result, 50, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call expect(all(result == ranks * (ranks + 1) / 2))
  end subroutine

  subroutine check_operator()
    type(MPI_Op) :: op
    integer :: mine(200), result(200)
    call MPI_Op_create(keep_left, .false., op)
    mine = rank + 3
    call MPI_Allreduce(mine, result, 200, MPI_INTEGER, op, MPI_COMM_WORLD)
    call expect(all(result == 3))
    call MPI_Op_free(op)
  end subroutine

  subroutine check_bottom()
    type(MPI_Datatype) :: absolute
    integer, asynchronous, save :: first, second
    integer(kind=MPI_ADDRESS_KIND) :: places(2)
    first = merge(51, -1, rank == 0)
    second = merge(53, -1, rank == 0)
    call MPI_Get_address(first, places(1))
    call MPI_Get_address(second, places(2))
    call MPI_Type_create_struct(2, [1, 1], places, [MPI_INTEGER, MPI_INTEGER], absolute)
    call MPI_Type_commit(absolute)
    call MPI_Bcast(MPI_BOTTOM, 1, absolute, 0, MPI_COMM_WORLD)
    call MPI_F_sync_reg(first)
    call MPI_F_sync_reg(second)
    call expect(first == 51 .and. second == 53)
    call MPI_Type_free(absolute)
  end subroutine

  ! Point-to-point traffic between collectives, with the status left out.
  subroutine check_status()
    integer :: sent, received
    sent = rank
    call MPI_Sendrecv(sent, 1, MPI_INTEGER, modulo(rank + 1, ranks), 4, received, 1, MPI_INTEGER, &
                      modulo(rank - 1, ranks), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
    call MPI_Bcast(sent, 1, MPI_INTEGER, ranks - 1, MPI_COMM_WORLD)
    call expect(received == modulo(rank - 1, ranks) .and. sent == ranks - 1)
  end subroutine
end program
