C     The collectives through mpif.h in fixed form, with MPI_IN_PLACE and
C     MPI_BOTTOM, which are other addresses in Fortran than in C.
      program fortran_mpif
      implicit none
      include 'mpif.h'
      integer most
      parameter (most = 64)
      integer ierr, rank, size, i, root, failures, total
      integer mine(3), all(3 * most), sums(3), counts(most)
      integer displs(most), types(most), bytes(most), other(3 * most)
      logical flags(2)
      double precision reals(2)

      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
      failures = 0

      do root = 0, size - 1
         do i = 1, 3
            mine(i) = -1
            if (rank .eq. root) mine(i) = 100 * root + i
         end do
         call MPI_BCAST(mine, 3, MPI_INTEGER, root, MPI_COMM_WORLD,
     &                  ierr)
         do i = 1, 3
            if (mine(i) .ne. 100 * root + i) failures = failures + 1
         end do

         call fill(mine, rank)
         call MPI_REDUCE(mine, sums, 3, MPI_INTEGER, MPI_SUM, root,
     &                   MPI_COMM_WORLD, ierr)
         if (rank .eq. root) call expect_sum(sums, size, failures)
         if (rank .eq. root) then
            call MPI_REDUCE(MPI_IN_PLACE, mine, 3, MPI_INTEGER,
     &                      MPI_SUM, root, MPI_COMM_WORLD, ierr)
            call expect_sum(mine, size, failures)
         else
            call MPI_REDUCE(mine, sums, 3, MPI_INTEGER,
     &                      MPI_SUM, root, MPI_COMM_WORLD, ierr)
         end if

         call fill(mine, rank)
         call MPI_GATHER(mine, 3, MPI_INTEGER, all, 3, MPI_INTEGER,
     &                   root, MPI_COMM_WORLD, ierr)
         if (rank .eq. root) call expect_all(all, size, failures)
         if (rank .eq. root) then
            call MPI_SCATTER(all, 3, MPI_INTEGER, MPI_IN_PLACE, 3,
     &                       MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
         else
            call MPI_SCATTER(all, 3, MPI_INTEGER, mine, 3,
     &                       MPI_INTEGER, root, MPI_COMM_WORLD, ierr)
            do i = 1, 3
               if (mine(i) .ne. 10 * rank + i) failures = failures + 1
            end do
         end if
      end do

      do i = 1, size
         counts(i) = 3
         displs(i) = 3 * (i - 1)
         bytes(i) = 12 * (i - 1)
         types(i) = MPI_INTEGER
      end do
      call fill(mine, rank)
      call MPI_ALLGATHER(mine, 3, MPI_INTEGER, all, 3, MPI_INTEGER,
     &                   MPI_COMM_WORLD, ierr)
      call expect_all(all, size, failures)
      call clear(all, 3 * size)
      call fill(all(3 * rank + 1), rank)
      call MPI_ALLGATHERV(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all,
     &                    counts, displs, MPI_INTEGER,
     &                    MPI_COMM_WORLD, ierr)
      call expect_all(all, size, failures)

      do i = 1, 3 * size
         all(i) = 1000 * rank + i
      end do
      call clear(other, 3 * size)
      call MPI_ALLTOALL(all, 3, MPI_INTEGER, other, 3, MPI_INTEGER,
     &                  MPI_COMM_WORLD, ierr)
      call expect_exchange(other, rank, size, failures)
      call clear(other, 3 * size)
      call MPI_ALLTOALLV(all, counts, displs, MPI_INTEGER, other,
     &                   counts, displs, MPI_INTEGER,
     &                   MPI_COMM_WORLD, ierr)
      call expect_exchange(other, rank, size, failures)
      call MPI_ALLTOALLW(all, counts, bytes, types, other,
     &                   counts, bytes, types, MPI_COMM_WORLD, ierr)
      call expect_exchange(other, rank, size, failures)
      call MPI_ALLTOALL(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, 3,
     &                  MPI_INTEGER, MPI_COMM_WORLD, ierr)
      call expect_exchange(all, rank, size, failures)

      call fill(mine, rank)
      call MPI_ALLREDUCE(mine, sums, 3, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      call expect_sum(sums, size, failures)
      call MPI_ALLREDUCE(MPI_IN_PLACE, mine, 3, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      call expect_sum(mine, size, failures)
      call fill(mine, rank)
      call MPI_SCAN(mine, sums, 3, MPI_INTEGER, MPI_SUM,
     &              MPI_COMM_WORLD, ierr)
      call expect_sum(sums, rank + 1, failures)
      call MPI_EXSCAN(mine, sums, 3, MPI_INTEGER, MPI_SUM,
     &                MPI_COMM_WORLD, ierr)
      if (rank .gt. 0) call expect_sum(sums, rank, failures)
      do i = 1, size
         call fill(all(3 * i - 2), rank)
      end do
      call MPI_REDUCE_SCATTER(all, sums, counts, MPI_INTEGER, MPI_SUM,
     &                        MPI_COMM_WORLD, ierr)
      call expect_sum(sums, size, failures)
      call MPI_REDUCE_SCATTER_BLOCK(all, sums, 3, MPI_INTEGER,
     &                              MPI_SUM, MPI_COMM_WORLD, ierr)
      call expect_sum(sums, size, failures)

      flags(1) = rank .eq. 0
      flags(2) = .true.
      call MPI_ALLREDUCE(MPI_IN_PLACE, flags, 2, MPI_LOGICAL, MPI_LAND,
     &                   MPI_COMM_WORLD, ierr)
      if (flags(1) .neqv. size .eq. 1) failures = failures + 1
      if (.not. flags(2)) failures = failures + 1
      reals(1) = rank
      reals(2) = -rank
      call MPI_ALLREDUCE(MPI_IN_PLACE, reals, 2, MPI_DOUBLE_PRECISION,
     &                   MPI_MAX, MPI_COMM_WORLD, ierr)
      if (reals(1) .ne. size - 1 .or. reals(2) .ne. 0)
     &   failures = failures + 1
      call maximum_with_place(rank, size, failures)
      call through_bottom(rank, failures)

      call MPI_BARRIER(MPI_COMM_WORLD, ierr)
      if (ierr .ne. MPI_SUCCESS) failures = failures + 1
      call MPI_ALLREDUCE(failures, total, 1, MPI_INTEGER, MPI_MAX,
     &                   MPI_COMM_WORLD, ierr)
      if (rank .eq. 0) print '(A, I0)', 'fortran_mpif: failures ',
     &                       max(total, failures)
      call MPI_FINALIZE(ierr)
      if (failures .gt. 0) stop 1
      end

      subroutine fill(mine, rank)
      implicit none
      integer mine(3), rank, i
      do i = 1, 3
         mine(i) = 10 * rank + i
      end do
      end

      subroutine clear(data, count)
      implicit none
      integer count, data(count), i
      do i = 1, count
         data(i) = -1
      end do
      end

C     The sum of what ranks 0 to ranks - 1 filled in.
      subroutine expect_sum(sums, ranks, failures)
      implicit none
      integer sums(3), ranks, failures, i
      do i = 1, 3
         if (sums(i) .ne. 5 * ranks * (ranks - 1) + i * ranks)
     &      failures = failures + 1
      end do
      end

      subroutine expect_all(all, size, failures)
      implicit none
      integer size, all(3, size), failures, i, peer
      do peer = 1, size
         do i = 1, 3
            if (all(i, peer) .ne. 10 * (peer - 1) + i)
     &         failures = failures + 1
         end do
      end do
      end

      subroutine expect_exchange(data, rank, size, failures)
      implicit none
      integer size, data(3, size), rank, failures, i, peer
      do peer = 1, size
         do i = 1, 3
            if (data(i, peer) .ne. 1000 * (peer - 1) + 3 * rank + i)
     &         failures = failures + 1
         end do
      end do
      end

      subroutine maximum_with_place(rank, size, failures)
      implicit none
      include 'mpif.h'
      integer rank, size, failures, ierr, pair(2), result(2)
      pair(1) = mod(rank * 3, size + 1)
      pair(2) = rank
      call MPI_ALLREDUCE(pair, result, 1, MPI_2INTEGER, MPI_MAXLOC,
     &                   MPI_COMM_WORLD, ierr)
      if (mod(result(2) * 3, size + 1) .ne. result(1) .or.
     &    result(1) .lt. pair(1)) failures = failures + 1
      end

C     A broadcast of two variables at their absolute addresses.
      subroutine through_bottom(rank, failures)
      implicit none
      include 'mpif.h'
      integer rank, failures, ierr, type, lengths(2), first, second
      integer types(2)
      integer (kind=MPI_ADDRESS_KIND) addresses(2)
      common /spread/ first, second
      save /spread/
      first = -1
      second = -1
      if (rank .eq. 0) then
         first = 41
         second = 43
      end if
      lengths(1) = 1
      lengths(2) = 1
      types(1) = MPI_INTEGER
      types(2) = MPI_INTEGER
      call MPI_GET_ADDRESS(first, addresses(2), ierr)
      call MPI_GET_ADDRESS(second, addresses(1), ierr)
      call MPI_TYPE_CREATE_STRUCT(2, lengths, addresses, types, type,
     &                            ierr)
      call MPI_TYPE_COMMIT(type, ierr)
      call MPI_BCAST(MPI_BOTTOM, 1, type, 0, MPI_COMM_WORLD, ierr)
      call MPI_TYPE_FREE(type, ierr)
      if (first .ne. 41 .or. second .ne. 43) failures = failures + 1
      end
