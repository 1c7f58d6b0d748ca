! Data that a collective has just received is sent on, packed, and made a datatype of, while one rank comes late to it.
program early_hazards_mpi
  use mpi
  use iso_c_binding
  implicit none
  integer, parameter :: block = 65536, page = 1024, tag = 4
  integer :: rank, size, round, turn, place, wrong, late, ierror
  integer, allocatable, target :: sent(:), space(:), copy(:), packed(:), ones(:)
  integer, pointer :: received(:)
  integer :: requests(2), indexed
  integer(MPI_ADDRESS_KIND) :: lower, extent

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
  allocate (sent(block*size), space(block*size + page), copy(block), packed(block), ones(block))
  ones = 1
  received => whole_pages(space)
  wrong = 0
  do round = 1, 4
    do turn = 1, 4
      late = modulo(round + turn, size)
      sent = rank + 1000*round + turn
      if (rank == late) call nap()
      call MPI_Alltoall(sent, block, MPI_INTEGER, received, block, MPI_INTEGER, MPI_COMM_WORLD, ierror)
      copy = -1
      if (turn == 1) then
        call MPI_Isend(received(late*block + 1), block, MPI_INTEGER, 0, tag, MPI_COMM_SELF, requests(1), ierror)
        call MPI_Irecv(copy, block, MPI_INTEGER, 0, tag, MPI_COMM_SELF, requests(2), ierror)
        call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierror)
      else if (turn == 2) then
        place = 0
        call MPI_Pack(received(late*block + 1), block, MPI_INTEGER, packed, 4*block, place, MPI_COMM_SELF, ierror)
        place = 0
        call MPI_Unpack(packed, 4*block, place, copy, block, MPI_INTEGER, MPI_COMM_SELF, ierror)
      else if (turn == 3) then
        call MPI_Sendrecv(received(late*block + 1), block, MPI_INTEGER, 0, tag, copy, block, MPI_INTEGER, 0, tag, &
                          MPI_COMM_SELF, MPI_STATUS_IGNORE, ierror)
      else
        call MPI_Type_indexed(block, ones, received(late*block + 1:late*block + block), MPI_INTEGER, indexed, ierror)
        call MPI_Type_get_extent(indexed, lower, extent, ierror)
        call MPI_Type_free(indexed, ierror)
        if (extent == 4) copy = int(lower/4)
      end if
      wrong = wrong + count(copy /= late + 1000*round + turn)
    end do
  end do
  call MPI_Allreduce(MPI_IN_PLACE, wrong, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
  if (rank == 0) print '(a, i0, a)', 'early_hazards_mpi: ', wrong, ' wrong'
  call MPI_Finalize(ierror)
  if (wrong /= 0) stop 1

contains

  function whole_pages(all) result(part)
    integer, target, intent(in) :: all(:)
    integer, pointer :: part(:)
    integer :: skip
    skip = int(modulo(-transfer(c_loc(all), 0_c_intptr_t), 4096_c_intptr_t)/4)
    part => all(skip + 1:skip + block*size)
  end function whole_pages

  subroutine nap()
    double precision :: start
    start = MPI_Wtime()
    do while (MPI_Wtime() - start < 0.005d0)
    end do
  end subroutine nap
end program early_hazards_mpi
