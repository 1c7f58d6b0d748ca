#include "actors/loader/program_image.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace tutti::actors {

using base::Result;
using base::Status;

namespace {

/// Bounds-checked access to bytes of an untrusted file.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> content) : content_(content) {}

  bool has(uint64_t offset, uint64_t bytes) const {
    return offset <= content_.size() && bytes <= content_.size() - offset;
  }

  template <class T>
  std::optional<T> at(uint64_t offset) const {
    if (!has(offset, sizeof(T))) return std::nullopt;
    T value;
    std::memcpy(&value, content_.data() + offset, sizeof value);
    return value;
  }

  /// A null-terminated string that ends before `end`.
  std::optional<std::string> text(uint64_t offset, uint64_t end) const {
    end = std::min<uint64_t>(end, content_.size());
    if (offset >= end) return std::nullopt;
    const char* const begin = reinterpret_cast<const char*>(content_.data()) + offset;
    const void* const zero = std::memchr(begin, 0, end - offset);
    if (zero == nullptr) return std::nullopt;
    return std::string(begin, static_cast<const char*>(zero));
  }

 private:
  std::span<const std::byte> content_;
};

struct Segment {
  uint64_t address, offset, bytes;
};

/// A range of the file.
struct Range {
  uint64_t offset = 0, bytes = 0;
};

/// Data that the dynamic section refers to.
struct Dynamic {
  Range texts;
  std::vector<uint64_t> libraries, search_paths;  // offsets in `texts`
};

Status damaged(const std::string& what) {
  return Status::invalid_argument("is damaged: " + what);
}

std::optional<uint64_t> offset_of(std::span<const Segment> segments, uint64_t address) {
  for (const Segment& segment : segments)
    if (address >= segment.address && address - segment.address < segment.bytes)
      return segment.offset + (address - segment.address);
  return std::nullopt;
}

Result<Dynamic> read_dynamic(const Reader& reader, std::span<const Segment> segments, Range section) {
  Dynamic found;
  std::optional<uint64_t> texts;
  for (uint64_t at = section.offset; at - section.offset + sizeof(Elf64_Dyn) <= section.bytes;
       at += sizeof(Elf64_Dyn)) {
    const auto entry = reader.at<Elf64_Dyn>(at);
    if (!entry) return damaged("the dynamic section ends beyond the file");
    switch (entry->d_tag) {
      case DT_NULL:
        section.bytes = 0;  // the end
        break;
      case DT_NEEDED:
        found.libraries.push_back(entry->d_un.d_val);
        break;
      case DT_RPATH:
      case DT_RUNPATH:
        found.search_paths.push_back(entry->d_un.d_val);
        break;
      case DT_STRTAB:
        texts = offset_of(segments, entry->d_un.d_ptr);
        break;
      case DT_STRSZ:
        found.texts.bytes = entry->d_un.d_val;
        break;
      default:
        break;
    }
    if (section.bytes == 0) break;
  }
  if (!texts) return damaged("its dynamic section has no names");
  found.texts.offset = *texts;
  if (!reader.has(found.texts.offset, found.texts.bytes)) return damaged("its names lie beyond the file");
  return found;
}

/// The undefined symbols, from the section headers; empty if these are missing.
std::vector<std::string> read_undefined(const Reader& reader, const Elf64_Ehdr& head) {
  std::vector<std::string> names;
  for (uint32_t i = 0; i < head.e_shnum; ++i) {
    const auto section = reader.at<Elf64_Shdr>(head.e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
    if (!section || section->sh_type != SHT_DYNSYM || section->sh_link >= head.e_shnum) continue;
    const auto texts = reader.at<Elf64_Shdr>(head.e_shoff + uint64_t{section->sh_link} * sizeof(Elf64_Shdr));
    if (!texts) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= section->sh_size; at += sizeof(Elf64_Sym)) {
      const auto symbol = reader.at<Elf64_Sym>(section->sh_offset + at);
      if (!symbol) break;
      if (symbol->st_shndx != SHN_UNDEF || symbol->st_name == 0) continue;
      if (auto name = reader.text(texts->sh_offset + symbol->st_name, texts->sh_offset + texts->sh_size))
        names.push_back(std::move(*name));
    }
  }
  return names;
}

std::string replace_origin(std::string folder, const std::string& origin) {
  for (const std::string_view word : {"${ORIGIN}", "$ORIGIN"})
    for (size_t at = folder.find(word); at != std::string::npos; at = folder.find(word, at + origin.size()))
      folder.replace(at, word.size(), origin);
  return folder;
}

/// Splits "a:b" into folders.
void add_folders(const std::string& path, const std::string& origin, std::vector<std::string>* folders) {
  for (size_t begin = 0; begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    if (end > begin) folders->push_back(replace_origin(path.substr(begin, end - begin), origin));
    begin = end + 1;
  }
}

bool is_ours(const Elf64_Ehdr& head) {
  return std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_ident[EI_CLASS] == ELFCLASS64 &&
         head.e_ident[EI_DATA] == ELFDATA2LSB && head.e_machine == EM_X86_64 &&
         head.e_phentsize == sizeof(Elf64_Phdr) &&
         (head.e_shnum == 0 || head.e_shentsize == sizeof(Elf64_Shdr));
}

}  // namespace

