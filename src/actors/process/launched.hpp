#pragma once
// What the launcher has given a process for its rank of the program.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace tutti::actors {

/// Processors that a thread may use.
class Affinity {
 public:
  /// The calling thread's.
  static Affinity here();
  /// All that one of them may use.
  static Affinity of_all(std::span<const struct Launched> launched);
  /// For the calling thread, and those that it begins from now on.
  void apply() const;

 private:
  static constexpr size_t k_words = 128;  // more processors than kernels know
  std::array<unsigned long, k_words> words_{};
};

/// Files are open in this process. Belongs to nobody; close_files().
struct Launched {
  int rank = 0;
  std::string program;                 // a file
  std::vector<std::string> arguments;  // argv
  std::vector<std::string> environment;
  Affinity affinity;
  int files[4] = {-1, -1, -1, -1};  // standard input, output and error; the working directory
  void close_files();
};

/// Of this process, before it has changed anything but GLIBC_TUNABLES. Error: not_found, the program.
base::Result<Launched> launched_here(const std::vector<std::string>& arguments);

/// Over a socket of the local domain, files included. Errors: system.
base::Status send_launched(int socket, const Launched& launched);
base::Result<Launched> receive_launched(int socket);

}  // namespace tutti::actors
