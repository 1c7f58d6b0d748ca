#include "overlap/calls/waiting.hpp"

#include <aio.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstring>

namespace tutti::overlap::calls {

namespace {

constexpr uint64_t k_unknown_bytes = 256;

template <class Object>
const Object* at(Word address) {
  return reinterpret_cast<const Object*>(address);  // NOLINT(performance-no-int-to-ptr): a word of a register
}

Word word_of(const void* address) {
  return reinterpret_cast<Word>(address);
}

class KeptErrno {
 public:
  KeptErrno() = default;
  ~KeptErrno() { errno = value_; }
  KeptErrno(const KeptErrno&) = delete;
  KeptErrno& operator=(const KeptErrno&) = delete;

 private:
  const int value_ = errno;
};

}  // namespace

void await_bytes(Word address, uint64_t bytes) {
  const KeptErrno kept;
  static_cast<void>(guard::await_open(at<void>(address), bytes));
}

void await_iovec(Word address, uint64_t count) {
  count = std::min<uint64_t>(count, IOV_MAX);  // the kernel refuses more
  await_bytes(address, count * sizeof(iovec));
  const auto* const parts = at<iovec>(address);
  for (uint64_t i = 0; parts != nullptr && i < count; ++i)
    await_bytes(word_of(parts[i].iov_base), parts[i].iov_len);
}

void await_message(Word address) {
  const auto* const message = at<msghdr>(address);
  if (message == nullptr) return;
  await_bytes(address, sizeof *message);
  await_iovec(word_of(message->msg_iov), message->msg_iovlen);
  await_bytes(word_of(message->msg_name), message->msg_namelen);
  await_bytes(word_of(message->msg_control), message->msg_controllen);
}

void await_messages(Word address, uint64_t count) {
  for (uint64_t i = 0; address != 0 && i < count; ++i)
    await_message(word_of(&at<mmsghdr>(address)[i].msg_hdr));
  await_bytes(address, count * sizeof(mmsghdr));
}

void await_control(Word address) {
  const auto* const control = at<aiocb>(address);
  if (control == nullptr) return;
  await_bytes(address, sizeof *control);
  await_bytes(word_of(const_cast<const void*>(control->aio_buf)), control->aio_nbytes);
}

/// On threads that do not call collectives it suffices to wait for the path itself.
void await_path(Word address) {
  if (guard::is_caller() && address != 0) return await_all(0);
  await_text(address);
}

/// Reads the text, so that the thread waits if it is closed.
void await_text(Word address) {
  const auto* const text = at<char>(address);
  if (text != nullptr) static_cast<void>(*const_cast<volatile const char*>(text + std::strlen(text)));
}

void await_texts(Word address) {
  for (const auto* text = at<const char*>(address); text != nullptr && *text != nullptr; ++text)
    await_text(word_of(*text));
}

void await_any(Word address) {
  await_bytes(address, k_unknown_bytes);
  const KeptErrno kept;
  guard::await_buffer_around(at<void>(address));
}

void await_all(Word /*ignored*/) {
  const KeptErrno kept;
  guard::await_all_open();
}

uint64_t count(Word word) {
  return static_cast<uint64_t>(std::max<Word>(word, 0));
}

uint64_t int_count(Word word) {
  return count(static_cast<int>(word));  // the upper half of the register is undefined
}

uint64_t length_at(Word address) {
  return address == 0 ? 0 : *at<socklen_t>(address);
}

bool is_this_process(Word id) {
  return static_cast<pid_t>(id) == getpid();
}

}  // namespace tutti::overlap::calls
