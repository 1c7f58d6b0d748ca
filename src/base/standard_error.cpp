#include "base/standard_error.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>

namespace tutti::base {

namespace {

/// Identity of a file, independent of its descriptors.
struct Identity {
  dev_t device = 0;
  ino_t number = 0;

  bool operator==(const Identity&) const = default;
};

Identity identity_of_standard_error() {
  struct stat about {};
  return fstat(STDERR_FILENO, &about) == 0 ? Identity{about.st_dev, about.st_ino} : Identity{};
}

Identity g_remembered;
std::atomic<bool> g_is_remembered{false};

}  // namespace

void remember_standard_error() {
  g_remembered = identity_of_standard_error();
  g_is_remembered.store(true, std::memory_order_release);
}

void write_to_standard_error(std::string_view text) {
  if (g_is_remembered.load(std::memory_order_acquire)) {
    const Identity present = identity_of_standard_error();
    if (present == Identity{} || present != g_remembered) return;
  }
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno != EINTR) return;
    if (written > 0) text.remove_prefix(static_cast<size_t>(written));
  }
}

void log(std::string_view line) {
  write_to_standard_error(fmt::format("tutti: {}\n", line));
}

}  // namespace tutti::base
