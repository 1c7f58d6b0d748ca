#pragma once
// Files that people name in settings and options: read as a whole, and replaced as a whole.

#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace tutti::base {

/// The whole content of a regular file. Errors (system, invalid_argument) name the file and say why not:
/// directories cannot be read, pipes would let some ranks wait for what others have taken, and nothing that
/// people write is larger than 1G.
Result<std::string> read_file(const std::string& name);

/// The file that output under this name reaches: symbolic links are followed, which renaming would replace.
/// Error: invalid_argument for a link that another user has put into a folder where everyone may write (the
/// rule of the kernel's fs.protected_symlinks), system.
Result<std::string> output_path(const std::string& name);

/// Puts a whole new file in the place of the old one, if there is one. Readers find either of them, also
/// after a full disk or a crash: the new file is written beside the old one, synced and renamed, and then the
/// folder is synced. It keeps the permissions and, where that is allowed, the group of the old file; without
/// one it follows the umask. Not replaced is what this user may not write, even where the folder allows it.
///
/// What is no regular file, such as a device or a pipe, is written into. So is a descriptor of this process
/// (/dev/stdout, /dev/fd/3, or "-" for standard output), wherever it leads, at its current position: what
/// waits in buffers of stdio is flushed before by the caller.
///
/// No signal ends the process because the file grows too large (SIGXFSZ) or a pipe has lost its reader
/// (SIGPIPE); both are errors. Errors: as output_path().
Status replace_file(const std::string& name, const std::string& text);

/// Sets memory or disk aside for these bytes of an open file, which grows where it ends before; without it a full file
/// system would show as SIGBUS at some later access to a mapping. By the system call: a program may have a function
/// fallocate() or posix_fallocate() of its own. Result: 0, or a number of errno.
int reserve_bytes(int fd, uint64_t from, uint64_t bytes);

/// Writes out what waits in the buffer of standard output (stdio). Error: system, where that or
/// anything before has failed. Every program asks once at its end: output that is lost is no success.
Status flush_standard_output();

/// Whether replace_file() can be expected to work, as far as permissions tell: for asking before long work.
/// Errors: as replace_file().
Status check_replaceable(const std::string& name);

}  // namespace tutti::base
