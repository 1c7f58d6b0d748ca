#include "mpi/native/library_version.hpp"

#include <charconv>

namespace tutti::mpi {

namespace {

struct Name {
  std::string_view text;  // as in the library's description
  std::string_view name;
};

// Derivatives of MPICH come first, because their description may contain "MPICH".
constexpr Name k_names[] = {
    {"Open MPI", "Open MPI"},     {"Intel(R) MPI", "Intel MPI"},      {"MVAPICH", "MVAPICH"},
    {"CRAY MPICH", "Cray MPICH"}, {"ParaStation", "ParaStation MPI"}, {"MPICH", "MPICH"}};

bool is_digit(char letter) {
  return letter >= '0' && letter <= '9';
}

/// Reads "5.0.7" at the beginning of `text`. False: there is no "5.0".
bool read_numbers(std::string_view text, LibraryVersion* version) {
  int* const parts[] = {&version->major, &version->minor, &version->patch};
  size_t count = 0;
  for (int* const part : parts) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), *part);
    if (error != std::errc() || *part < 0) break;
    ++count;
    text.remove_prefix(static_cast<size_t>(end - text.data()));
    if (!text.starts_with('.')) break;
    text.remove_prefix(1);
  }
  return count >= 2;
}

}  // namespace

LibraryVersion parse_library_version(std::string_view text) {
  for (const Name& known : k_names) {
    const size_t at = text.find(known.text);
    if (at == std::string_view::npos) continue;
    // Some names contain a number (MVAPICH2), but a version contains a point.
    const std::string_view line = text.substr(at, text.find('\n', at) - at);
    for (size_t i = known.text.size(); i < line.size(); ++i) {
      if (!is_digit(line[i]) || is_digit(line[i - 1])) continue;
      LibraryVersion version{.name = known.name};
      if (read_numbers(line.substr(i), &version)) return version;
    }
    return {.name = known.name};
  }
  return {};
}

}  // namespace tutti::mpi
