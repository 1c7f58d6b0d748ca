#pragma once
// Reads and replaces whole files that settings and options name.

#include <cstdint>
#include <string>

#include "base/status.hpp"

namespace tutti::base {

/// The contents of a regular file. Errors (system, invalid_argument) name the file and the reason. Directories and
/// files above 1G are refused; pipes too, because some ranks would wait for data that others have read.
Result<std::string> read_file(const std::string& name);

/// The file that output to this name reaches: symbolic links are followed, because renaming would replace them. Error:
/// invalid_argument for another user's link in a world-writable sticky folder (the rule of the kernel's
/// fs.protected_symlinks); system.
Result<std::string> output_path(const std::string& name);

/// Replaces a file, or creates it. Readers find the old file or the new one, also after a full disk or a crash: the new
/// file is written beside the old one, synced and renamed, and then the folder is synced. It keeps the permissions and,
/// if allowed, owner and group of the old file; a new file follows the umask. A file that this user may not write is
/// not replaced, even if the folder permits it.
///
/// Other types of files, such as devices and pipes, are written in place. So are descriptors of this process
/// (/dev/stdout, /dev/fd/3, or "-" for standard output), of any type, at the current position; the caller must flush
/// stdio buffers before.
///
/// SIGXFSZ (file too large) and SIGPIPE (pipe without a reader) do not end the process; both become errors. Errors: as
/// output_path().
Status replace_file(const std::string& name, const std::string& text);

/// Reserves memory or disk space for these bytes of an open file, and extends it if needed. Otherwise a full file
/// system would cause SIGBUS at a later access to a mapping. Uses the system call, because a program may define
/// functions called fallocate() or posix_fallocate(). Returns 0 or an errno value.
int reserve_bytes(int fd, uint64_t from, uint64_t bytes);

/// Flushes the buffer of standard output (stdio). Error: system, if this or an earlier write has failed. Every program
/// calls it at its end, because lost output is an error.
Status flush_standard_output();

/// Checks in advance whether replace_file() can be expected to work, as far as permissions show. Errors: as
/// replace_file().
Status check_replaceable(const std::string& name);

}  // namespace tutti::base