Result<ProgramImage> ProgramImage::read(const std::string& file_name) {
  const int file = open(file_name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat about {};
  void* memory = MAP_FAILED;
  if (file >= 0 && fstat(file, &about) == 0 && about.st_size > 0)
    memory = mmap(nullptr, static_cast<size_t>(about.st_size), PROT_READ, MAP_PRIVATE, file, 0);
  const int error = errno;
  if (file >= 0) close(file);
  if (memory == MAP_FAILED && file >= 0 && about.st_size == 0) return parse(file_name, {});
  if (memory == MAP_FAILED) return Status::system(base::in_quotes(file_name), error);
  const auto bytes = static_cast<size_t>(about.st_size);
  const std::shared_ptr<const void> mapping(memory, [bytes](void* at) { munmap(at, bytes); });
  auto image = parse(file_name, {static_cast<const std::byte*>(memory), bytes});
  if (image) image->mapping_ = mapping;
  return image;
}

Result<ProgramImage> ProgramImage::parse(const std::string& file_name, std::span<const std::byte> content) {
  const auto refused = [&](const Status& why) {
    return Status::invalid_argument(base::in_quotes(file_name) + ' ' + why.message());
  };
  if (content.size() > 2 && content[0] == std::byte{'#'} && content[1] == std::byte{'!'})
    return refused(
        Status::invalid_argument("is a script: ranks as threads need the program that it starts in its place "
                                 "(or run it without --actors)"));
  const Reader reader(content);
  const auto head = reader.at<Elf64_Ehdr>(0);
  if (!head || !is_ours(*head)) return refused(Status::invalid_argument("is no program for this machine"));

  ProgramImage image;
  image.file_name_ = file_name;
  image.entry_ = head->e_entry;
  image.is_position_independent_ = head->e_type == ET_DYN;
  image.loaded_bytes_ =
      std::max<size_t>(sizeof *head, head->e_phoff + size_t{head->e_phnum} * sizeof(Elf64_Phdr));
  std::vector<Segment> segments;
  std::optional<Range> dynamic_section;
  for (uint32_t i = 0; i < head->e_phnum; ++i) {
    const auto segment = reader.at<Elf64_Phdr>(head->e_phoff + uint64_t{i} * sizeof(Elf64_Phdr));
    if (!segment) return refused(damaged("its segments lie beyond the file"));
    if (segment->p_type == PT_LOAD) {
      if (!reader.has(segment->p_offset, segment->p_filesz))
        return refused(damaged("a segment lies beyond the file"));
      segments.push_back({segment->p_vaddr, segment->p_offset, segment->p_filesz});
      image.loaded_bytes_ = std::max<size_t>(image.loaded_bytes_, segment->p_offset + segment->p_filesz);
    }
    if (segment->p_type == PT_DYNAMIC) dynamic_section = {segment->p_offset, segment->p_filesz};
    if (segment->p_type == PT_INTERP) image.is_dynamic_ = true;
    if (segment->p_type == PT_TLS && segment->p_memsz > 0) image.has_thread_locals_ = true;
  }
  if (dynamic_section) {
    const auto dynamic = read_dynamic(reader, segments, *dynamic_section);
    if (!dynamic) return refused(dynamic.status());
    const auto text = [&](uint64_t at) {
      return reader.text(dynamic->texts.offset + at, dynamic->texts.offset + dynamic->texts.bytes);
    };
    for (const uint64_t at : dynamic->libraries) {
      auto name = text(at);
      if (!name) return refused(damaged("a library without a name"));
      image.libraries_.push_back(std::move(*name));
    }
    const std::string origin = std::filesystem::absolute(file_name).parent_path().string();
    for (const uint64_t at : dynamic->search_paths)
      if (const auto path = text(at)) add_folders(*path, origin, &image.search_folders_);
    image.dynamic_offset_ = dynamic_section->offset;
    image.names_offset_ = dynamic->texts.offset;
    image.names_bytes_ = dynamic->texts.bytes;
  }
  image.undefined_symbols_ = read_undefined(reader, *head);
  image.content_ = content;
  return image;
}

Status ProgramImage::can_run_as_thread() const {
  const auto refused = [this](const char* why) {
    return Status::not_supported(base::in_quotes(file_name_) + " cannot run as a thread: " + why);
  };
  if (!is_dynamic_ || libraries_.empty()) return refused("it is linked statically");
  for (const std::string& library : libraries_)
    if (library.starts_with("libasan.so") || library.starts_with("libtsan.so"))
      return refused("it is built with a sanitizer, whose memory is that of the whole process");
  if (!is_position_independent_)
    return refused(
        "it has a fixed address (compile and link it with -fPIE -pie, as compilers do by default)");
  if (has_thread_locals_)
    return refused("it has thread-local variables of its own, which would not be those of its rank");
  return {};
}

}  // namespace tutti::actors
