// Calls that hand data to the kernel, or have it put into memory.

#include <aio.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/next_function.hpp"
#include "overlap/calls/waiting.hpp"

using tutti::overlap::calls::await;
using tutti::overlap::calls::await_everything;

// What programs compiled with _FORTIFY_SOURCE call.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" {
ssize_t __read_chk(int fd, void* memory, size_t bytes, size_t room);
ssize_t __pread_chk(int fd, void* memory, size_t bytes, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void* memory, size_t bytes, off64_t offset, size_t room);
ssize_t __recv_chk(int fd, void* memory, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void* memory, size_t bytes, size_t room, int flags, sockaddr* from,
                       socklen_t* from_bytes);
size_t __fread_chk(void* memory, size_t room, size_t size, size_t count, FILE* file);
size_t __fread_unlocked_chk(void* memory, size_t room, size_t size, size_t count, FILE* file);
}
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace {

TUTTI_NEXT(read);
TUTTI_NEXT(pread);
TUTTI_NEXT(pread64);
TUTTI_NEXT(readv);
TUTTI_NEXT(preadv);
TUTTI_NEXT(preadv64);
TUTTI_NEXT(preadv2);
TUTTI_NEXT(preadv64v2);
TUTTI_NEXT(write);
TUTTI_NEXT(pwrite);
TUTTI_NEXT(pwrite64);
TUTTI_NEXT(writev);
TUTTI_NEXT(pwritev);
TUTTI_NEXT(pwritev64);
TUTTI_NEXT(pwritev2);
TUTTI_NEXT(pwritev64v2);
TUTTI_NEXT(recv);
TUTTI_NEXT(recvfrom);
TUTTI_NEXT(recvmsg);
TUTTI_NEXT(recvmmsg);
TUTTI_NEXT(send);
TUTTI_NEXT(sendto);
TUTTI_NEXT(sendmsg);
TUTTI_NEXT(sendmmsg);
TUTTI_NEXT(fread);
TUTTI_NEXT(fwrite);
TUTTI_NEXT(fread_unlocked);
TUTTI_NEXT(fwrite_unlocked);
TUTTI_NEXT(vmsplice);
TUTTI_NEXT(process_vm_readv);
TUTTI_NEXT(process_vm_writev);
TUTTI_NEXT(getrandom);
TUTTI_NEXT(aio_read);
TUTTI_NEXT(aio_read64);
TUTTI_NEXT(aio_write);
TUTTI_NEXT(aio_write64);
TUTTI_NEXT(lio_listio);
TUTTI_NEXT(lio_listio64);
TUTTI_NEXT(__read_chk);
TUTTI_NEXT(__pread_chk);
TUTTI_NEXT(__pread64_chk);
TUTTI_NEXT(__recv_chk);
TUTTI_NEXT(__recvfrom_chk);
TUTTI_NEXT(__fread_chk);
TUTTI_NEXT(__fread_unlocked_chk);

void await_messages(const mmsghdr* messages, unsigned count) {
  for (unsigned i = 0; messages != nullptr && i < count; ++i) await(&messages[i].msg_hdr);
}

template <class Control>
void await_control(const Control* control) {
  if (control != nullptr) await(const_cast<const void*>(control->aio_buf), control->aio_nbytes);
}

}  // namespace

#pragma GCC visibility push(default)
extern "C" {

ssize_t read(int fd, void* memory, size_t bytes) {
  await(memory, bytes);
  return next_read(fd, memory, bytes);
}

ssize_t __read_chk(int fd, void* memory, size_t bytes, size_t room) {
  await(memory, bytes);
  return next___read_chk(fd, memory, bytes, room);
}

ssize_t pread(int fd, void* memory, size_t bytes, off_t offset) {
  await(memory, bytes);
  return next_pread(fd, memory, bytes, offset);
}

ssize_t __pread_chk(int fd, void* memory, size_t bytes, off_t offset, size_t room) {
  await(memory, bytes);
  return next___pread_chk(fd, memory, bytes, offset, room);
}

ssize_t pread64(int fd, void* memory, size_t bytes, off64_t offset) {
  await(memory, bytes);
  return next_pread64(fd, memory, bytes, offset);
}

ssize_t __pread64_chk(int fd, void* memory, size_t bytes, off64_t offset, size_t room) {
  await(memory, bytes);
  return next___pread64_chk(fd, memory, bytes, offset, room);
}

ssize_t readv(int fd, const iovec* parts, int count) {
  await(parts, static_cast<size_t>(count));
  return next_readv(fd, parts, count);
}

ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  await(parts, static_cast<size_t>(count));
  return next_preadv(fd, parts, count, offset);
}

ssize_t preadv64(int fd, const iovec* parts, int count, off64_t offset) {
  await(parts, static_cast<size_t>(count));
  return next_preadv64(fd, parts, count, offset);
}

ssize_t preadv2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  await(parts, static_cast<size_t>(count));
  return next_preadv2(fd, parts, count, offset, flags);
}

ssize_t preadv64v2(int fd, const iovec* parts, int count, off64_t offset, int flags) {
  await(parts, static_cast<size_t>(count));
  return next_preadv64v2(fd, parts, count, offset, flags);
}

ssize_t write(int fd, const void* memory, size_t bytes) {
  await(memory, bytes);
  return next_write(fd, memory, bytes);
}

ssize_t pwrite(int fd, const void* memory, size_t bytes, off_t offset) {
  await(memory, bytes);
  return next_pwrite(fd, memory, bytes, offset);
}

ssize_t pwrite64(int fd, const void* memory, size_t bytes, off64_t offset) {
  await(memory, bytes);
  return next_pwrite64(fd, memory, bytes, offset);
}

