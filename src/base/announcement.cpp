#include "base/announcement.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <string_view>

namespace tutti::base {

namespace {

constexpr const char* k_name = "tutti-ranks";
constexpr std::string_view k_link = "/memfd:tutti-ranks (deleted)";
constexpr size_t k_token_letters = 16;

/// Random token in the memory and in the address, because process numbers are reused and differ between machines and
/// containers.
std::string make_token() {
  uint64_t bits = 0;
  return getrandom(&bits, sizeof bits, 0) == sizeof bits ? fmt::format("{:0{}x}", bits, k_token_letters)
                                                         : std::string();
}

/// Checked before the file is opened: opening a device may have effects, and opening a pipe may block.
bool is_such_memory(const std::string& path) {
  std::array<char, 64> link{};
  const ssize_t length = readlink(path.c_str(), link.data(), link.size());
  return length > 0 && std::string_view(link.data(), static_cast<size_t>(length)) == k_link;
}

bool begins_with(int memory, std::string_view token) {
  std::array<char, k_token_letters> begin{};
  return pread(memory, begin.data(), begin.size(), 0) == static_cast<ssize_t>(begin.size()) &&
         std::string_view(begin.data(), begin.size()) == token;
}

}  // namespace

Announcements::Announcements() {
  const std::string token = make_token();
  if (token.empty()) return;
  memory_ = memfd_create(k_name, MFD_CLOEXEC);
  if (memory_ < 0 || write(memory_, token.data(), token.size()) != static_cast<ssize_t>(token.size())) return;
  address_ = fmt::format("/proc/{}/fd/{}:{}", getpid(), memory_, token);
}

Announcements::~Announcements() {
  if (memory_ >= 0) close(memory_);
}

uint64_t Announcements::count() const {
  struct stat about {};
  if (!are_possible() || fstat(memory_, &about) != 0) return 0;
  return static_cast<uint64_t>(about.st_size) - k_token_letters;
}

void announce(const char* address) {
  if (address == nullptr) return;
  const std::string_view text = address;
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || text.size() != colon + 1 + k_token_letters) return;
  const std::string path(text.substr(0, colon));
  if (!is_such_memory(path)) return;
  const int memory = open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC);
  if (memory < 0) return;
  if (begins_with(memory, text.substr(colon + 1))) {
    // A failed notice is lost, like one from another container.
    [[maybe_unused]] const ssize_t written = write(memory, "", 1);
  }
  close(memory);
}

}  // namespace tutti::base
