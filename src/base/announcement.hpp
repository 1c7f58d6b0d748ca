#pragma once
// A place where processes of this machine leave word for the command that has started them, whatever stands between
// them. It is memory without a name in the file system, which the kernel removes with its owner; its address goes from
// process to process in the environment, and holds for this machine and this set of process numbers only: elsewhere,
// and after the owner's end, a word is left nowhere. Any thread.

#include <cstdint>
#include <string>

namespace tutti::base {

class Announcements {
 public:
  /// Where memory is wanting there is no address, and nothing is ever counted.
  Announcements();
  ~Announcements();
  Announcements(const Announcements&) = delete;
  Announcements& operator=(const Announcements&) = delete;

  bool are_possible() const { return !address_.empty(); }
  const std::string& address() const { return address_; }
  /// Words that have been left so far.
  uint64_t count() const;

 private:
  int memory_ = -1;
  std::string address_;
};

/// In another process: leaves one word. What is no such address is left alone.
void announce(const char* address);

/// The name of the address in the environment of ranks. It does not begin with TUTTI_, because it is no setting.
inline constexpr const char* k_ranks_variable = "_TUTTI_RANKS";

}  // namespace tutti::base
