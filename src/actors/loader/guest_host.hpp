#pragma once
// Interface between the container and the guest, the first library of every rank (guest/): what a program
// does to its process takes effect in that rank only.

#include <signal.h>

#include <cstdint>

namespace tutti::actors {

/// Signals raised by a thread's own faults: each rank has its own handlers for them. Other signals belong to
/// the process.
inline constexpr int k_crash_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

/// The container's services for a rank. Any thread of the rank may call the functions.
struct GuestHost {
  /// Members that the rank's other libraries use (stub/host.h): they know only these three.
  const void* calls;
  void* rank;
  /// The program's return address of its latest call of a collective; written by the stub.
  const void** caller;
  void* actor;
  /// argv, terminated by a null pointer.
  char** arguments;
  /// Absolute path of the program's file. Remains valid.
  const char* program;
  /// Reports that the rank has ended. Does not return.
  void (*leave)(void* actor, int status);
  /// A thread is about to be created; or its creation failed.
  void (*thread_is_expected)(void* actor);
  void (*thread_is_given_up)(void* actor);
  /// This thread belongs to the rank; or is about to end. The result of the first is passed to the second.
  void* (*thread_begins)(void* actor, bool is_expected);
  void (*thread_ends)(void* actor, void* thread);
  /// Returns when this is the rank's only thread.
  void (*wait_for_threads)(void* actor);
  /// CPU time of all threads that the rank has had.
  uint64_t (*cpu_ns)(void* actor);
  /// True if another program may replace the rank's program, because it no longer uses MPI.
  bool (*is_done_with_mpi)(void* actor);
  /// The rank's signal actions for k_crash_signals; written by the guest, read by handlers.
  struct sigaction* actions;
  /// Set by the guest when exit() begins. A native process would end so soon that its other threads hardly
  /// see what its destructors have destroyed: from here on a fault ends only the faulting thread.
  volatile sig_atomic_t* is_ending;
};

/// Entry of the program's dynamic section by which the guest identifies the program, in the range of tags
/// reserved for the operating system (ELF: gABI 4.1, chapter 5) and unused by any loader.
inline constexpr int64_t k_program_tag = 0x6474'7574;

/// Slot of pthread_key_create() that holds the guest's data of each thread. Values belong to the kernel
/// thread, regardless of the C library that stores them, but each library knows only its own keys: this key
/// belongs to the guest in the C library of every rank, and is unused in that of the container. Slots up to
/// 31 are in the thread descriptor itself, so no library allocates memory for them.
inline constexpr unsigned k_guest_slot = 31;

}  // namespace tutti::actors
