#pragma once
// The program, environment and files that the launcher gave a process for its rank.

#include <array>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace tutti::actors {

/// Set of CPUs that a thread may use.
class Affinity {
 public:
  /// The affinity of the calling thread.
  static Affinity here();
  /// Union of all affinities.
  static Affinity of_all(std::span<const struct Launched> launched);
  /// Applies to the calling thread, and to threads that it creates later.
  void apply() const;

 private:
  static constexpr size_t k_words = 128;  // exceeds the CPU limit of kernels
  std::array<unsigned long, k_words> words_{};
};

/// Its files are open in this process and must be closed with close_files().
struct Launched {
  int rank = 0;
  std::string program;                 // a file name
  std::vector<std::string> arguments;  // argv
  std::vector<std::string> environment;
  Affinity affinity;
  int files[4] = {-1, -1, -1, -1};  // stdin, stdout, stderr; the working directory
  void close_files();
};

/// Of this process, which may so far have changed only GLIBC_TUNABLES. Error: not_found for the program.
base::Result<Launched> launched_here(const std::vector<std::string>& arguments);

/// Over a Unix domain socket, including the file descriptors. Errors: system.
base::Status send_launched(int socket, const Launched& launched);
base::Result<Launched> receive_launched(int socket);

}  // namespace tutti::actors
