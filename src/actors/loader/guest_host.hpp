#pragma once
// Between the container and the guest, the first library of every rank (guest/): what a program does with its process
// ends there, in that rank alone.

#include <signal.h>

#include <cstdint>

namespace tutti::actors {

/// Signals of a thread's own faults: a rank has its own handlers for them. Others belong to the process.
inline constexpr int k_crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// What the container does for a rank. Functions are called by any thread of the rank.
struct GuestHost {
  /// What the rank's other libraries ask for (stub/host.h): they know these two alone.
  const void* calls;
  void* rank;
  void* actor;
  /// argv, ended by a null pointer.
  char** arguments;
  /// The program's file, by its whole path. Stays.
  const char* program;
  /// The rank has ended. Does not return.
  void (*leave)(void* actor, int status);
  /// A thread is about to begin, and cannot.
  void (*thread_is_expected)(void* actor);
  void (*thread_is_given_up)(void* actor);
  /// This thread is one of the rank's, and is going to end. What the first returns is for the second.
  void* (*thread_begins)(void* actor, bool is_expected);
  void (*thread_ends)(void* actor, void* thread);
  /// Returns when this is the rank's only thread.
  void (*wait_for_threads)(void* actor);
  /// Processor time of all threads that the rank has had.
  uint64_t (*cpu_ns)(void* actor);
  /// Whether another program may take the rank's place: MPI is not used any more.
  bool (*is_done_with_mpi)(void* actor);
  /// What the rank does on each of k_crash_signals; changed by the guest, read by handlers.
  struct sigaction* actions;
  /// Set by the guest when exit() begins. Natively the process would be gone so soon that its other threads hardly see
  /// what its destructors have destroyed: from here on a fault ends such a thread alone.
  volatile sig_atomic_t* is_ending;
};

/// The entry of the program's dynamic section by which the guest knows it, in the range of tags that belongs to systems
/// (ELF: gABI 4.1, chapter 5) and that no loader knows.
inline constexpr int64_t k_program_tag = 0x6474'7574;

/// Slot of pthread_key_create() in which threads have what is the guest's. Values are the thread's, whichever C library
/// has set them, but each library knows its own keys only: this one is the guest's in the C library of every rank, and
/// unused in that of the container. Slots up to 31 lie in the thread itself, and no library allocates memory for them.
inline constexpr unsigned k_guest_slot = 31;

}  // namespace tutti::actors
