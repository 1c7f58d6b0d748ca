! Attributes, functions that copy and delete them, error handlers and operators, through mpif.h.
program attributes_mpif
  implicit none
  include 'mpif.h'
  external copy_old, delete_old, copy_new, delete_new, on_error, multiply
  integer :: ierror, rank, size, key, new_key, type_key, value, other, handler, code, class, op, length, type
  integer(kind=MPI_ADDRESS_KIND) :: long_value, extra
  logical :: is_there
  character(len=MPI_MAX_ERROR_STRING) :: text
  integer :: numbers(3), products(3), comm, null_key

  call MPI_INIT(ierror)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierror)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierror)

  call MPI_ATTR_GET(MPI_COMM_WORLD, MPI_TAG_UB, value, is_there, ierror)
  print *, rank, 'tags', is_there, value >= 32767
  call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_TAG_UB, long_value, is_there, ierror)
  print *, rank, 'tags again', is_there, long_value == value
  call MPI_COMM_GET_ATTR(MPI_COMM_WORLD, MPI_WTIME_IS_GLOBAL, long_value, is_there, ierror)
  print *, rank, 'clock', is_there, long_value == 0 .or. long_value == 1

  call MPI_KEYVAL_CREATE(copy_old, delete_old, key, 7, ierror)
  extra = 11
  call MPI_COMM_CREATE_KEYVAL(copy_new, delete_new, new_key, extra, ierror)
  call MPI_COMM_CREATE_KEYVAL(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, null_key, extra, ierror)
  call MPI_ATTR_GET(MPI_COMM_WORLD, key, value, is_there, ierror)
  print *, rank, 'nothing yet', is_there
  call MPI_ATTR_PUT(MPI_COMM_WORLD, key, -100 - rank, ierror)
  long_value = 2_8**40 + rank
  call MPI_COMM_SET_ATTR(MPI_COMM_WORLD, new_key, long_value, ierror)
  call MPI_COMM_SET_ATTR(MPI_COMM_WORLD, null_key, -long_value, ierror)
  call show_both(MPI_COMM_WORLD, 'world')
  call MPI_COMM_DUP(MPI_COMM_WORLD, comm, ierror)
  call show_both(comm, 'duplicate')
  call MPI_ATTR_PUT(comm, key, 5, ierror)
  call MPI_COMM_DELETE_ATTR(comm, new_key, ierror)
  call show_both(comm, 'changed')
  call MPI_COMM_FREE(comm, ierror)
  call MPI_ATTR_DELETE(MPI_COMM_WORLD, key, ierror)
  call MPI_COMM_DELETE_ATTR(MPI_COMM_WORLD, new_key, ierror)
  call MPI_COMM_DELETE_ATTR(MPI_COMM_WORLD, null_key, ierror)
  call MPI_KEYVAL_FREE(key, ierror)
  call MPI_COMM_FREE_KEYVAL(new_key, ierror)
  print *, rank, 'freed', key == MPI_KEYVAL_INVALID, new_key == MPI_KEYVAL_INVALID

  extra = 3
  call MPI_TYPE_CREATE_KEYVAL(MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN, type_key, extra, ierror)
  call MPI_TYPE_CONTIGUOUS(3, MPI_INTEGER, type, ierror)
  long_value = 1000 + rank
  call MPI_TYPE_SET_ATTR(type, type_key, long_value, ierror)
  call MPI_TYPE_SET_ATTR(MPI_REAL, type_key, long_value + 1, ierror)
  long_value = 0
  call MPI_TYPE_GET_ATTR(type, type_key, long_value, is_there, ierror)
  print *, rank, 'of a type', is_there, long_value
  call MPI_TYPE_GET_ATTR(MPI_REAL, type_key, long_value, is_there, ierror)
  if (size == 1) print *, rank, 'of a predefined type', is_there, long_value
  call MPI_BARRIER(MPI_COMM_WORLD, ierror)
  call MPI_TYPE_DELETE_ATTR(type, type_key, ierror)
  call MPI_TYPE_FREE(type, ierror)

  call MPI_COMM_CREATE_ERRHANDLER(on_error, handler, ierror)
  call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, handler, ierror)
  call MPI_SEND(rank, 1, MPI_INTEGER, size, 0, MPI_COMM_WORLD, code)
  call MPI_ERROR_CLASS(code, class, ierror)
  print *, rank, 'class', class == MPI_ERR_RANK
  call MPI_COMM_GET_ERRHANDLER(MPI_COMM_WORLD, other, ierror)
  print *, rank, 'same handler', other == handler
  call MPI_ERRHANDLER_FREE(other, ierror)
  call MPI_COMM_CALL_ERRHANDLER(MPI_COMM_WORLD, MPI_ERR_TAG, ierror)
  call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierror)
  call MPI_ERRHANDLER_FREE(handler, ierror)
  call MPI_SEND(rank, 1, MPI_INTEGER, 0, -5, MPI_COMM_WORLD, code)
  call MPI_ERROR_CLASS(code, class, ierror)
  print *, rank, 'tag', class == MPI_ERR_TAG
  call MPI_ERROR_STRING(MPI_ERR_TAG, text, length, ierror)
  print *, rank, 'text', length > 0
  call MPI_COMM_SET_ERRHANDLER(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierror)

  call MPI_OP_CREATE(multiply, .true., op, ierror)
  numbers = [rank + 1, 2, 3]
  call MPI_ALLREDUCE(numbers, products, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
  print *, rank, 'products', products
  call MPI_SCAN(numbers, products, 3, MPI_INTEGER, op, MPI_COMM_WORLD, ierror)
  print *, rank, 'so far', products
  call MPI_OP_FREE(op, ierror)
  call MPI_FINALIZE(ierror)

contains

  subroutine show_both(comm, what)
    integer, intent(in) :: comm
    character(len=*), intent(in) :: what
    integer :: old
    integer(kind=MPI_ADDRESS_KIND) :: new, same
    logical :: has_old, has_new, has_same
    old = 0
    new = 0
    same = 0
    call MPI_ATTR_GET(comm, key, old, has_old, ierror)
    call MPI_COMM_GET_ATTR(comm, new_key, new, has_new, ierror)
    call MPI_COMM_GET_ATTR(comm, null_key, same, has_same, ierror)
    print *, rank, what, has_old, merge(old, 0, has_old), has_new, merge(new, 0_MPI_ADDRESS_KIND, has_new), has_same, same
  end subroutine show_both
end program attributes_mpif

subroutine copy_old(comm, key, extra, value, copy, flag, ierror)
  implicit none
  include 'mpif.h'
  integer :: comm, key, extra, value, copy, ierror, rank, error
  logical :: flag
  call MPI_COMM_RANK(comm, rank, error)
  print *, rank, 'copies old', extra, value
  copy = value*extra
  flag = .true.
  ierror = MPI_SUCCESS
end subroutine copy_old

subroutine delete_old(comm, key, value, extra, ierror)
  implicit none
  include 'mpif.h'
  integer :: comm, key, value, extra, ierror
  print *, 'deletes old', extra, value  ! Open MPI 4 does not say of what
  ierror = MPI_SUCCESS
end subroutine delete_old

subroutine copy_new(comm, key, extra, value, copy, flag, ierror)
  implicit none
  include 'mpif.h'
  integer :: comm, key, ierror, rank, error
  integer(kind=MPI_ADDRESS_KIND) :: extra, value, copy
  logical :: flag
  call MPI_COMM_RANK(comm, rank, error)
  print *, rank, 'copies new', extra, value
  copy = value + extra
  flag = .true.
  ierror = MPI_SUCCESS
end subroutine copy_new

subroutine delete_new(comm, key, value, extra, ierror)
  implicit none
  include 'mpif.h'
  integer :: comm, key, ierror
  integer(kind=MPI_ADDRESS_KIND) :: value, extra
  print *, 'deletes new', extra, value  ! Open MPI 4 does not say of what
  ierror = MPI_SUCCESS
end subroutine delete_new

subroutine on_error(comm, code)
  implicit none
  include 'mpif.h'
  integer :: comm, code, rank, class, error
  call MPI_COMM_RANK(comm, rank, error)
  call MPI_ERROR_CLASS(code, class, error)
  print *, rank, 'handles', comm == MPI_COMM_WORLD, class == MPI_ERR_RANK, class == MPI_ERR_TAG
end subroutine on_error

subroutine multiply(in, inout, count, type)
  implicit none
  include 'mpif.h'
  integer :: count, type, in(count), inout(count)
  if (type /= MPI_INTEGER) print *, 'the type is', type
  inout = in*inout
end subroutine multiply