ssize_t writev(int fd, const iovec* parts, int count) {
  await(parts, static_cast<size_t>(count));
  return next_writev(fd, parts, count);
}

ssize_t pwritev(int fd, const iovec* parts, int count, off_t offset) {
  await(parts, static_cast<size_t>(count));
  return next_pwritev(fd, parts, count, offset);
}

ssize_t pwritev64(int fd, const iovec* parts, int count, off64_t offset) {
  await(parts, static_cast<size_t>(count));
  return next_pwritev64(fd, parts, count, offset);
}

ssize_t pwritev2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  await(parts, static_cast<size_t>(count));
  return next_pwritev2(fd, parts, count, offset, flags);
}

ssize_t pwritev64v2(int fd, const iovec* parts, int count, off64_t offset, int flags) {
  await(parts, static_cast<size_t>(count));
  return next_pwritev64v2(fd, parts, count, offset, flags);
}

ssize_t recv(int fd, void* memory, size_t bytes, int flags) {
  await(memory, bytes);
  return next_recv(fd, memory, bytes, flags);
}

ssize_t __recv_chk(int fd, void* memory, size_t bytes, size_t room, int flags) {
  await(memory, bytes);
  return next___recv_chk(fd, memory, bytes, room, flags);
}

ssize_t recvfrom(int fd, void* memory, size_t bytes, int flags, sockaddr* from, socklen_t* from_bytes) {
  await(memory, bytes);
  return next_recvfrom(fd, memory, bytes, flags, from, from_bytes);
}

ssize_t __recvfrom_chk(int fd, void* memory, size_t bytes, size_t room, int flags, sockaddr* from,
                       socklen_t* from_bytes) {
  await(memory, bytes);
  return next___recvfrom_chk(fd, memory, bytes, room, flags, from, from_bytes);
}

ssize_t recvmsg(int fd, msghdr* message, int flags) {
  await(message);
  return next_recvmsg(fd, message, flags);
}

int recvmmsg(int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  await_messages(messages, count);
  return next_recvmmsg(fd, messages, count, flags, timeout);
}

ssize_t send(int fd, const void* memory, size_t bytes, int flags) {
  await(memory, bytes);
  return next_send(fd, memory, bytes, flags);
}

ssize_t sendto(int fd, const void* memory, size_t bytes, int flags, const sockaddr* to, socklen_t to_bytes) {
  await(memory, bytes);
  return next_sendto(fd, memory, bytes, flags, to, to_bytes);
}

ssize_t sendmsg(int fd, const msghdr* message, int flags) {
  await(message);
  return next_sendmsg(fd, message, flags);
}

int sendmmsg(int fd, mmsghdr* messages, unsigned count, int flags) {
  await_messages(messages, count);
  return next_sendmmsg(fd, messages, count, flags);
}

// Long data goes past the buffer of a file, by system calls that do not pass here.

size_t fread(void* memory, size_t size, size_t count, FILE* file) {
  await(memory, size * count);
  return next_fread(memory, size, count, file);
}

size_t fread_unlocked(void* memory, size_t size, size_t count, FILE* file) {
  await(memory, size * count);
  return next_fread_unlocked(memory, size, count, file);
}

size_t __fread_chk(void* memory, size_t room, size_t size, size_t count, FILE* file) {
  await(memory, size * count);
  return next___fread_chk(memory, room, size, count, file);
}

size_t __fread_unlocked_chk(void* memory, size_t room, size_t size, size_t count, FILE* file) {
  await(memory, size * count);
  return next___fread_unlocked_chk(memory, room, size, count, file);
}

size_t fwrite(const void* memory, size_t size, size_t count, FILE* file) {
  await(memory, size * count);
  return next_fwrite(memory, size, count, file);
}

size_t fwrite_unlocked(const void* memory, size_t size, size_t count, FILE* file) {
  await(memory, size * count);
  return next_fwrite_unlocked(memory, size, count, file);
}

ssize_t vmsplice(int fd, const iovec* parts, size_t count, unsigned flags) {
  await(parts, count);
  return next_vmsplice(fd, parts, count, flags);
}

// The other process may be this one.

ssize_t process_vm_readv(pid_t process, const iovec* local, unsigned long local_count, const iovec* remote,
                         unsigned long remote_count, unsigned long flags) {
  await(local, local_count);
  if (process == getpid()) await(remote, remote_count);
  return next_process_vm_readv(process, local, local_count, remote, remote_count, flags);
}

ssize_t process_vm_writev(pid_t process, const iovec* local, unsigned long local_count, const iovec* remote,
                          unsigned long remote_count, unsigned long flags) {
  await(local, local_count);
  if (process == getpid()) await(remote, remote_count);
  return next_process_vm_writev(process, local, local_count, remote, remote_count, flags);
}

ssize_t getrandom(void* memory, size_t bytes, unsigned flags) {
  await(memory, bytes);
  return next_getrandom(memory, bytes, flags);
}

int aio_read(aiocb* control) noexcept {
  await_control(control);
  return next_aio_read(control);
}

int aio_read64(aiocb64* control) noexcept {
  await_control(control);
  return next_aio_read64(control);
}

int aio_write(aiocb* control) noexcept {
  await_control(control);
  return next_aio_write(control);
}

int aio_write64(aiocb64* control) noexcept {
  await_control(control);
  return next_aio_write64(control);
}

int lio_listio(int mode, aiocb* const list[], int count, sigevent* event) noexcept {
  await_everything();
  return next_lio_listio(mode, list, count, event);
}

int lio_listio64(int mode, aiocb64* const list[], int count, sigevent* event) noexcept {
  await_everything();
  return next_lio_listio64(mode, list, count, event);
}

}  // extern "C"
#pragma GCC visibility pop
