#pragma once
// The properties of a program's file that matter for running it several times in one process (ELF: System V
// ABI, chapters 4 and 5, gABI 4.1).

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/status.hpp"

namespace tutti::actors {

/// Immutable. Any thread. Of a large file only the accessed pages are read.
class ProgramImage {
 public:
  /// Errors: system, invalid_argument; their messages name the file.
  static base::Result<ProgramImage> read(const std::string& file_name);
  /// The same from memory that remains valid; `file_name` is for messages and for $ORIGIN.
  static base::Result<ProgramImage> parse(const std::string& file_name, std::span<const std::byte> content);

  const std::string& file_name() const { return file_name_; }
  /// Names of the libraries that it is linked with, in link order.
  std::span<const std::string> libraries() const { return libraries_; }
  /// Its library search path, with $ORIGIN replaced by its folder.
  std::span<const std::string> search_folders() const { return search_folders_; }
  /// Names of the symbols that it needs from libraries.
  std::span<const std::string> undefined_symbols() const { return undefined_symbols_; }
  /// Address of its first instruction, relative to its load address.
  uint64_t entry() const { return entry_; }

  /// Error: not_supported, with the reason why it cannot run as a thread.
  base::Status can_run_as_thread() const;

  /// The file, its loadable part, and the offset of its dynamic section.
  std::span<const std::byte> content() const { return content_; }
  std::span<const std::byte> loaded_content() const { return content_.first(loaded_bytes_); }
  uint64_t dynamic_offset() const { return dynamic_offset_; }
  /// Offset and size of its string table.
  uint64_t names_offset() const { return names_offset_; }
  uint64_t names_bytes() const { return names_bytes_; }

 private:
  std::string file_name_;
  std::shared_ptr<const void> mapping_;  // of the file; nullptr: parsed from memory
  std::span<const std::byte> content_;
  size_t loaded_bytes_ = 0;
  std::vector<std::string> libraries_, search_folders_, undefined_symbols_;
  uint64_t entry_ = 0, dynamic_offset_ = 0, names_offset_ = 0, names_bytes_ = 0;
  bool is_position_independent_ = false, is_dynamic_ = false, has_thread_locals_ = false;
};

}  // namespace tutti::actors
