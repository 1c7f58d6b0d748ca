#pragma once
// Counter by which processes of this machine notify the command that started them, also through intermediate processes.
// It is a memfd, which the kernel frees with its owner. Its address is passed on in the environment, and is valid only
// on this machine and in this PID namespace: elsewhere, and after the owner's end, notices are dropped. Any thread.

#include <cstdint>
#include <string>

namespace tutti::base {

class Announcements {
 public:
  /// Without memory there is no address, and count() stays 0.
  Announcements();
  ~Announcements();
  Announcements(const Announcements&) = delete;
  Announcements& operator=(const Announcements&) = delete;

  bool are_possible() const { return !address_.empty(); }
  const std::string& address() const { return address_; }
  /// Number of notices so far.
  uint64_t count() const;

 private:
  int memory_ = -1;
  std::string address_;
};

/// Leaves one notice from another process. Invalid addresses are ignored.
void announce(const char* address);

/// Environment variable with the address for ranks. It does not begin with TUTTI_, because it is no setting.
inline constexpr const char* k_ranks_variable = "_TUTTI_RANKS";

}  // namespace tutti::base
