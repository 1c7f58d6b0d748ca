#include "actors/loader/program_copy.hpp"

#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>
#include <vector>

#include "actors/loader/guest_host.hpp"
#include "base/text.hpp"

namespace tutti::actors {

using base::Result;
using base::Status;

namespace {

constexpr uint64_t k_page = 4096;

constexpr uint64_t round_up(uint64_t value) {
  return (value + k_page - 1) / k_page * k_page;
}

template <class T>
T read_at(const std::vector<std::byte>& bytes, uint64_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

template <class T>
void write_at(std::vector<std::byte>& bytes, uint64_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// The string table of a program, followed by new names.
class Names {
 public:
  explicit Names(const ProgramImage& image) {
    const auto old = image.content().subspan(image.names_offset(), image.names_bytes());
    text_.assign(reinterpret_cast<const char*>(old.data()), old.size());
  }
  std::string at(uint64_t offset) const { return offset < text_.size() ? text_.c_str() + offset : ""; }
  uint64_t add(const std::string& name) {
    const uint64_t offset = text_.size();
    text_ += name;
    text_ += '\0';
    return offset;
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string joined(std::span<const std::string> folders) {
  std::string path;
  for (const std::string& folder : folders) path += (path.empty() ? "" : ":") + folder;
  return path;
}

std::vector<Elf64_Dyn> entries_of(const ProgramImage& image) {
  std::vector<Elf64_Dyn> entries;
  for (uint64_t at = image.dynamic_offset(); at + sizeof(Elf64_Dyn) <= image.content().size();
       at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry;
    std::memcpy(&entry, image.content().data() + at, sizeof entry);
    if (entry.d_tag == DT_NULL) break;
    entries.push_back(entry);
  }
  return entries;
}

/// The dynamic section of the copy, except for the address of its string table.
std::vector<Elf64_Dyn> changed_entries(const ProgramImage& image, const CopyChanges& changes, Names& names) {
  const auto entry = [](int64_t tag, uint64_t value) {
    return Elf64_Dyn{.d_tag = tag, .d_un = {.d_val = value}};
  };
  std::vector<Elf64_Dyn> entries{entry(k_program_tag, 0)};
  for (const std::string& library : changes.first_libraries)
    entries.push_back(entry(DT_NEEDED, names.add(library)));
  for (Elf64_Dyn one : entries_of(image)) {
    if (one.d_tag == DT_FLAGS_1) one.d_un.d_val &= ~uint64_t{DF_1_PIE};
    // $ORIGIN would be the folder of the copy.
    if (one.d_tag == DT_RPATH || one.d_tag == DT_RUNPATH)
      one.d_un.d_val = names.add(joined(image.search_folders()));
    if (one.d_tag == DT_NEEDED) {
      const auto other = changes.libraries.find(names.at(one.d_un.d_val));
      if (other != changes.libraries.end()) one.d_un.d_val = names.add(other->second);
    }
    entries.push_back(one);
  }
  entries.push_back(entry(DT_NULL, 0));
  return entries;
}

/// A copy with one additional segment for its new dynamic section and string table.
class Copy {
 public:
  explicit Copy(const ProgramImage& image)
      : bytes_(image.loaded_content().begin(), image.loaded_content().end()),
        head_(read_at<Elf64_Ehdr>(bytes_, 0)) {
    // Without section headers: a loader needs none.
    head_.e_shoff = 0;
    head_.e_shnum = head_.e_shstrndx = 0;
    write_at(bytes_, 0, head_);
    for (uint16_t i = 0; i < head_.e_phnum; ++i) {
      const auto segment = read_at<Elf64_Phdr>(bytes_, offset_of(i));
      if (segment.p_type == PT_LOAD) {
        last_load_ = i;
        end_ = std::max(end_, round_up(segment.p_vaddr + segment.p_memsz));
      }
      if (segment.p_type == PT_NOTE) last_note_ = i;
      if (segment.p_type == PT_DYNAMIC) dynamic_ = i;
    }
  }

  /// PT_LOAD entries must be in address order, so the replaced note must follow all of them.
  bool has_room() const { return last_note_ > last_load_; }

  void add(std::vector<Elf64_Dyn> entries, const std::string& names) {
    const uint64_t table_bytes = entries.size() * sizeof(Elf64_Dyn);
    for (Elf64_Dyn& one : entries) {
      if (one.d_tag == DT_STRTAB) one.d_un.d_ptr = end_ + table_bytes;
      if (one.d_tag == DT_STRSZ) one.d_un.d_val = names.size();
    }
    const uint64_t offset = round_up(bytes_.size()), bytes = table_bytes + names.size();
    bytes_.resize(offset + bytes);
    std::memcpy(bytes_.data() + offset, entries.data(), table_bytes);
    std::memcpy(bytes_.data() + offset + table_bytes, names.data(), names.size());
    Elf64_Phdr added{.p_type = PT_LOAD,
                     .p_flags = PF_R | PF_W,
                     .p_offset = offset,
                     .p_vaddr = end_,
                     .p_paddr = end_,
                     .p_filesz = bytes,
                     .p_memsz = bytes,
                     .p_align = k_page};
    write_at(bytes_, offset_of(last_note_), added);
    added.p_type = PT_DYNAMIC;
    added.p_filesz = added.p_memsz = table_bytes;
    added.p_align = alignof(Elf64_Dyn);
    write_at(bytes_, offset_of(dynamic_), added);
  }

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  uint64_t offset_of(int segment) const {
    return head_.e_phoff + static_cast<uint64_t>(segment) * sizeof(Elf64_Phdr);
  }

  std::vector<std::byte> bytes_;
  Elf64_Ehdr head_;
  uint64_t end_ = 0;  // end of the loaded addresses
  int last_load_ = -1, last_note_ = -1, dynamic_ = -1;
};

Result<int> memory_file(const std::string& name, std::span<const std::byte> content) {
  constexpr size_t k_most_name = 200;
  const int file = memfd_create(name.substr(0, k_most_name).c_str(), MFD_CLOEXEC);
  if (file < 0) return Status::system("memfd_create", errno);
  while (!content.empty()) {
    const ssize_t count = write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) {
      const int error = errno;
      close(file);
      return Status::system("a copy of " + base::in_quotes(name), error);
    }
    content = content.subspan(static_cast<size_t>(count));
  }
  return file;
}

}  // namespace

Result<ProgramCopy> ProgramCopy::make(const ProgramImage& image, const CopyChanges& changes) {
  Copy copy(image);
  if (!copy.has_room())
    return Status::not_supported(base::in_quotes(image.file_name()) +
                                 " cannot run as a thread: it has no note whose place could be taken");
  Names names(image);
  const std::vector<Elf64_Dyn> entries = changed_entries(image, changes, names);
  copy.add(entries, names.text());
  const auto file = memory_file(std::filesystem::path(image.file_name()).filename().string(), copy.bytes());
  if (!file) return file.status();
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::canonical(image.file_name(), error);
  return ProgramCopy(*file, image.entry(), error ? image.file_name() : whole.string());
}

ProgramCopy::ProgramCopy(ProgramCopy&& other) noexcept
    : file_(std::exchange(other.file_, -1)), entry_(other.entry_), origin_(std::move(other.origin_)) {}

ProgramCopy::~ProgramCopy() {
  if (file_ >= 0) close(file_);
}

}  // namespace tutti::actors
