! Messages and requests, derived types, topologies and names, through the module mpi.
program messages_mpi
  use mpi
  implicit none
  integer, parameter :: most = 16
  type point
    integer :: number
    double precision :: weight(2)
  end type point
  type(point) :: here, there
  integer :: ierror, rank, size, i, length, left, right, cart, row, done, index, count, type, wide, new_type, message
  integer :: requests(2*most), statuses(MPI_STATUS_SIZE, 2*most), indices(2*most), status(MPI_STATUS_SIZE)
  integer :: got(most), sent(most), dims(2), coordinates(2), group, sub, members(2), persistent(2), zero(2)
  integer(kind=MPI_ADDRESS_KIND) :: base, places(2), lower, extent
  integer, save :: first, second
  logical :: flag, periods(2), is_cancelled
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=MPI_MAX_PROCESSOR_NAME) :: processor
  character(len=20) :: text
  double precision :: began
  integer(kind=1) :: packed(64)
  integer :: info, position

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  began = MPI_Wtime()
  left = mod(rank + size - 1, size)
  right = mod(rank + 1, size)

  ! All to all, one by one.
  do i = 1, size
    sent(i) = 100*rank + i
    call MPI_Irecv(got(i), 1, MPI_INTEGER, i - 1, rank, MPI_COMM_WORLD, requests(i), ierror)
  end do
  do i = 1, size
    call MPI_Isend(sent(i), 1, MPI_INTEGER, i - 1, i - 1, MPI_COMM_WORLD, requests(size + i), ierror)
  end do
  call MPI_Waitall(2*size, requests, statuses, ierror)
  print *, rank, 'waitall', got(1:size), statuses(MPI_SOURCE, 1:size), statuses(MPI_TAG, 1:size), &
    all(requests(1:2*size) == MPI_REQUEST_NULL)

  do i = 1, size
    call MPI_Irecv(got(i), 1, MPI_INTEGER, i - 1, 5, MPI_COMM_WORLD, requests(i), ierror)
  end do
  do i = 1, size
    call MPI_Send(sent(i), 1, MPI_INTEGER, i - 1, 5, MPI_COMM_WORLD, ierror)
  end do
  count = 0
  do while (count < size)
    call MPI_Testsome(size, requests, done, indices, statuses, ierror)
    do i = 1, done
      if (statuses(MPI_SOURCE, i) /= indices(i) - 1) print *, rank, 'testsome: wrong source'
      call MPI_Get_count(statuses(:, i), MPI_INTEGER, length, ierror)
      if (length /= 1) print *, rank, 'testsome: wrong count'
    end do
    count = count + done
  end do
  call MPI_Testsome(size, requests, done, indices, MPI_STATUSES_IGNORE, ierror)
  print *, rank, 'testsome', got(1:size), done == MPI_UNDEFINED

  do i = 1, size
    call MPI_Irecv(got(i), 1, MPI_INTEGER, i - 1, 6, MPI_COMM_WORLD, requests(i), ierror)
    call MPI_Issend(sent(i), 1, MPI_INTEGER, i - 1, 6, MPI_COMM_WORLD, requests(size + i), ierror)
  end do
  do i = 1, 2*size
    call MPI_Waitany(2*size, requests, index, status, ierror)
    if (requests(index) /= MPI_REQUEST_NULL) print *, rank, 'waitany: still there'
  end do
  call MPI_Waitany(2*size, requests, index, MPI_STATUS_IGNORE, ierror)
  print *, rank, 'waitany', got(1:size), index == MPI_UNDEFINED

  ! Persistent, started twice; then freed.
  call MPI_Recv_init(got, 1, MPI_INTEGER, left, 7, MPI_COMM_WORLD, persistent(1), ierror)
  call MPI_Send_init(sent, 1, MPI_INTEGER, right, 7, MPI_COMM_WORLD, persistent(2), ierror)
  do i = 1, 2
    sent(1) = 10*rank + i
    call MPI_Startall(2, persistent, ierror)
    if (i == 1) call MPI_Waitall(2, persistent, MPI_STATUSES_IGNORE, ierror)
    if (i == 2) call MPI_Wait(persistent(1), status, ierror)
    if (i == 2) call MPI_Wait(persistent(2), MPI_STATUS_IGNORE, ierror)
    print *, rank, 'persistent', got(1), any(persistent == MPI_REQUEST_NULL)
  end do
  call MPI_Request_free(persistent(1), ierror)
  call MPI_Request_free(persistent(2), ierror)
  print *, rank, 'freed', all(persistent == MPI_REQUEST_NULL)

  ! A receive that is cancelled; probes.
  call MPI_Irecv(got, 1, MPI_INTEGER, left, 8, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Cancel(requests(1), ierror)
  call MPI_Wait(requests(1), status, ierror)
  call MPI_Test_cancelled(status, is_cancelled, ierror)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 9, got, 1, MPI_INTEGER, left, 9, MPI_COMM_WORLD, status, ierror)
  print *, rank, 'cancelled', is_cancelled, got(1), status(MPI_SOURCE), status(MPI_TAG)
  sent(1:3) = [rank, rank + 1, rank + 2]
  call MPI_Isend(sent, 3, MPI_INTEGER, right, 10, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Mprobe(left, MPI_ANY_TAG, MPI_COMM_WORLD, message, status, ierror)
  call MPI_Get_count(status, MPI_INTEGER, count, ierror)
  call MPI_Mrecv(got, count, MPI_INTEGER, message, status, ierror)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierror)
  print *, rank, 'probed', count, got(1:3), message == MPI_MESSAGE_NULL

  ! Derived types.
  call MPI_Get_address(here%number, base, ierror)
  call MPI_Get_address(here%weight, places(2), ierror)
  places = [0_MPI_ADDRESS_KIND, places(2) - base]
  call MPI_Type_create_struct(2, [1, 2], places, [MPI_INTEGER, MPI_DOUBLE_PRECISION], type, ierror)
  call MPI_Type_commit(type, ierror)
  here = point(rank, [1d0*rank, 2d0*rank])
  call MPI_Sendrecv(here, 1, type, right, 11, there, 1, type, left, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
  print *, rank, 'struct', there%number, nint(there%weight)
  call MPI_Type_set_name(type, 'a point', ierror)
  call MPI_Type_get_name(type, name, length, ierror)
  call MPI_Type_vector(2, 1, 3, MPI_INTEGER, wide, ierror)
  call MPI_Type_create_resized(wide, 0_MPI_ADDRESS_KIND, 40_MPI_ADDRESS_KIND, new_type, ierror)
  call MPI_Type_get_extent(new_type, lower, extent, ierror)
  print *, rank, 'named ', trim(name), length, extent
  call MPI_Type_free(type, ierror)
  call MPI_Type_free(wide, ierror)
  call MPI_Type_free(new_type, ierror)
  first = rank
  second = 2*rank
  call MPI_Get_address(first, places(1), ierror)
  call MPI_Get_address(second, places(2), ierror)
  call MPI_Type_create_hindexed(2, [1, 1], places, MPI_INTEGER, type, ierror)
  call MPI_Type_commit(type, ierror)
  call MPI_Bcast(MPI_BOTTOM, 1, type, size - 1, MPI_COMM_WORLD, ierror)
  print *, rank, 'bottom', first, second, type == MPI_DATATYPE_NULL
  call MPI_Type_free(type, ierror)
  position = 0
  call MPI_Pack(rank, 1, MPI_INTEGER, packed, 64, position, MPI_COMM_WORLD, ierror)
  position = 0
  call MPI_Unpack(packed, 64, position, got, 1, MPI_INTEGER, MPI_COMM_WORLD, ierror)
  print *, rank, 'packed', got(1), position

  ! Communicators.
  dims = 0
  call MPI_Dims_create(size, 2, dims, ierror)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .false.], .false., cart, ierror)
  call MPI_Cart_get(cart, 2, dims, periods, coordinates, ierror)
  call MPI_Cart_shift(cart, 0, 1, left, right, ierror)
  print *, rank, 'cart', dims, periods, coordinates, left, right
  call MPI_Cart_shift(cart, 1, 1, left, right, ierror)
  call MPI_Cart_sub(cart, [.true., .false.], row, ierror)
  call MPI_Comm_size(row, count, ierror)
  call MPI_Topo_test(row, index, ierror)
  print *, rank, 'open', left, right, count, index == MPI_CART
  call MPI_Comm_set_name(row, 'a row', ierror)
  call MPI_Comm_get_name(row, name, length, ierror)
  print *, rank, 'comm ', trim(name), length
  call MPI_Comm_get_name(MPI_COMM_WORLD, name, length, ierror)
  print *, rank, 'comm ', trim(name), length
  call MPI_Comm_free(row, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), -rank, sub, ierror)
  call MPI_Comm_rank(sub, index, ierror)
  call MPI_Comm_group(sub, group, ierror)
  call MPI_Group_size(group, count, ierror)
  call MPI_Comm_compare(sub, MPI_COMM_WORLD, i, ierror)
  print *, rank, 'split', index, count, row == MPI_COMM_NULL, i == MPI_UNEQUAL .or. size == 1
  call MPI_Group_free(group, ierror)
  call MPI_Comm_split(MPI_COMM_WORLD, merge(MPI_UNDEFINED, 0, rank == 0), 0, row, ierror)
  print *, rank, 'nothing', row == MPI_COMM_NULL

  ! Collectives whose arguments are arrays of types, and reductions.
  sent(1:size) = [(10*rank + i, i=1, size)]
  call MPI_Alltoallw(sent, [(1, i=1, size)], [(4*i, i=0, size - 1)], [(MPI_INTEGER, i=1, size)], got, &
                     [(1, i=1, size)], [(4*i, i=0, size - 1)], [(MPI_INTEGER, i=1, size)], sub, ierror)
  call MPI_Comm_size(sub, count, ierror)
  print *, rank, 'alltoallw', got(1:count)
  call MPI_Iallreduce(MPI_IN_PLACE, sent, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1), ierror)
  call MPI_Wait(requests(1), status, ierror)
  print *, rank, 'iallreduce', sent(1:2), requests(1) == MPI_REQUEST_NULL
  zero = [rank, rank]
  call MPI_Allreduce(MPI_IN_PLACE, zero, 1, MPI_2INTEGER, MPI_MAXLOC, MPI_COMM_WORLD, ierror)
  print *, rank, 'maxloc', zero

  ! Other calls with strings.
  call MPI_Info_create(info, ierror)
  call MPI_Info_set(info, 'a key', ' and a value ', ierror)
  call MPI_Info_get(info, 'a key', 20, text, flag, ierror)
  print *, rank, 'info ', flag, '|', trim(text), '|'
  call MPI_Info_get_nthkey(info, 0, text, ierror)
  call MPI_Info_free(info, ierror)
  call MPI_Get_processor_name(processor, length, ierror)
  print *, rank, 'key ', trim(text), len_trim(processor) == length, MPI_Wtime() >= began, MPI_Wtick() > 0
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 8, type, ierror)
  call MPI_Type_size(type, length, ierror)
  call MPI_Sizeof(began, count, ierror)
  print *, rank, 'sizes', length, count
  call MPI_Comm_free(sub, ierror)
  call MPI_Comm_free(cart, ierror)
  call MPI_Initialized(flag, ierror)
  call MPI_Finalize(ierror)
  call MPI_Finalized(periods(1), ierror)
  print *, rank, 'over', flag, periods(1)
end program messages_mpi
