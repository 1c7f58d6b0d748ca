// Shared by all C programs of this corpus: checks, values that any rank can compute for any other, and the
// communicators to try.
//
// The programs are plain MPI. They are run natively and under the preloaded library, and their
// standard output must be the same, so they print nothing that depends on time or addresses.
#pragma once

#include <mpi.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

extern int g_rank;  // in MPI_COMM_WORLD
extern int g_size;  // of MPI_COMM_WORLD

void check_init(int* argc, char*** argv);                       // MPI_Init
void check_init_threads(int* argc, char*** argv, int threads);  // MPI_Init_thread

// Counts one check; a failed one is described on standard output. Safe from several threads.
#define CHECK(condition, ...) check_record((condition), __FILE__, __LINE__, __VA_ARGS__)
bool check_record(bool holds, const char* file, int line, const char* format, ...)
    __attribute__((format(printf, 4, 5)));

// Adds the counts of all ranks by point-to-point messages, prints "<name>: N checks" at rank 0,
// finalizes MPI and returns the exit status of the program.
int check_finish(const char* name);
// The same without finalizing.
int check_report(const char* name);
// 0 when no check of this rank has failed, 1 otherwise.
int check_status(void);

// A value that depends on all of its arguments, from 0 to 2^31 - 1.
int32_t value_of(int rank, size_t index, unsigned salt);

// Memory that ends the job when there is none. `bytes` may be 0; the result is never NULL.
void* allocate(size_t bytes);
int* allocate_ints(size_t count, int fill);

// The communicators that a test is repeated on: the world, the world in reverse order, and its
// even or odd ranks. `visit` is called by all members.
void for_each_communicator(void (*visit)(MPI_Comm comm, int rank, int size));
