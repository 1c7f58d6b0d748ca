! Attributes, error handlers, operators, requests, statuses, types and topologies through the module mpi_f08.
module everything_functions
  use mpi_f08
  implicit none
contains

  subroutine copy(comm, key, extra, value, copied, flag, ierror)
    type(MPI_Comm) :: comm
    integer :: key, ierror, rank
    integer(kind=MPI_ADDRESS_KIND) :: extra, value, copied
    logical :: flag
    call MPI_Comm_rank(comm, rank)
    print *, rank, 'copies', extra, value
    copied = value + extra
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine copy

  subroutine erase(comm, key, value, extra, ierror)
    type(MPI_Comm) :: comm
    integer :: key, ierror
    integer(kind=MPI_ADDRESS_KIND) :: value, extra
    print *, 'deletes', extra, value
    ierror = MPI_SUCCESS
  end subroutine erase

  subroutine on_error(comm, code)
    type(MPI_Comm) :: comm
    integer :: code, rank, class
    call MPI_Comm_rank(comm, rank)
    call MPI_Error_class(code, class)
    print *, rank, 'handles', comm == MPI_COMM_WORLD, class == MPI_ERR_RANK, class == MPI_ERR_TAG
  end subroutine on_error

  ! The first of two integers, times the other.
  subroutine combine(in, inout, count, type)
    use, intrinsic :: iso_c_binding, only : c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: count
    type(MPI_Datatype) :: type
    integer, pointer :: one(:), other(:)
    integer :: bytes
    call MPI_Type_size(type, bytes)
    if (bytes /= 8) print *, 'a type of', bytes
    call c_f_pointer(in, one, [2*count])
    call c_f_pointer(inout, other, [2*count])
    other(1::2) = one(1::2) + other(1::2)
    other(2::2) = one(2::2)*other(2::2)
  end subroutine combine
end module everything_functions

