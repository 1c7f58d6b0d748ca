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

/// Reserves memory or disk space for these bytes of an open file, and extends it if needed. Otherwise a full file
/// system would cause SIGBUS at a later access to a mapping. Uses the system call, because a program may define
/// functions called fallocate() or posix_fallocate(). Returns 0 or an errno value.
int reserve_bytes(int fd, uint64_t from, uint64_t bytes);

/// Writes out what waits in the buffer of standard output (stdio). Error: system, where that or
/// anything before has failed. Every program asks once at its end: output that is lost is no success.
Status flush_standard_output();

/// Checks in advance whether replace_file() can be expected to work, as far as permissions show. Errors: as
/// replace_file().
Status check_replaceable(const std::string& name);

}  // namespace tutti::base
