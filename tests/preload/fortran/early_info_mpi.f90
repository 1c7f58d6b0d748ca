! The info key tutti_overlap from Fortran, as early_info.c has it from C.
program early_info_mpi
  use mpi
  implicit none
  integer, parameter :: block = 65536
  integer :: ierror, rank, size, comm, info, used, inside
  integer, allocatable :: sent(:), received(:)
  character(len=8) :: value
  logical :: is_there

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  allocate (sent(block*size), received(block*size))
  inside = 0
  call MPI_Info_create(info, ierror)
  call MPI_Info_set(info, 'tutti_overlap', 'off', ierror)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierror)
  call exchange(comm)
  call MPI_Comm_set_info(comm, info, ierror)
  inside = inside + 1
  call exchange(comm)
  value = ''
  call MPI_Comm_get_info(comm, used, ierror)
  call MPI_Info_get(used, 'tutti_overlap', 8, value, is_there, ierror)
  if (value /= 'off') print *, 'MPI_Comm_get_info says ', value
  call MPI_Info_free(used, ierror)
  call MPI_Comm_free(comm, ierror)
  call MPI_Comm_dup_with_info(MPI_COMM_WORLD, info, comm, ierror)
  inside = inside + 1
  call exchange(comm)
  call MPI_Comm_free(comm, ierror)
  call MPI_Info_free(info, ierror)
  if (rank == 0) print '(i0, a)', inside, ' calls wait'
  call MPI_Finalize(ierror)

contains

  subroutine exchange(comm)
    integer, intent(in) :: comm
    integer :: i
    sent = [(rank*100 + (i - 1)/block, i=1, block*size)]
    call MPI_Alltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, comm, ierror)
    if (any(received /= [((i - 1)/block*100 + rank, i=1, block*size)])) then
      print *, 'the data is wrong'
      call MPI_Abort(comm, 1, ierror)
    end if
  end subroutine exchange
end program early_info_mpi