program everything_f08
  use mpi_f08
  use everything_functions
  implicit none
  integer, parameter :: most = 16
  type(MPI_Comm) :: comm, cart, sub
  type(MPI_Datatype) :: pair, triple
  type(MPI_Errhandler) :: handler, other
  type(MPI_Op) :: op
  type(MPI_Request) :: requests(2*most), persistent(2)
  type(MPI_Status) :: statuses(2*most), status
  type(MPI_Message) :: message
  type(MPI_Group) :: group
  type(MPI_Info) :: info
  integer :: ierror, rank, size, i, key, code, class, count, index, done, length, indices(2*most), left, right
  integer :: numbers(2), results(2), dims(2), coordinates(2)
  integer, asynchronous :: got(most), sent(most)
  integer(kind=MPI_ADDRESS_KIND) :: value, extra, lower, extent
  logical :: is_there, periods(2), flag
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=20) :: text

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, size)
  left = mod(rank + size - 1, size)
  right = mod(rank + 1, size)

  ! Attributes.
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, value, is_there)
  print *, rank, 'tags', is_there, value >= 32767
  extra = 11
  call MPI_Comm_create_keyval(copy, erase, key, extra)
  value = 2_8**40 + rank
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_get_attr(comm, key, value, is_there)
  print *, rank, 'duplicate', is_there, value
  call MPI_Comm_free(comm)
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key)
  call MPI_Comm_free_keyval(key)
  call MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, key, extra)
  call MPI_Comm_set_attr(MPI_COMM_WORLD, key, value)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call MPI_Comm_get_attr(comm, key, value, is_there)
  print *, rank, 'not copied', is_there
  call MPI_Comm_delete_attr(MPI_COMM_WORLD, key)
  call MPI_Comm_free_keyval(key)

  ! Error handlers.
  call MPI_Comm_create_errhandler(on_error, handler)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, handler)
  call MPI_Send(rank, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, code)
  call MPI_Error_class(code, class)
  print *, rank, 'class', class == MPI_ERR_RANK
  call MPI_Comm_get_errhandler(MPI_COMM_WORLD, other)
  print *, rank, 'same handler', other == handler
  call MPI_Errhandler_free(other)
  call MPI_Comm_call_errhandler(MPI_COMM_WORLD, MPI_ERR_TAG)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Errhandler_free(handler)
  call MPI_Send(rank, 1, MPI_INTEGER, 0, -5, MPI_COMM_WORLD, code)
  call MPI_Error_class(code, class)
  print *, rank, 'tag', class == MPI_ERR_TAG
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)

  ! An operator, on a derived type.
  call MPI_Type_contiguous(2, MPI_INTEGER, pair)
  call MPI_Type_commit(pair)
  call MPI_Op_create(combine, .true., op)
  numbers = [rank, rank + 1]
  call MPI_Allreduce(numbers, results, 1, pair, op, MPI_COMM_WORLD)
  print *, rank, 'combined', results
  call MPI_Exscan(MPI_IN_PLACE, numbers, 1, pair, op, comm)
  if (rank > 0) print *, rank, 'before', numbers
  results = [7, rank]
  call MPI_Reduce_local(numbers, results, 1, pair, op)
  if (rank > 0) print *, rank, 'locally', results
  call MPI_Op_free(op)

  ! Requests and statuses.
  do i = 1, size
    sent(i) = 100*rank + i
    call MPI_Irecv(got(i), 1, MPI_INTEGER, i - 1, rank, comm, requests(i))
  end do
  do i = 1, size
    call MPI_Isend(sent(i), 1, MPI_INTEGER, i - 1, i - 1, comm, requests(size + i))
  end do
  call MPI_Waitall(2*size, requests, statuses)
  print *, rank, 'waitall', got(1:size), statuses(1:size)%MPI_SOURCE, statuses(1:size)%MPI_TAG, &
    all([(requests(i) == MPI_REQUEST_NULL, i=1, 2*size)])
  do i = 1, size
    call MPI_Irecv(got(i), 1, MPI_INTEGER, i - 1, 5, comm, requests(i))
  end do
  do i = 1, size
    call MPI_Send(sent(i), 1, MPI_INTEGER, i - 1, 5, comm)
  end do
  count = 0
  do while (count < size)
    call MPI_Testsome(size, requests, done, indices, statuses)
    do i = 1, done
      call MPI_Get_count(statuses(i), MPI_INTEGER, length)
      if (length /= 1 .or. statuses(i)%MPI_TAG /= 5) print *, rank, 'testsome: wrong'
    end do
    count = count + done
  end do
  print *, rank, 'testsome', got(1:size)
  call MPI_Irecv(got, 1, MPI_INTEGER, left, 6, comm, requests(1))
  call MPI_Issend(sent, 1, MPI_INTEGER, right, 6, comm, requests(2))
  do i = 1, 2
    call MPI_Waitany(2, requests, index, MPI_STATUS_IGNORE)
  end do
  call MPI_Waitany(2, requests, index, status)
  print *, rank, 'waitany', got(1), index == MPI_UNDEFINED
  call MPI_Recv_init(got, 1, MPI_INTEGER, left, 7, comm, persistent(1))
  call MPI_Ssend_init(sent, 1, MPI_INTEGER, right, 7, comm, persistent(2))
  do i = 1, 2
    sent(1) = 10*rank + i
    call MPI_Startall(2, persistent)
    flag = .false.
    do while (.not. flag)
      call MPI_Testall(2, persistent, flag, statuses)
    end do
    print *, rank, 'persistent', got(1), statuses(1)%MPI_SOURCE, persistent(1) == MPI_REQUEST_NULL
  end do
  call MPI_Request_free(persistent(1))
  call MPI_Request_free(persistent(2))
  sent(1:3) = [rank, 2, 3]
  call MPI_Isend(sent, 3, MPI_INTEGER, right, 8, comm, requests(1))
  call MPI_Mprobe(MPI_ANY_SOURCE, 8, comm, message, status)
  call MPI_Get_count(status, MPI_INTEGER, count)
  call MPI_Imrecv(got, count, MPI_INTEGER, message, requests(2))
  call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
  print *, rank, 'probed', count, got(1:3), status%MPI_SOURCE, message == MPI_MESSAGE_NULL
  call MPI_Ibarrier(comm, requests(1))
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
  call MPI_Iallreduce(MPI_IN_PLACE, sent, 2, MPI_INTEGER, MPI_SUM, comm, requests(1))
  call MPI_Wait(requests(1), status)
  print *, rank, 'iallreduce', sent(1:2), requests(1) == MPI_REQUEST_NULL

  ! Types, topologies, texts.
  call MPI_Type_create_resized(pair, 0_MPI_ADDRESS_KIND, 12_MPI_ADDRESS_KIND, triple)
  call MPI_Type_get_extent(triple, lower, extent)
  call MPI_Type_set_name(triple, 'a triple')
  call MPI_Type_get_name(triple, name, length)
  print *, rank, trim(name), length, lower, extent
  call MPI_Type_free(triple)
  call MPI_Type_free(pair)
  dims = 0
  call MPI_Dims_create(size, 2, dims)
  call MPI_Cart_create(comm, 2, dims, [.true., .false.], .false., cart)
  call MPI_Cart_get(cart, 2, dims, periods, coordinates)
  call MPI_Cart_shift(cart, 1, 1, left, right)
  print *, rank, 'cart', dims, periods, coordinates, left, right
  call MPI_Comm_set_name(cart, 'a torus')
  call MPI_Comm_get_name(cart, name, length)
  call MPI_Comm_split_type(cart, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, sub)
  call MPI_Comm_group(sub, group)
  call MPI_Group_size(group, count)
  print *, rank, trim(name), length, count
  call MPI_Group_free(group)
  call MPI_Comm_free(sub)
  call MPI_Comm_free(cart)
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'a key', 'a value')
  call MPI_Info_get(info, 'a key', 20, text, flag)
  print *, rank, 'info ', flag, trim(text), MPI_Wtime() >= 0, sub == MPI_COMM_NULL
  call MPI_Info_free(info)
  call MPI_Comm_free(comm)
  call MPI_Finalize()
end program everything_f08
