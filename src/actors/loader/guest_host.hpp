#pragma once
// Between the container and the guest, the first library of every rank (guest/): what a program does with its process
// ends there, in that rank alone.

#include <cstdint>

namespace tutti::actors {

/// What the container does for a rank. Called by any thread of the rank.
struct GuestHost {
  void* actor;
  /// The rank's environment, ended by a null pointer.
  char** environment;
  /// The rank has ended. Does not return.
  void (*leave)(void* actor, int status);
  /// What the rank's other libraries ask for (stub/stub.h).
  const void* calls;
  void* rank;
};

/// The entry of the program's dynamic section that holds the address of its GuestHost, in the range of tags that
/// belongs to systems (ELF: gABI 4.1, chapter 5) and that no loader knows.
inline constexpr int64_t k_host_tag = 0x6474'7574;

}  // namespace tutti::actors
