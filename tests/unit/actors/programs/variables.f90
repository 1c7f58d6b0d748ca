! variables OUTPUT: common blocks, SAVE, allocatable, initialised variables.
module shared
  implicit none
  integer :: of_module = 5
  integer, allocatable :: grown(:)
end module

program variables
  use shared
  implicit none
  character(len=200) :: name
  integer :: in_common, i
  common /block/ in_common
  call get_command_argument(1, name)
  open (unit=10, file=trim(name))
  in_common = in_common + 1
  of_module = of_module + 1
  allocate (grown(3))
  grown = 7
  do i = 1, 3
    write (10, '(a,i0,a,i0,a,i0,a,i0)') 'saved ', saved(), ' common ', in_common, ' module ', of_module, ' grown ', sum(grown)
  end do
  stop 6
contains
  integer function saved()
    integer, save :: calls = 0
    calls = calls + 1
    saved = calls
  end function
end program
